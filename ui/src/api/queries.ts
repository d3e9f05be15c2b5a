import { infiniteQueryOptions, queryOptions, type InfiniteData } from '@tanstack/react-query';
import type { AdListAnswer } from '@alpenglow/domain/contracts';
import type { AdFilter, Api } from './client.ts';

/** Query keys, shared by every package of a page: whoever knows something newer writes or invalidates it here. */
export const adKeys = {
  all: ['ads'],
  lists: ['ads', 'list'],
  list: (filter: AdFilter) => ['ads', 'list', filter] as const,
  /** `viewer` is the user's id: owners are told more than others. */
  detail: (id: string, viewer: string | null) => ['ads', 'detail', id, viewer] as const,
  mine: (viewer: string) => ['ads', 'mine', viewer] as const,
} as const;

/** Of threads and their places; beneath them everything that a live message of a thread, or a gap, makes stale. */
export const communityKeys = {
  all: ['community'],
  /** Lists of threads, whatever their filter. */
  lists: ['community', 'threads'],
  list: <Filter extends object>(filter: Filter) => ['community', 'threads', filter] as const,
  /** `viewer` is the user's id: members are told what they may do, moderators see more. The thread is named as its address names it. */
  thread: (idOrSlug: string, viewer: string | null) => ['community', 'thread', idOrSlug, viewer] as const,
  locations: ['community', 'locations'],
} as const;

/** Of articles. */
export const blogKeys = {
  all: ['blog'],
  lists: ['blog', 'articles'],
  list: <Filter extends object>(filter: Filter) => ['blog', 'articles', filter] as const,
  article: (slug: string) => ['blog', 'article', slug] as const,
} as const;

export type AdPages = InfiniteData<AdListAnswer>;

/** How long a list that nobody looks at is kept, so that Back finds it as it was left. */
const LIST_KEPT_ms = 60 * 60_000;

/**
 * A list of ads, page after page. Once loaded it is never fetched again by itself, which would move what a visitor reads: whoever
 * shows it keeps it true by the live channel.
 */
export function adListQuery(api: Api, filter: AdFilter) {
  return infiniteQueryOptions({
    staleTime: 'static',
    gcTime: LIST_KEPT_ms,
    queryKey: adKeys.list(filter),
    queryFn: ({ pageParam, signal }) => api.listAds(filter, { cursor: pageParam, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** One ad in full. */
export function adQuery(api: Api, id: string, viewer: string | null) {
  return queryOptions({ queryKey: adKeys.detail(id, viewer), queryFn: ({ signal }) => api.getAd(id, signal) });
}

/** The visitor's own ads. */
export function ownAdsQuery(api: Api, viewer: string) {
  return queryOptions({ queryKey: adKeys.mine(viewer), queryFn: ({ signal }) => api.userAds(signal) });
}
