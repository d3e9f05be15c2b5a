import { AD_ID_PATTERN, findCity, slugify, findState, STATES, type AdSort, type Category } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import { createCursorError, createFieldError, decodeCursor, encodeCursor } from '../paging.ts';
import { ORDERS, type Cursor, type Rank } from './orders.ts';

/** The requested place and category, in the spelling of the stored data. A field that is null accepts all values. */
export interface PlaceQuery {
  readonly state: string | null;
  readonly citySlug: string | null;
  readonly category: Category | null;
}

export const ANY_PLACE: PlaceQuery = { state: null, citySlug: null, category: null };

/** The filters of `GET /ads` and `GET /ads/counts`. */
export interface AdFilterQuery extends PlaceQuery {
  readonly q: string | null;
  readonly minPrice: number | null;
  readonly maxPrice: number | null;
  /**
   * True to list only ads with uploaded photos. The flags `verified`, `online` and `featured` filter the ads in the
   * same way.
   */
  readonly photo: boolean;
  readonly verified: boolean;
  readonly online: boolean;
  readonly featured: boolean;
}

/** The query parameters of `GET /ads`. */
export interface ListQuery extends AdFilterQuery {
  readonly sort: AdSort;
  readonly cursor: Cursor | null;
  readonly limit: number;
  /** False to list the ads without their long texts. */
  readonly details: boolean;
}

/**
 * Returns the requested page of a list of ads. A state may be a code or a name, and a city may be a name or a slug.
 * Throws INVALID_FIELDS.
 */
export function toListQuery({ sort, cursor, limit, details, ...filter }: QueryOf<'listAds'>): ListQuery {
  return {
    ...toFilterQuery(filter),
    sort,
    cursor: cursor === null ? null : decodeAdCursor(cursor, sort),
    limit,
    details,
  };
}

/** Returns the requested filters of ads. Throws INVALID_FIELDS. */
export function toFilterQuery(fields: QueryOf<'countAds'>): AdFilterQuery {
  const { q, minPrice, maxPrice, photo, verified, online } = fields;
  if (minPrice !== null && maxPrice !== null && minPrice > maxPrice)
    throw createFieldError('maxPrice', 'maxPrice must not be less than minPrice');
  return {
    ...parsePlace(fields),
    q,
    minPrice,
    maxPrice,
    photo: photo === true,
    verified: verified === true,
    online: online === true,
    featured: false,
  };
}

/** The query parameters of `GET /ads/nearby`. `center` is null if no place was requested. */
export interface NearbyQuery {
  readonly center: { readonly state: string; readonly city: string } | null;
  readonly limit: number;
  /** False to list the ads without their long texts. */
  readonly details: boolean;
}

/** Returns the requested center. Without a city, it is the largest city of the state. Throws INVALID_FIELDS. */
export function toNearbyQuery({ state: given, city, ...page }: QueryOf<'listNearbyAds'>): NearbyQuery {
  const { state } = parsePlace({ state: given, city, category: null });
  const found = city === null ? null : findCity(city, state ?? undefined);
  if (found) return { center: { state: found.state.code, city: found.city }, ...page };
  const largest = state === null ? undefined : findState(state)?.cities[0];
  return { center: state !== null && largest !== undefined ? { state, city: largest } : null, ...page };
}

function parsePlace(given: Pick<QueryOf<'countAds'>, 'state' | 'city' | 'category'>): PlaceQuery {
  const requestedState = given.state === null ? null : stateCode(given.state);
  const { state, citySlug } =
    given.city === null ? { state: requestedState, citySlug: null } : findCityPlace(given.city, requestedState);
  return { state, citySlug, category: given.category };
}

function stateCode(text: string): string {
  const state = findState(text) ?? STATES.find(({ name }) => slugify(name) === slugify(text));
  if (!state) throw createFieldError('state', 'There are no listings in this state yet');
  return state.code;
}

/**
 * Finds a city by its name, its slug or a usual short name. The returned state is null if several states have
 * a city with this name and no state was requested.
 */
function findCityPlace(
  text: string,
  state: string | null,
): { readonly state: string | null; readonly citySlug: string } {
  const [found, ...others] = STATES.flatMap(({ code }) =>
    state === null || code === state ? (findCity(text, code) ?? []) : [],
  );
  if (!found) throw createFieldError('city', 'There are no listings in this city yet');
  return { state: others.length === 0 ? found.state.code : null, citySlug: slugify(found.city) };
}

/**
 * Creates a page cursor for a URL. The cursor contains the name of the sort order, because it is valid only for this
 * sort order.
 */
export function encodeAdCursor(sort: AdSort, { value, adId, rank }: Cursor): string {
  return encodeCursor(sort, value, adId, ...(rank === null ? [] : [formatRank(rank)]));
}

/** The last part of a cursor of a search by relevance, for ads by their last bump. */
const RECENT_PARTS = { titles: '1', rest: '0' } as const;
/** The beginning of the last part, for ads by their score. */
const SCORED_PARTS = { all: 'a', titles: 't' } as const;
/** Matches the last part for ads by their score: the score, then the weights of the search terms. */
const SCORED_RANK = /^(?<part>[at])(?<score>\d{1,8})(?<weights>(?:\.[1-9]\d{0,3}){1,8})$/u;

function formatRank(rank: Rank): string {
  if (rank.kind === 'recent') return RECENT_PARTS[rank.part];
  return `${SCORED_PARTS[rank.part]}${rank.score}.${rank.weights.join('.')}`;
}

function parseRank(text: string): Rank | null {
  if (text === RECENT_PARTS.titles) return { kind: 'recent', part: 'titles' };
  if (text === RECENT_PARTS.rest) return { kind: 'recent', part: 'rest' };
  const { part, score, weights } = SCORED_RANK.exec(text)?.groups ?? {};
  if (weights === undefined) return null;
  return {
    kind: 'scored',
    part: part === SCORED_PARTS.all ? 'all' : 'titles',
    score: Number(score),
    weights: weights.slice(1).split('.').map(Number),
  };
}

const PARTS = /^(?<list>[a-z_]+) (?<key>\S+) (?<adId>\S+)(?: (?<rankText>\S+))?$/u;

function decodeAdCursor(text: string, sort: AdSort): Cursor {
  const parts = decodeCursor<'adId', 'rankText'>(text, PARTS, { list: sort, type: ORDERS[sort].type });
  const { key: value, adId, rankText } = parts;
  const rank = rankText === undefined ? null : parseRank(rankText);
  if (!AD_ID_PATTERN.test(adId) || (rankText !== undefined && (sort !== 'bumped' || rank === null)))
    throw createCursorError();
  return { value, adId, rank };
}
