import { infiniteQueryOptions, queryOptions, type InfiniteData } from '@tanstack/react-query';
import type { ThreadListAnswer } from '@alpenglow/domain/contracts';
import { communityKeys, type Api } from '@alpenglow/ui';
import { listFollows, listHidden, listPlaces, listThreads, type ThreadFilter } from './calls.ts';

export type ThreadPages = InfiniteData<ThreadListAnswer>;

/** How long a list that nobody looks at is kept, so that Back finds it as it was left. */
const LIST_KEPT_ms = 60 * 60_000;

/** A list of threads, page after page. It is fetched again when somebody says that it is out of date, never by itself, which would move what is read. */
export function threadListQuery(api: Api, filter: ThreadFilter) {
  return infiniteQueryOptions({
    queryKey: communityKeys.list(filter),
    queryFn: ({ pageParam, signal }) => listThreads(api, filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: LIST_KEPT_ms,
  });
}

/** All places with their numbers of threads. */
export function placesQuery(api: Api) {
  return queryOptions({ queryKey: communityKeys.locations, queryFn: ({ signal }) => listPlaces(api, signal) });
}

/** The threads a member follows. */
export function followsQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: [...communityKeys.all, 'follows', viewer],
    queryFn: ({ signal }) => listFollows(api, signal),
  });
}

/** What is hidden, for moderators. */
export function hiddenQuery(api: Api, viewer: string) {
  return infiniteQueryOptions({
    queryKey: [...communityKeys.all, 'hidden', viewer],
    queryFn: ({ pageParam, signal }) => listHidden(api, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}
