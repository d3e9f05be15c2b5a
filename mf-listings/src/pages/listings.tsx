import { useSearchParams } from 'react-router-dom';
import { filterOf, searchOf } from '../lists/filters.ts';
import { stateName } from '../lists/list-title.ts';
import { cityPath, statePath } from '../paths.ts';
import { useText } from '../text.ts';
import { ListPage } from './list-page.tsx';

/** `/listings`: the address holds the filter, so that Back, reload and a shared link show the same. */
export function ListingsPage() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const filter = filterOf(search);
  const { state, city } = filter;
  return (
    <ListPage
      filter={filter}
      onChange={(changed, how) => setSearch(searchOf(changed), { replace: how === 'typing', preventScrollReset: true })}
      {...(state !== null && {
        breadcrumbs: [
          { label: t('common.home'), to: '/' },
          { label: stateName(state), ...(city !== null && { to: statePath(state) }) },
          ...(city === null ? [] : [{ label: city, to: cityPath(state, city) }]),
        ],
      })}
    />
  );
}
