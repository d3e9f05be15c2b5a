import type { RegistryEntry } from '@alpenglow/ui/contract';
import { OTHER_FILTERS } from './head.ts';

/**
 * The query parameters of pages that no API path of a remote has to name: those that the head of a page depends on, and
 * those that only pages read. `place` is sent by forms without scripts.
 */
const OTHER_PARAMETERS = ['new', 'show', 'place', 'state', 'city', 'category', ...OTHER_FILTERS];
/** Matches the names of the query parameters at the end of an API path, such as `{?sort,cursor}`. */
const QUERY_NAMES = /\{\?!?(?<names>[\w,]+)\}$/u;

/**
 * Returns the query of a page without the parameters that no page of the remote uses, and without repeated ones. The
 * page is rendered and cached with this query. Otherwise, a client could request the same page with any number of
 * cache keys.
 *
 * @param search the query with its `?`, or an empty text
 * @param preloadData undefined if the remote declares no data. The query then stays unchanged.
 * @returns a query in the same format
 */
export function toPageSearch(search: string, preloadData: RegistryEntry['preloadData']): string {
  if (search === '' || preloadData === undefined) return search;
  const known = new Set(OTHER_PARAMETERS);
  for (const path of Object.values(preloadData).flat())
    for (const name of QUERY_NAMES.exec(path)?.groups?.['names']?.split(',') ?? []) known.add(name);
  const parameters = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(search))
    if (known.has(name) && !parameters.has(name)) parameters.append(name, value);
  return parameters.size === 0 ? '' : `?${parameters}`;
}
