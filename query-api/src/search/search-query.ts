import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';

/** What `GET /search` was asked for. */
export interface SearchQuery {
  /** Empty where nothing is searched for. */
  readonly q: string;
  /** How many of each kind. */
  readonly limit: number;
}

const LIMIT = { default: 5, max: 20 } as const;

const ONCE = 'A filter may be given once';
const BAD_LIMIT = `limit must be a whole number from 1 to ${LIMIT.max}`;
const query = z.object({
  q: z.optional(
    z
      .string(ONCE)
      .check(
        z.trim(),
        z.maxLength(100, 'This filter is too long'),
        z.regex(/^\P{Cc}*$/u, 'The search has characters that cannot be searched for'),
      ),
  ),
  limit: z.optional(
    z.string(BAD_LIMIT).check(
      z.regex(/^[0-9]{1,3}$/u, BAD_LIMIT),
      z.refine((text) => Number(text) >= 1 && Number(text) <= LIMIT.max, BAD_LIMIT),
    ),
  ),
});

/** Reads the query string of `GET /search`. Throws INVALID_FIELDS. */
export function parseSearchQuery(input: unknown): SearchQuery {
  const { q, limit } = parseInput(query, input);
  return { q: q ?? '', limit: limit === undefined ? LIMIT.default : Number(limit) };
}
