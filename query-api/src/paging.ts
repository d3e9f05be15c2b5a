import { DomainError } from '@alpenglow/domain';

/**
 * Pages of lists. A cursor contains the sort key and the id of the last row of a page. The next page starts after this
 * row.
 */

/** A sort order of a list. `by` is the SQL expression of the sort key. Rows with equal sort keys are sorted by id. */
export interface Order {
  readonly by: string;
  readonly type: KeyType;
  readonly direction: 'asc' | 'desc';
}

/** The sort key and the id of the last row of a page. The sort key is a time in ISO 8601 format, a number or a text. */
export interface RowPosition {
  readonly key: string;
  readonly id: string;
}

/** The requested page of a list that is sorted by time and then by id. */
export interface PageQuery {
  readonly after: RowPosition | null;
  readonly limit: number;
}

type KeyType = 'timestamptz' | 'integer' | 'float8' | 'text';

/** The year of a time is limited to values that both Postgres and JavaScript support. */
const TIME = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const INTEGER_MAX = 2 ** 31 - 1;
const IS_KEY: Readonly<Record<KeyType, (text: string) => boolean>> = {
  timestamptz: (text) => TIME.test(text) && new Date(text).toJSON() === text,
  integer: (text) => /^-?\d{1,10}$/u.test(text) && Math.abs(Number(text)) <= INTEGER_MAX,
  float8: (text) => /^-?\d{1,9}(?:\.\d{1,20})?(?:e-\d{1,2})?$/u.test(text),
  text: (text) => /^[^\u0000\p{Cs}]*$/u.test(text),
};

/** Creates a page cursor for a URL. Only the last part may contain spaces. */
export function encodeCursor(...parts: readonly (string | number)[]): string {
  return Buffer.from(parts.join(' ')).toString('base64url');
}

/**
 * Returns the parts of a page cursor: the groups of `pattern`, one of which is the sort key `key` of the given type. If
 * `list` is given, the cursor is valid only for this list, and its group `list` has this value. Throws INVALID_FIELDS.
 */
export function decodeCursor<Part extends string = never, OptionalPart extends string = never>(
  cursor: string,
  pattern: RegExp,
  { type, list }: { readonly type: KeyType; readonly list?: string },
): Readonly<Record<Part | 'key', string> & Partial<Record<OptionalPart, string>>> {
  const parts = pattern.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups;
  if (!parts || parts['list'] !== list || !IS_KEY[type](parts['key'] ?? ''))
    throw list === undefined ? createFieldError('cursor', 'This cursor is invalid') : createCursorError();
  return parts as ReturnType<typeof decodeCursor<Part, OptionalPart>>;
}

const PLACE_IN_TIME = /^(?<key>\S+) (?<id>[\w-]{1,120})$/u;

/** Returns the requested page of a list that is sorted by time. Throws INVALID_FIELDS. */
export function toPageQuery({ cursor, limit }: { readonly cursor: string | null; readonly limit: number }): PageQuery {
  return { after: cursor === null ? null : decodeCursor<'id'>(cursor, PLACE_IN_TIME, { type: 'timestamptz' }), limit };
}

/**
 * Returns the first `limit` rows as a page, and the cursor of the next page. `rows` must contain one additional row if
 * a next page exists.
 */
export function cutPage<Row extends object>(
  rows: readonly Row[],
  limit: number,
  createCursor: (last: Row) => string,
): { readonly rows: readonly Row[]; readonly nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last ? createCursor(last) : null };
}

/** Returns a page of a list that is sorted by time, see `cutPage`. */
export function createPage<Row extends object>(
  rows: readonly Row[],
  limit: number,
  placeAt: (row: Row) => readonly [at: Date, id: string],
) {
  return cutPage(rows, limit, (last) => {
    const [at, id] = placeAt(last);
    return encodeCursor(at.toISOString(), id);
  });
}

/**
 * Returns an SQL condition for the rows after a position. `key` and `id` are SQL expressions for the values of the
 * position, and `idColumn` is that of the row id.
 */
export function afterCondition({ by, type, direction }: Order, idColumn: string, key: string, id: string): string {
  return `(${by}, ${idColumn}) ${direction === 'asc' ? '>' : '<'} (${key}::${type}, ${id})`;
}

/** Returns the SQL `order by` expressions of a list. */
export function orderBy({ by, direction }: Order, idColumn: string): string {
  return `${by} ${direction}, ${idColumn} ${direction}`;
}

/** Returns the error for an invalid query parameter. */
export function createFieldError(field: string, reason: string): DomainError {
  return new DomainError('INVALID_FIELDS', { reason }, null, { [field]: reason });
}

/** Creates the error for a page cursor that does not belong to the requested list. */
export function createCursorError(): DomainError {
  return createFieldError('cursor', 'This cursor belongs to a different list');
}
