/** How far down each entry of the tab's history was read. */
export interface ScrollPlaces {
  /** Null for an entry nobody has scrolled. */
  get(entry: string): number | null;
  /** `top` in CSS pixels. */
  set(entry: string, top: number): void;
  /** Writes down what was set, so that it survives a reload. */
  keep(): void;
}

const KEY = 'alpenglow.scroll';
/** Entries further back are forgotten, the oldest first. */
export const PLACES_MAX = 50;

/** Null where the browser refuses storage: then places last as long as the page. */
export function createScrollPlaces(storage: Pick<Storage, 'getItem' | 'setItem'> | null): ScrollPlaces {
  const places = read(storage);
  return {
    get: (entry) => places.get(entry) ?? null,
    set(entry, top) {
      // A map keeps the order of insertion: what was set last goes last.
      places.delete(entry);
      places.set(entry, Math.round(top));
      for (const oldest of places.keys()) {
        if (places.size <= PLACES_MAX) break;
        places.delete(oldest);
      }
    },
    keep() {
      try {
        storage?.setItem(KEY, JSON.stringify([...places]));
      } catch {
        // Full or refused: the places last as long as the page.
      }
    },
  };
}

function read(storage: Pick<Storage, 'getItem'> | null): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]');
    const isPlace = (one: unknown): one is [string, number] =>
      Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number';
    return new Map(Array.isArray(stored) ? stored.filter(isPlace) : []);
  } catch {
    return new Map();
  }
}
