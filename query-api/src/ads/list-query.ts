import { AD_ID, CATEGORIES, DomainError, findCity, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, slugOf, stateOf, STATES } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';

/** What `GET /ads` was asked for, in the spelling of our data. */
export interface ListQuery {
  readonly state: string | null;
  readonly citySlug: string | null;
  readonly category: string | null;
  readonly q: string | null;
  readonly sort: 'bumped' | 'newest';
  readonly cursor: Cursor | null;
  readonly limit: number;
}

/** The last ad of the page before: time it is sorted by, and its id. */
export interface Cursor {
  readonly at: string;
  readonly adId: string;
}

const BAD_LIMIT = `limit must be a whole number from 1 to ${LIST_LIMIT_MAX}`;
const one = (max: number) => z.optional(z.string('A filter may be given once').check(z.trim(), z.maxLength(max, 'This filter is too long')));

const query = z.object({
  state: one(40),
  city: one(80),
  category: z.optional(z.union([z.literal(''), z.enum(CATEGORIES)], `category must be one of ${CATEGORIES.join(', ')}`)),
  q: z.optional(z.string('A filter may be given once').check(z.trim(), z.maxLength(100, 'This filter is too long'), z.regex(/^\P{Cc}*$/u, 'The search has characters that cannot be searched for'))),
  sort: z.optional(z.union([z.literal(''), z.enum(['bumped', 'newest'])], 'sort must be bumped or newest')),
  cursor: one(200),
  limit: z.optional(z.string(BAD_LIMIT).check(z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT), z.refine((text) => Number(text) >= 1 && Number(text) <= LIST_LIMIT_MAX, BAD_LIMIT))),
});

/** Reads the query string of `GET /ads`. A state may be a code or a name, a city a name or a slug. Throws INVALID_FIELDS. */
export function parseListQuery(input: unknown): ListQuery {
  const given = parseInput(query, input);
  const state = given.state ? stateCode(given.state) : null;
  return {
    state,
    citySlug: given.city ? citySlug(given.city, state) : null,
    category: given.category || null,
    q: given.q || null,
    sort: given.sort || 'bumped',
    cursor: given.cursor ? decodeCursor(given.cursor) : null,
    limit: given.limit === undefined ? LIST_LIMIT_DEFAULT : Number(given.limit),
  };
}

function stateCode(text: string): string {
  const state = stateOf(text) ?? STATES.find((one) => slugOf(one.name) === slugOf(text));
  if (!state) throw invalid('state', 'There are no listings in this state yet');
  return state.code;
}

function citySlug(text: string, state: string | null): string {
  const place = findCity(text, state ?? undefined);
  if (!place) throw invalid('city', 'There are no listings in this city yet');
  return slugOf(place.city);
}

export function encodeCursor({ at, adId }: Cursor): string {
  return Buffer.from(`${at} ${adId}`).toString('base64url');
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

function decodeCursor(text: string): Cursor {
  const [at, adId, ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  if (at === undefined || adId === undefined || rest.length > 0 || !TIME.test(at) || Number.isNaN(Date.parse(at)) || !AD_ID.test(adId)) {
    throw invalid('cursor', 'This cursor is not one of ours');
  }
  return { at: new Date(at).toISOString(), adId };
}

function invalid(field: string, reason: string): DomainError {
  return new DomainError('INVALID_FIELDS', { reason }, null, { [field]: reason });
}
