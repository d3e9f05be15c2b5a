import { TAB_KEYS } from '@alpenglow/ui';

/** The maximum number of stored scroll positions. The oldest ones are deleted first. */
export const POSITIONS_MAX = 50;

/**
 * Creates a store for the scroll position of each entry in the tab's history. `storage` is null if the browser denies
 * access to it. In this case, the positions are lost when the page is unloaded.
 */
export function createScrollPositions(storage: Pick<Storage, 'getItem' | 'setItem'> | null) {
  const places = read(storage);
  return {
    /** Returns the stored scroll position of a history entry in CSS pixels. Returns null if no position is stored. */
    get: (entry: string) => places.get(entry) ?? null,
    /** Stores the scroll position `top` of a history entry in CSS pixels. */
    set(entry: string, top: number): void {
      // A `Map` keeps insertion order, so the latest entry moves to the end.
      places.delete(entry);
      places.set(entry, Math.round(top));
      for (const oldest of places.keys()) {
        if (places.size <= POSITIONS_MAX) break;
        places.delete(oldest);
      }
    },
    /** Writes the positions to the storage, so that they are available after a reload. */
    save(): void {
      try {
        storage?.setItem(TAB_KEYS.scroll, JSON.stringify([...places]));
      } catch {
        // The storage is full or denied. The positions are lost when the page is unloaded.
      }
    },
  };
}

function read(storage: Pick<Storage, 'getItem'> | null): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(TAB_KEYS.scroll) ?? '[]');
    const isPlace = (entry: unknown): entry is [string, number] =>
      Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number';
    return new Map(Array.isArray(stored) ? stored.filter(isPlace) : []);
  } catch {
    return new Map();
  }
}
