import {
  AD_ID_PATTERN,
  AD_SORTS,
  CATEGORIES,
  findCity,
  PRICE_AMOUNT_MAX,
  slugify,
  findState,
  STATES,
  type AdSort,
  type Category,
} from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import {
  NOT_SINGLE,
  choice,
  createCursorError,
  createFieldError,
  filterUpTo,
  flag,
  listLimit,
  wordsUpTo,
} from '../query-fields.ts';
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

export const details = choice('details', ['true', 'false']);
const price = (name: string) =>
  z.optional(z.string(NOT_SINGLE).check(z.trim(), z.regex(/^[0-9]{0,10}$/u, `${name} must be a whole number`)));

const placeFields = { state: filterUpTo(40), city: filterUpTo(80), category: choice('category', CATEGORIES) };

const filterFields = {
  ...placeFields,
  q: wordsUpTo(100),
  minPrice: price('minPrice'),
  maxPrice: price('maxPrice'),
  photo: flag('photo'),
  verified: flag('verified'),
  online: flag('online'),
};
const filterQuery = z.object(filterFields);

const query = z.object({
  ...filterFields,
  sort: choice('sort', AD_SORTS),
  cursor: filterUpTo(200),
  limit: listLimit,
  details,
});

/**
 * Parses the query string of `GET /ads`. A state may be a code or a name, and a city may be a name or a slug.
 * Throws INVALID_FIELDS.
 */
export function parseListQuery(input: unknown): ListQuery {
  const fields = parseInput(query, input);
  const sort = fields.sort || 'bumped';
  return {
    ...parseFilter(fields),
    sort,
    cursor: fields.cursor ? decodeCursor(fields.cursor, sort) : null,
    limit: fields.limit,
    details: fields.details !== 'false',
  };
}

function parseFilter(fields: z.output<typeof filterQuery>): AdFilterQuery {
  const minPrice = parseAmount(fields.minPrice);
  const maxPrice = parseAmount(fields.maxPrice);
  if (minPrice !== null && maxPrice !== null && minPrice > maxPrice)
    throw createFieldError('maxPrice', 'maxPrice must not be less than minPrice');
  return {
    ...parsePlace(fields),
    q: fields.q || null,
    minPrice,
    maxPrice,
    photo: isSet(fields.photo),
    verified: isSet(fields.verified),
    online: isSet(fields.online),
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

const nearbyQuery = z.object({ state: placeFields.state, city: placeFields.city, limit: listLimit, details });

/** Parses the query string of `GET /ads/nearby`. Without a city, the center is the largest city of the state. */
export function parseNearbyQuery(input: unknown): NearbyQuery {
  const { limit, state: requestedState, city, details: requestedDetails } = parseInput(nearbyQuery, input);
  const page = { limit, details: requestedDetails !== 'false' };
  const { state } = parsePlace({ state: requestedState, city });
  const found = city ? findCity(city, state ?? undefined) : null;
  if (found) return { center: { state: found.state.code, city: found.city }, ...page };
  const largest = state === null ? undefined : findState(state)?.cities[0];
  return { center: state !== null && largest !== undefined ? { state, city: largest } : null, ...page };
}

/** Parses the query string of `GET /ads/counts`. Throws INVALID_FIELDS. */
export function parseCountQuery(input: unknown): AdFilterQuery {
  return parseFilter(parseInput(filterQuery, input));
}

function parsePlace(fields: Pick<Partial<z.output<typeof filterQuery>>, keyof typeof placeFields>): PlaceQuery {
  const requestedState = fields.state ? stateCode(fields.state) : null;
  const { state, citySlug } = fields.city
    ? findCityPlace(fields.city, requestedState)
    : { state: requestedState, citySlug: null };
  return { state, citySlug, category: fields.category || null };
}

function stateCode(text: string): string {
  const state = findState(text) ?? STATES.find(({ name }) => slugify(name) === slugify(text));
  if (!state) throw createFieldError('state', 'There are no listings in this state yet');
  return state.code;
}

/**
 * Finds a city by its name, its slug or a usual short name (R-17.30). The returned state is null if several states have
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

function isSet(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}

/**
 * Parses a price limit. The result is always less than the largest possible price, because ads without a price are
 * sorted by that price.
 */
function parseAmount(text: string | undefined): number | null {
  return text ? Math.min(PRICE_AMOUNT_MAX - 1, Number(text)) : null;
}

/**
 * Creates a page cursor for a URL. The cursor contains the name of the sort order, because it is valid only for this
 * sort order.
 */
export function encodeCursor(sort: AdSort, { value, adId, rank }: Cursor): string {
  return Buffer.from(`${sort} ${value} ${adId}${rank === null ? '' : ` ${formatRank(rank)}`}`).toString('base64url');
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

/** Matches a time in ISO 8601 format. The year is limited to values that both Postgres and JavaScript support. */
const TIME = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const AMOUNT = /^-?\d{1,10}$/u;

function decodeCursor(text: string, sort: AdSort): Cursor {
  const [of, value, adId, rankText, ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  const rank = rankText === undefined ? null : parseRank(rankText);
  const isValid =
    value !== undefined &&
    adId !== undefined &&
    (rankText === undefined || (sort === 'bumped' && rank !== null)) &&
    rest.length === 0 &&
    AD_ID_PATTERN.test(adId) &&
    isValidValue(ORDERS[sort].type, value);
  if (of !== sort || !isValid) throw createCursorError();
  return { value, adId, rank };
}

function isValidValue(type: 'timestamptz' | 'integer', value: string): boolean {
  if (type === 'timestamptz') return TIME.test(value) && new Date(value).toJSON() === value;
  return AMOUNT.test(value) && Math.abs(Number(value)) <= PRICE_AMOUNT_MAX;
}
