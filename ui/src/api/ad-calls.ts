/** Requests that read ads. A bundle contains only those that it uses. */
import type { AdCard, ResponseOf, AdView, PathTo } from '@alpenglow/domain/contracts';
import { createErrorFormatter, formatGetAdError, isApiError } from './api-error.ts';
import { adPath, type AdFilter, type Api, type PageRequest } from './client.ts';
import { findAdsCache } from './find-ads-cache.ts';
import { SHORT_LIST, toQueryString } from './query-string.ts';

type ListId = 'listAds' | 'listAdsOfPlace' | 'listNearbyAds';

/** Reads a list of ads without their long texts, which no page shows. */
const getCards = (api: Api, path: PathTo<ListId>, signal?: AbortSignal) =>
  api.request<ListId>({
    path,
    parameter: SHORT_LIST,
    signal,
    formatMessage: createErrorFormatter('api.adsFailed'),
  });

/** Returns a list of ads. If the server is not reachable, it returns the list of the cache. */
async function getAds(api: Api, path: PathTo<ListId>, signal?: AbortSignal): Promise<ResponseOf<'listAds'>> {
  try {
    const list = await getCards(api, path, signal);
    (await findAdsCache())?.set(path, list);
    return list;
  } catch (error) {
    const stored = isApiError(error) && error.code === 'NETWORK' && (await findAdsCache())?.get(path);
    if (stored) return stored;
    throw error;
  }
}

/**
 * Returns the number of ads by state, city and category, which the place restricts, and the numbers of ads that match
 * all filters.
 */
export const adCounts = (api: Api, filter: Omit<AdFilter, 'sort'> = {}, signal?: AbortSignal) =>
  api.request<'countAds'>({
    path: `/ads/counts${toQueryString({ ...filter })}`,
    signal,
    formatMessage: createErrorFormatter('api.adsFailed'),
  });

export const listAds = (api: Api, filter: AdFilter, { signal, ...page }: PageRequest = {}) =>
  getAds(api, `/ads${toQueryString({ ...filter, ...page })}`, signal);

export const adsByLocation = (api: Api, state: string, city: string, { signal, ...page }: PageRequest = {}) => {
  const path = `/ads/location/${encodeURIComponent(state)}/${encodeURIComponent(city)}` as const;
  return getAds(api, `${path}${toQueryString({ ...page })}`, signal);
};

/** Returns ads of a city and of cities nearby. Without a city, the largest city of the state is used. */
export const nearbyAds = (api: Api, place: Pick<AdFilter, 'state' | 'city'>, { signal, ...page }: PageRequest = {}) =>
  getCards(api, `/ads/nearby${toQueryString({ ...place, ...page })}`, signal);

export const getAd = async (api: Api, id: string, signal?: AbortSignal): Promise<AdView> =>
  (await api.request<'getAd'>({ path: adPath(id), signal, formatMessage: formatGetAdError })).data;

/** Returns the ads of the user. Throws if there is no token. */
export const userAds = async (api: Api, signal?: AbortSignal): Promise<readonly AdCard[]> => {
  const formatMessage = createErrorFormatter('api.userAdsFailed');
  return (await api.requestWithToken<'listOwnAds'>({ path: '/ads/user', signal, formatMessage })).data;
};
