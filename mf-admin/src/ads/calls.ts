import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AdminAdsAnswer, AdWriteAnswer } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { queryOf } from '../panel/use-filters.ts';

/** Everything the panel has asked about ads; a write makes all of it old. */
export const ADS_KEY = ['admin', 'ads'] as const;

/** What narrows and orders the list; empty where nothing is chosen. */
export interface AdFilters {
  readonly q: string;
  readonly sort: string;
  readonly hidden: string;
  readonly featured: string;
}

export function adminAdsQuery(api: Api, filters: AdFilters) {
  return infiniteQueryOptions({
    queryKey: [...ADS_KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<AdminAdsAnswer>({ path: `/admin/ads${queryOf({ ...filters, cursor: pageParam })}`, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** What an admin does to an ad; the reason goes into the event. */
export function adminAdCalls(api: Api) {
  const pathOf = (id: string) => `/admin/ads/${encodeURIComponent(id)}`;
  return {
    feature: (id: string, featured: boolean) =>
      api.callSignedIn<AdWriteAnswer>({ method: 'PUT', path: `${pathOf(id)}/featured`, body: { featured } }),
    takeDown: (id: string, reason: string) =>
      api.callSignedIn<AdWriteAnswer>({ method: 'DELETE', path: pathOf(id), body: { reason } }),
  };
}
