import { DomainError, type ResponseOf } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import type { Dependencies } from '../dependencies.ts';
import { createVisitorView, type AdReader } from './ad-reader.ts';
import { createListCache, type CachedResponse } from './response-cache.ts';
import { toFilterQuery, toListQuery, toNearbyQuery, type ListQuery } from './list-query.ts';
import { AD_VIEWS_NAME } from './view-counter.ts';

/**
 * The read models from which lists and pages of ads are created. A change in one of these read models invalidates the
 * cached responses.
 */
const LIST_READ_MODELS = new Set([
  'ad_cards',
  'ad_details',
  'media_items',
  'moderation_cases',
  'accounts',
  AD_VIEWS_NAME,
  'all',
]);

/** The messages of responses with a list of ads and with one ad. */
export const ADS_FOUND = 'Ads loaded';
export const AD_FOUND = 'Ad loaded';

/** The query string of a request. `query` parses the string and is called only if no cached response exists. */
export interface CacheableQuery<Query> {
  /** The query string without `?`, without unknown parameters. */
  readonly search: string;
  readonly query: () => Query;
}

/**
 * The functions that return the API responses with lists and counts of ads. A response is cached until the read models
 * change. All functions reject with INVALID_FIELDS for an invalid query.
 */
export type ListResponses = ReturnType<typeof createListResponses>;

export function createListResponses({ ads, progress }: Dependencies<'progress'> & { readonly ads: AdReader }) {
  const cache = createListCache(() => progress.getMark('ad_cards'));
  const stop = progress.onChange((projection) => {
    if (LIST_READ_MODELS.has(projection)) cache.invalidate();
  });

  async function readList(listQuery: ListQuery): Promise<ResponseOf<'listAds'>> {
    const page = await ads.list(listQuery);
    const { cards, nextCursor, total } = page;
    const [found, data] = await Promise.all([
      listQuery.q === null ? null : ads.readMatches(page),
      listQuery.details ? ads.withDetails(cards) : cards,
    ]);
    return { success: true, message: ADS_FOUND, data: [...data], nextCursor, total, search: found };
  }

  return {
    list: ({ search, query }: CacheableQuery<QueryOf<'listAds'>>, only?: Partial<ListQuery>): Promise<CachedResponse> =>
      cache.get(`list ${only ? JSON.stringify(only) : ''} ${search}`, () =>
        readList({ ...toListQuery(query()), ...only }),
      ),
    nearby: ({ search, query }: CacheableQuery<QueryOf<'listNearbyAds'>>): Promise<CachedResponse> =>
      cache.get(`nearby ${search}`, async (): Promise<ResponseOf<'listAds'>> => {
        const nearbyQuery = toNearbyQuery(query());
        const cards = await ads.listNearby(nearbyQuery);
        const data = nearbyQuery.details ? await ads.withDetails(cards) : cards;
        return { success: true, message: ADS_FOUND, data: [...data], nextCursor: null, total: null, search: null };
      }),
    /**
     * `GET /ads/{id}` for the first HTML of a page: returns the ad without contact details, and without the token that
     * is needed for them. Rejects with AD_NOT_FOUND.
     */
    adForPage: (id: string): Promise<CachedResponse> =>
      cache.get(`ad ${id}`, async (): Promise<ResponseOf<'getAd'>> => {
        const found = await ads.find(id, null);
        if (!found) throw new DomainError('AD_NOT_FOUND');
        return { success: true, message: AD_FOUND, data: createVisitorView(found) };
      }),
    counts: ({ search, query }: CacheableQuery<QueryOf<'countAds'>>): Promise<CachedResponse> =>
      cache.get(
        `counts ${search}`,
        async (): Promise<ResponseOf<'countAds'>> => ({
          success: true,
          message: 'Ads counted',
          data: await ads.readCounts(toFilterQuery(query())),
        }),
      ),
    stop,
  };
}
