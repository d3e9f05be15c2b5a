/**
 * A changed field with its values before and after the change. The name of a nested field contains dots, e.g.
 * `socialMedia.website`. An entry of a list is named by its id, e.g. `r1` in `reviews.r1.rating`.
 */
export interface FieldChange {
  readonly field: string;
  readonly before: Leaf;
  readonly after: Leaf;
}

type Leaf = string | number | boolean | null | readonly string[];

/**
 * Returns the fields that differ between two plain values, in the order of the fields. A missing value counts as null.
 * If one value is null, the result contains every field of the other value. For speed, nested objects that are
 * identical (`===`) are skipped.
 */
export function findChanges(before: unknown, after: unknown, field = ''): readonly FieldChange[] {
  if (before === after) return [];
  const [old, now] = [partsOf(before), partsOf(after)];
  if (old === null && now === null)
    return sameLeaf(before, after) ? [] : [{ field, before: (before ?? null) as Leaf, after: (after ?? null) as Leaf }];
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].flatMap((name) =>
    findChanges(old?.get(name), now?.get(name), field === '' ? name : `${field}.${name}`),
  );
}

/**
 * Splits an object into its fields, or a list into its entries with ids. Returns null for any other value, because
 * other values are compared as a whole.
 */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  return value.some(hasId) ? new Map(value.filter(hasId).map(({ id, ...entry }) => [id, entry])) : null;
}

function hasId(entry: unknown): entry is { readonly id: string } {
  return typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string';
}

function sameLeaf(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
