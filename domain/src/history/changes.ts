/** One field that differs. A field of a field is named with a dot, an entry of a list by its id: `socialMedia.website`, `reviews.r1.rating`. */
export interface Change {
  readonly field: string;
  readonly before: Leaf;
  readonly after: Leaf;
}

export type Leaf = string | number | boolean | null | readonly string[];

/**
 * What differs between two plain values, field by field, in the order in which the fields stand. What is not there reads as null, so that
 * something new differs from nothing in all it has. Parts that are the same object are not looked into.
 */
export function changesBetween(before: unknown, after: unknown, field = ''): readonly Change[] {
  if (before === after) return [];
  const [old, now] = [partsOf(before), partsOf(after)];
  if (old === null && now === null)
    return sameLeaf(before, after) ? [] : [{ field, before: (before ?? null) as Leaf, after: (after ?? null) as Leaf }];
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].flatMap((name) =>
    changesBetween(old?.get(name), now?.get(name), field === '' ? name : `${field}.${name}`),
  );
}

/** The parts of a value by name; null of one that is compared as a whole. */
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
