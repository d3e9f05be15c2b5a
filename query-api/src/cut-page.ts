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
