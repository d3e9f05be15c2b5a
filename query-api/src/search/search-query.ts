import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { limitUpTo, wordsUpTo } from '../query-fields.ts';

/** The query parameters of `GET /search`. */
export interface SearchQuery {
  /** The search text. An empty text finds nothing. */
  readonly q: string;
  /** The maximum number of results of each kind. */
  readonly limit: number;
}

const query = z.object({ q: wordsUpTo(100), limit: limitUpTo(20, 5) });

/** Parses the query string of `GET /search`. Throws INVALID_FIELDS. */
export function parseSearchQuery(input: unknown): SearchQuery {
  const { q, limit } = parseInput(query, input);
  return { q: q ?? '', limit };
}
