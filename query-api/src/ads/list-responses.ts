import type { AdCountsResponse, AdListResponse } from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import type { AdReader } from './ad-reader.ts';
import { createListCache, type CachedResponse } from './response-cache.ts';
import { parseListQuery, parseNearbyQuery, parsePlaceQuery, type ListQuery } from './list-query.ts';
import { AD_VIEWS_NAME } from './view-counter.ts';

/**
 * The read models from which lists of ads are created. A change in one of these read models invalidates the cached
 * responses.
 */
const LIST_READ_MODELS = new Set(['ad_cards', 'media_items', 'moderation_cases', 'accounts', AD_VIEWS_NAME, 'all']);

/** The query string of a request. `query` parses the string and is called only if no cached response exists. */
export interface CacheableQuery {
  /** The unparsed query string without `?`. */
  readonly search: string;
  readonly query: () => unknown;
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
  return {
    list: ({ search, query }: CacheableQuery, only?: Partial<ListQuery>): Promise<CachedResponse> =>
      cache.get(`list ${only ? JSON.stringify(only) : ''} ${search}`, async (): Promise<AdListResponse> => {
        const listQuery = { ...parseListQuery(query()), ...only };
        const page = await ads.list(listQuery);
        const { cards, nextCursor, total } = page;
        const found = listQuery.q === null ? null : await ads.readMatches(page);
        return { success: true, data: cards, nextCursor, total, search: found };
      }),
    nearby: ({ search, query }: CacheableQuery): Promise<CachedResponse> =>
      cache.get(`nearby ${search}`, async (): Promise<AdListResponse> => {
        const cards = await ads.listNearby(parseNearbyQuery(query()));
        return { success: true, data: cards, nextCursor: null, total: null, search: null };
      }),
    counts: ({ search, query }: CacheableQuery): Promise<CachedResponse> =>
      cache.get(
        `counts ${search}`,
        async (): Promise<AdCountsResponse> => ({
          success: true,
          data: await ads.readCounts(parsePlaceQuery(query())),
        }),
      ),
    stop,
  };
}
