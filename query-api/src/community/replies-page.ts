import { decodeCursor, encodeCursor } from '../paging.ts';

/**
 * The requested page of replies to a thread. The page starts at the reply `number`, ends before this reply, or contains
 * this reply.
 */
export interface RepliesRequest {
  readonly kind: 'from' | 'before' | 'with';
  /** The number of the reply. The value Infinity stands for the last reply. */
  readonly number: number;
}

/**
 * Returns the range of replies on a page and the cursors of the adjacent pages. The replies of a thread are numbered
 * from 1 to `lastNumber` without gaps. Consecutive pages contain every reply exactly once, even if replies are posted
 * between the requests. The page is empty if `last` is less than `first`.
 */
export function createRepliesPage(
  requested: RepliesRequest | null,
  limit: number,
  { code, lastNumber }: { readonly code: string; readonly lastNumber: number },
) {
  const [first, end] = numberRange(requested, limit, lastNumber);
  const last = Math.min(end, lastNumber);
  return {
    first,
    last,
    nextCursor: last < lastNumber ? encodeRepliesCursor(code, { kind: 'from', number: last + 1 }) : null,
    previousCursor:
      first > 1 ? encodeRepliesCursor(code, { kind: 'before', number: Math.min(first, lastNumber + 1) }) : null,
  };
}

function numberRange(
  requested: RepliesRequest | null,
  limit: number,
  lastNumber: number,
): readonly [first: number, end: number] {
  switch (requested?.kind) {
    case undefined:
      return [1, limit];
    case 'from':
      return [requested.number, requested.number + limit - 1];
    case 'before':
      return [Math.max(1, requested.number - limit), requested.number - 1];
    case 'with': {
      const number = Math.max(1, Math.min(requested.number, lastNumber));
      const first = number - ((number - 1) % limit);
      return [first, first + limit - 1];
    }
  }
}

function encodeRepliesCursor(code: string, { kind, number }: RepliesRequest): string {
  return encodeCursor(code, kind, number);
}

const CURSOR = /^(?<list>[0-9a-z]{10}) (?<kind>from|before) (?<key>[1-9]\d{0,6})$/u;

/**
 * Decodes the cursor of a page of replies. Throws INVALID_FIELDS if the cursor belongs to a thread with another code.
 */
export function decodeRepliesCursor(text: string, code: string): RepliesRequest {
  const { kind, key } = decodeCursor<'kind'>(text, CURSOR, { list: code, type: 'integer' });
  return { kind: kind === 'before' ? 'before' : 'from', number: Number(key) };
}
