import { useSearchParams } from 'react-router-dom';
import { parseFilter, toListQueryString } from '../lists/filters.ts';
import { getStateName } from '../lists/list-title.ts';
import { cityPath, getStatePath } from '../paths.ts';
import { ListPage } from './list-page.tsx';

/** The page `/listings`. The URL contains the filter, so that Back, a reload and a shared link show the same list. */
export function ListingsPage() {
  const [search, setSearch] = useSearchParams();
  const filter = parseFilter(search);
  const { state, city } = filter;
  return (
    <ListPage
      filter={filter}
      onChange={(changed, how) =>
        setSearch(toListQueryString(changed), { replace: how === 'typing', preventScrollReset: true })
      }
      {...(state !== null && {
        breadcrumbs: [
          { label: getStateName(state), ...(city !== null && { to: getStatePath(state) }) },
          ...(city === null ? [] : [{ label: city, to: cityPath(state, city) }]),
        ],
      })}
    />
  );
}
