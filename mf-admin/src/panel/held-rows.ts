interface Identified {
  readonly id: string;
}

/** A row of a list whose order stays the same while a person uses the list. */
export interface HeldRow<Item> {
  readonly item: Item;
  /** True if the list no longer contains the item. */
  readonly isGone: boolean;
}

/** Returns the rows of a list that may change its order. */
export const toRows = <Item>(items: readonly Item[]): readonly HeldRow<Item>[] =>
  items.map((item) => ({ item, isGone: false }));

/**
 * Updates the rows of a list without moving any of them. Changed items are updated, and missing items are marked. New
 * items that follow the last known item are appended. Other new items wait until the order may change.
 */
export function holdRows<Item extends Identified>(
  rows: readonly HeldRow<Item>[],
  items: readonly Item[],
): readonly HeldRow<Item>[] {
  const latest = new Map(items.map((item) => [item.id, item]));
  const known = new Set(rows.map(({ item }) => item.id));
  const lastKnown = items.findLastIndex(({ id }) => known.has(id));
  return [
    ...rows.map((row) => {
      const item = latest.get(row.item.id);
      return item ? { item, isGone: false } : { item: row.item, isGone: true };
    }),
    ...toRows(items.slice(lastKnown + 1)),
  ];
}

/** Returns the number of items that have no row yet. */
export function countWaiting<Item extends Identified>(rows: readonly HeldRow<Item>[], items: readonly Item[]): number {
  const shown = new Set(rows.map(({ item }) => item.id));
  return items.filter(({ id }) => !shown.has(id)).length;
}
