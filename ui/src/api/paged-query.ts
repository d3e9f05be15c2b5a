import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';
import type { PathTo, ReadId, ResponseOf } from '@alpenglow/domain/contracts';
import type { Api } from './client.ts';
import { toQueryString } from './query-string.ts';

export interface AnyPage {
  /** Cursor of the next page. It is null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Creates the query for a list that the API returns page by page. `fetchPage` receives the cursor of the page to fetch.
 * The cursor is null for the first page. The list begins with the page that has the cursor `start`.
 */
export function pagedQuery<Page extends AnyPage>(
  queryKey: QueryKey,
  fetchPage: (cursor: string | null, signal: AbortSignal) => Promise<Page>,
  start: string | null = null,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: start,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** Creates the query for the paged list of an operation that only signed-in users can read. */
export function signedInPagedQuery<Id extends ReadId>(
  api: Api,
  queryKey: QueryKey,
  path: PathTo<Id>,
  parameters: Readonly<Record<string, string | null>> = {},
) {
  return pagedQuery(queryKey, (cursor, signal) => {
    const page = `${path}${toQueryString({ ...parameters, cursor })}` as PathTo<Id>;
    return api.requestWithToken<Id>({ path: page, signal }) as Promise<ResponseOf<Id> & AnyPage>;
  });
}
