import { useSearchParams } from 'react-router-dom';
import { filterOf, searchOf } from '../lists/filters.ts';
import { ListPage } from './list-page.tsx';

/** `/listings`: the address holds the filter, so that Back, reload and a shared link show the same. */
export function ListingsPage() {
  const [search, setSearch] = useSearchParams();
  return <ListPage filter={filterOf(search)} onChange={(filter, how) => setSearch(searchOf(filter), { replace: how === 'typing', preventScrollReset: true })} />;
}
