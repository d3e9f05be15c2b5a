import {
  DomainError,
  hideContactDetails,
  type AdCountsResponse,
  type AdListResponse,
  type AdResponse,
  type AdCard,
  type PageResponse,
} from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import { createVisitorView, type AdReader } from './ad-reader.ts';
import { createListCache, type CachedResponse } from './response-cache.ts';
import { parseListQuery, parseNearbyQuery, parsePlaceQuery, type ListQuery } from './list-query.ts';
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

  async function readList(listQuery: ListQuery): Promise<AdListResponse> {
    const page = await ads.list(listQuery);
    const { cards, nextCursor, total } = page;
    const found = listQuery.q === null ? null : await ads.readMatches(page);
    return { success: true, data: cards, nextCursor, total, search: found };
  }

  return {
    list: ({ search, query }: CacheableQuery, only?: Partial<ListQuery>): Promise<CachedResponse> =>
      cache.get(`list ${only ? JSON.stringify(only) : ''} ${search}`, () =>
        readList({ ...parseListQuery(query()), ...only }),
      ),
    /**
     * `GET /ads` for the first HTML of a page: returns the list without phone numbers and addresses in the names and
     * titles of ads.
     */
    listForPage: ({ search, query }: CacheableQuery): Promise<CachedResponse> =>
      cache.get(`page ${search}`, async (): Promise<PageResponse<AdListResponse>> => {
        const list = await readList(parseListQuery(query()));
        const { cards: data, hasHiddenContacts } = hideContactDetailsIn(list.data);
        return { ...list, data, hasHiddenContacts };
      }),
    nearby: ({ search, query }: CacheableQuery): Promise<CachedResponse> =>
      cache.get(`nearby ${search}`, async (): Promise<AdListResponse> => {
        const cards = await ads.listNearby(parseNearbyQuery(query()));
        return { success: true, data: cards, nextCursor: null, total: null, search: null };
      }),
    /**
     * `GET /ads/{id}` for the first HTML of a page: returns the ad without contact details, without the token that is
     * needed for them, and without phone numbers and addresses in its texts. Rejects with AD_NOT_FOUND.
     */
    adForPage: (id: string): Promise<CachedResponse> =>
      cache.get(`ad ${id}`, async (): Promise<AdResponse> => {
        const found = await ads.find(id, null);
        if (!found) throw new DomainError('AD_NOT_FOUND');
        const view = createVisitorView(found);
        const texts = {
          name: hideContactDetails(view.name),
          title: hideContactDetails(view.title),
          description: hideContactDetails(view.description),
          body: view.body && hideContactDetails(view.body),
        };
        const reviews = view.reviews.map((review) => ({
          ...review,
          name: hideContactDetails(review.name),
          comment: hideContactDetails(review.comment),
        }));
        // The button for the contact details loads the complete texts, too.
        const isChanged = Object.entries(texts).some(([name, text]) => text !== view[name as keyof typeof texts]);
        return { success: true, data: { ...view, ...texts, reviews, hasContact: view.hasContact || isChanged } };
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

/** Returns the cards without phone numbers, e-mail and web addresses in their names and titles. */
export function hideContactDetailsIn(cards: readonly AdCard[]): {
  readonly cards: AdCard[];
  readonly hasHiddenContacts: boolean;
} {
  const changed = cards.map((card) => ({
    ...card,
    name: hideContactDetails(card.name),
    title: hideContactDetails(card.title),
  }));
  const hasHiddenContacts = changed.some(
    ({ name, title }, index) => name !== cards[index]?.name || title !== cards[index]?.title,
  );
  return { cards: changed, hasHiddenContacts };
}
