import {
  AD_ID,
  CATEGORIES,
  DomainError,
  findCity,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  PRICE_AMOUNT_MAX,
  slugOf,
  stateOf,
  STATES,
  type Category,
} from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { ORDERS, SORTS, type Cursor, type Sort } from './orders.ts';

/** A place and a category, in the spelling of our data. */
export interface PlaceQuery {
  readonly state: string | null;
  readonly citySlug: string | null;
  readonly category: Category | null;
}

export const EVERYWHERE: PlaceQuery = { state: null, citySlug: null, category: null };

/** What `GET /ads` was asked for. */
export interface ListQuery extends PlaceQuery {
  readonly q: string | null;
  readonly minPrice: number | null;
  readonly maxPrice: number | null;
  /** Only ads with a photo of their own, of verified owners, of owners online. */
  readonly photo: boolean;
  readonly verified: boolean;
  readonly online: boolean;
  readonly featured: boolean;
  readonly sort: Sort;
  readonly cursor: Cursor | null;
  readonly limit: number;
}

const ONCE = 'A filter may be given once';
const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const one = (max: number) => z.optional(z.string(ONCE).check(z.trim(), z.maxLength(max, 'This filter is too long')));
const choice = <T extends string>(name: string, allowed: readonly T[]) =>
  z.optional(z.union([z.literal(''), z.enum(allowed)], `${name} must be one of ${allowed.join(', ')}`));
const flag = (name: string) =>
  z.optional(z.union([z.literal(''), z.enum(['true', '1', 'false', '0'])], `${name} must be true or 1`));
const price = (name: string) =>
  z.optional(z.string(ONCE).check(z.trim(), z.regex(/^[0-9]{0,10}$/u, `${name} must be a whole number`)));

const placeFields = { state: one(40), city: one(80), category: choice('category', CATEGORIES) };
const placeQuery = z.object(placeFields);

const query = z.object({
  ...placeFields,
  q: z.optional(
    z
      .string(ONCE)
      .check(
        z.trim(),
        z.maxLength(100, 'This filter is too long'),
        z.regex(/^\P{Cc}*$/u, 'The search has characters that cannot be searched for'),
      ),
  ),
  minPrice: price('minPrice'),
  maxPrice: price('maxPrice'),
  photo: flag('photo'),
  verified: flag('verified'),
  online: flag('online'),
  sort: choice('sort', SORTS),
  cursor: one(200),
  limit: z.optional(
    z.string(BAD_LIMIT).check(
      z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
      z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, BAD_LIMIT),
    ),
  ),
});

/** Reads the query string of `GET /ads`. A state may be a code or a name, a city a name or a slug. Throws INVALID_FIELDS. */
export function parseListQuery(input: unknown): ListQuery {
  const given = parseInput(query, input);
  const sort = given.sort || 'bumped';
  const minPrice = amount(given.minPrice);
  const maxPrice = amount(given.maxPrice);
  if (minPrice !== null && maxPrice !== null && minPrice > maxPrice)
    throw invalid('maxPrice', 'maxPrice must not be less than minPrice');
  return {
    ...placeOf(given),
    q: given.q || null,
    minPrice,
    maxPrice,
    photo: isSet(given.photo),
    verified: isSet(given.verified),
    online: isSet(given.online),
    featured: false,
    sort,
    cursor: given.cursor ? decodeCursor(given.cursor, sort) : null,
    limit: given.limit === undefined ? LIST_LIMIT_DEFAULT : Number(given.limit),
  };
}

/** Reads the query string of `GET /ads/counts`. Throws INVALID_FIELDS. */
export function parsePlaceQuery(input: unknown): PlaceQuery {
  return placeOf(parseInput(placeQuery, input));
}

function placeOf(given: z.output<typeof placeQuery>): PlaceQuery {
  const asked = given.state ? stateCode(given.state) : null;
  const { state, citySlug } = given.city ? cityIn(given.city, asked) : { state: asked, citySlug: null };
  return { state, citySlug, category: given.category || null };
}

function stateCode(text: string): string {
  const state = stateOf(text) ?? STATES.find((one) => slugOf(one.name) === slugOf(text));
  if (!state) throw invalid('state', 'There are no listings in this state yet');
  return state.code;
}

/** A city with its state; without one where no state was asked for and several have such a city. */
function cityIn(text: string, state: string | null): { readonly state: string | null; readonly citySlug: string } {
  const states = STATES.filter(({ code }) => (state === null || code === state) && findCity(text, code));
  if (states.length === 0) throw invalid('city', 'There are no listings in this city yet');
  return { state: states.length === 1 ? (states[0]?.code ?? null) : null, citySlug: slugOf(text) };
}

function isSet(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}

/** Less than the largest there is, which stands for no price. */
function amount(text: string | undefined): number | null {
  return text ? Math.min(PRICE_AMOUNT_MAX - 1, Number(text)) : null;
}

/** A cursor as it stands in an address. It says of what order it is: in another one it would name another place. */
export function encodeCursor(sort: Sort, { value, adId }: Cursor): string {
  return Buffer.from(`${sort} ${value} ${adId}`).toString('base64url');
}

/** Of a year that Postgres and JavaScript both can read. */
const TIME = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const AMOUNT = /^-?\d{1,10}$/u;

function decodeCursor(text: string, sort: Sort): Cursor {
  const [of, value, adId, ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  const isOurs =
    value !== undefined &&
    adId !== undefined &&
    rest.length === 0 &&
    AD_ID.test(adId) &&
    isValueOf(ORDERS[sort].type, value);
  if (of !== sort || !isOurs) throw invalid('cursor', 'This cursor is not one of this list');
  return { value, adId };
}

function isValueOf(type: 'timestamptz' | 'integer', value: string): boolean {
  if (type === 'timestamptz') return TIME.test(value) && new Date(value).toJSON() === value;
  return AMOUNT.test(value) && Math.abs(Number(value)) <= PRICE_AMOUNT_MAX;
}

function invalid(field: string, reason: string): DomainError {
  return new DomainError('INVALID_FIELDS', { reason }, null, { [field]: reason });
}
