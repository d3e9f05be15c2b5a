import { badCursor } from './thread-orders.ts';

/** Which replies are wanted: those from a number on, those before it, or the page that has it. */
export interface RepliesAsked {
  readonly kind: 'from' | 'before' | 'with';
  /** Infinity for the last one. */
  readonly number: number;
}

/** The replies of a page: numbers from `first` to `last`, none where `last` is less. */
export interface RepliesPage {
  readonly first: number;
  readonly last: number;
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
}

/**
 * The page of a thread whose replies are numbered from 1 to `lastNumber` without gaps. Pages that follow each other by their cursors have
 * every reply once, whatever is posted meanwhile.
 */
export function repliesPage(
  asked: RepliesAsked | null,
  limit: number,
  { code, lastNumber }: { readonly code: string; readonly lastNumber: number },
): RepliesPage {
  const [first, end] = stretch(asked, limit, lastNumber);
  const last = Math.min(end, lastNumber);
  return {
    first,
    last,
    nextCursor: last < lastNumber ? encodeRepliesCursor(code, { kind: 'from', number: last + 1 }) : null,
    previousCursor:
      first > 1 ? encodeRepliesCursor(code, { kind: 'before', number: Math.min(first, lastNumber + 1) }) : null,
  };
}

function stretch(asked: RepliesAsked | null, limit: number, lastNumber: number): readonly [first: number, end: number] {
  switch (asked?.kind) {
    case undefined:
      return [1, limit];
    case 'from':
      return [asked.number, asked.number + limit - 1];
    case 'before':
      return [Math.max(1, asked.number - limit), asked.number - 1];
    case 'with': {
      const number = Math.max(1, Math.min(asked.number, lastNumber));
      const first = number - ((number - 1) % limit);
      return [first, first + limit - 1];
    }
  }
}

function encodeRepliesCursor(code: string, { kind, number }: RepliesAsked): string {
  return Buffer.from(`${code} ${kind} ${number}`).toString('base64url');
}

const CURSOR = /^(?<of>[0-9a-z]{10}) (?<kind>from|before) (?<number>[1-9]\d{0,6})$/u;

/** Reads a cursor of the thread with this code. Throws INVALID_FIELDS. */
export function decodeRepliesCursor(text: string, code: string): RepliesAsked {
  const { of, kind, number } = CURSOR.exec(Buffer.from(text, 'base64url').toString('utf8'))?.groups ?? {};
  if (of !== code || number === undefined) throw badCursor();
  return { kind: kind === 'before' ? 'before' : 'from', number: Number(number) };
}
