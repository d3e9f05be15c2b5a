import type { TakeDownFields } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { filteredQuery } from '../panel/filtered-query.ts';

/**
 * The common prefix of all query keys for ads in the admin panel. Every write invalidates the queries with this prefix.
 */
export const ADS_KEY = ['admin', 'ads'] as const;

/** Filters and order of the list of ads. An empty string means that nothing is selected. */
type AdFilters = Readonly<Record<'q' | 'sort' | 'hidden' | 'featured', string>>;

export function adminAdsQuery(api: Api, filters: AdFilters) {
  return filteredQuery<'listAdsAsAdmin'>(api, ADS_KEY, '/admin/ads', filters);
}

/**
 * Returns functions that send an admin's requests to feature an ad or take it down. The event of a removal stores the
 * reason.
 */
export function adminAdRequests(api: Api) {
  const pathOf = (id: string) => `/admin/ads/${encodeURIComponent(id)}` as const;
  return {
    feature: (id: string, featured: boolean) =>
      api.requestWithToken<'featureAd'>({ method: 'PUT', path: `${pathOf(id)}/featured`, body: { featured } }),
    takeDown: (id: string, body: TakeDownFields) =>
      api.requestWithToken<'deleteAdAsAdmin'>({ method: 'DELETE', path: pathOf(id), body }),
  };
}
