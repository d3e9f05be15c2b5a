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

export type AdPages = InfiniteData<AdListAnswer>;

/** A list of ads, page after page. */
export function adListQuery(api: Api, filter: AdFilter) {
  return infiniteQueryOptions({
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
