import { queryOptions, type InfiniteData } from '@tanstack/react-query';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { communityKeys, signedInPagedQuery, pagedQuery, type Api } from '@alpenglow/ui';
import { listFollows, listPlaces, listThreads, type ThreadFilter } from './requests.ts';

export type ThreadPages = InfiniteData<ResponseOf<'listThreads'>>;

/** Time during which a list that is not displayed stays cached, so that the Back button restores it. */
const LIST_CACHE_TIME_ms = 60 * 60_000;

/**
 * Returns the query for a list of threads in pages. The list is fetched again only when it is invalidated, because an
 * automatic refetch moves the content while the visitor reads. The list begins with the page that has the cursor
 * `start`.
 */
export function threadListQuery(api: Api, filter: ThreadFilter, start: string | null = null) {
  const queryKey = communityKeys.list(filter, start);
  return {
    ...pagedQuery(queryKey, (cursor, signal) => listThreads(api, filter, cursor, signal), start),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: LIST_CACHE_TIME_ms,
  };
}

/** Returns the query for all places with their numbers of threads. */
export function placesQuery(api: Api) {
  return queryOptions({ queryKey: communityKeys.locations, queryFn: ({ signal }) => listPlaces(api, signal) });
}

/** Returns the query for the threads that a member follows. */
export function followsQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: [...communityKeys.all, 'follows', viewer],
    queryFn: ({ signal }) => listFollows(api, signal),
  });
}

/** Returns the query for the hidden posts, which only moderators can read. */
export function hiddenQuery(api: Api, viewer: string) {
  return signedInPagedQuery<'listHiddenPosts'>(
    api,
    [...communityKeys.all, 'hidden', viewer],
    '/admin/community/hidden',
  );
}
