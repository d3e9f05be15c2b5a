import { queryOptions, type InfiniteData } from '@tanstack/react-query';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { getAd, listAds, userAds } from './ad-calls.ts';
import type { AdFilter, Api } from './client.ts';
import { pagedQuery } from './paged-query.ts';

/** Query keys of ads. All packages share these keys, so that each package can update or invalidate the cached data. */
export const adKeys = {
  all: ['ads'],
  lists: ['ads', 'list'],
  /** `start` is the cursor of the page with which the list begins. Null for the first page. */
  list: (filter: AdFilter, start: string | null = null) => ['ads', 'list', filter, ...startKey(start)] as const,
  nearby: (place: Pick<AdFilter, 'state' | 'city'>) => ['ads', 'nearby', place] as const,
  /** `viewer` is the id of the user. It is part of the key, because the owner of an ad receives more data. */
  detail: (id: string, viewer: string | null) => ['ads', 'detail', id, viewer] as const,
  mine: (viewer: string) => ['ads', 'mine', viewer] as const,
} as const;

/** Query keys of community threads and places. Live messages about threads mark these queries as stale. */
export const communityKeys = {
  all: ['community'],
  /** Prefix of the query keys of all lists of threads. */
  lists: ['community', 'threads'],
  list: <Filter extends object>(filter: Filter, start: string | null = null) =>
    ['community', 'threads', filter, ...startKey(start)] as const,
  /**
   * `viewer` is the id of the user. It is part of the key, because the response contains the permissions of the user.
   * `idOrSlug` is the id or the slug in the URL of the thread.
   */
  thread: (idOrSlug: string, viewer: string | null) => ['community', 'thread', idOrSlug, viewer] as const,
  locations: ['community', 'locations'],
} as const;

/** Query keys of articles. */
export const blogKeys = {
  all: ['blog'],
  lists: ['blog', 'articles'],
  list: <Filter extends object>(filter: Filter, start: string | null = null) =>
    ['blog', 'articles', filter, ...startKey(start)] as const,
  article: (slug: string) => ['blog', 'article', slug] as const,
} as const;

function startKey(start: string | null): readonly string[] {
  return start === null ? [] : [start];
}

export type AdPages = InfiniteData<ResponseOf<'listAds'>>;

/** Time for which a list that is not displayed stays cached, so that the Back button shows it unchanged. */
const LIST_CACHE_ms = 60 * 60_000;

/**
 * Returns the query for a list of ads. The list is never refetched automatically, because a refetch would move the ads
 * that a visitor is reading. Live messages update the list instead. The list begins with the page that has the cursor
 * `start`.
 */
export function adListQuery(api: Api, filter: AdFilter, start: string | null = null) {
  return {
    ...pagedQuery(adKeys.list(filter, start), (cursor, signal) => listAds(api, filter, { cursor, signal }), start),
    staleTime: 'static',
    gcTime: LIST_CACHE_ms,
  } as const;
}

/** Returns the query for an ad with all details. */
export function adQuery(api: Api, id: string, viewer: string | null) {
  return queryOptions({ queryKey: adKeys.detail(id, viewer), queryFn: ({ signal }) => getAd(api, id, signal) });
}

/** Returns the query for the visitor's own ads. */
export function ownAdsQuery(api: Api, viewer: string) {
  return queryOptions({ queryKey: adKeys.mine(viewer), queryFn: ({ signal }) => userAds(api, signal) });
}
