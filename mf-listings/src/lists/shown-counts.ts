import { TAB_KEYS, tabStorage } from '@alpenglow/ui';

const ENTRIES_MAX = 50;

/**
 * Creates a store for the number of ads that each list in this tab has shown. After a reload, a list loads the same
 * number of ads again, so that the browser can restore the scroll position. Invalid storage is read as empty.
 */
export function createShownCountStore(storage: Pick<Storage, 'getItem' | 'setItem'> | null) {
  const read = (): readonly (readonly [string, number])[] => {
    try {
      const entries: unknown = JSON.parse(storage?.getItem(TAB_KEYS.shownAds) ?? '[]');
      return Array.isArray(entries) ? entries.filter(isEntry) : [];
    } catch {
      return [];
    }
  };
  return {
    /** Returns the stored number of ads. Returns 0 if it is unknown. */
    get: (entry: string) => read().find(([name]) => name === entry)?.[1] ?? 0,
    set(entry: string, count: number): void {
      const others = read().filter(([name]) => name !== entry);
      try {
        storage?.setItem(TAB_KEYS.shownAds, JSON.stringify([...others, [entry, count]].slice(-ENTRIES_MAX)));
      } catch {
        // The storage is full or denied, so a reload does not restore the scroll position.
      }
    },
  };
}

function isEntry(entry: unknown): entry is readonly [string, number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Number.isInteger(entry[1]);
}

/** The number of ads that each list in this tab showed. */
export const shownCounts = createShownCountStore(tabStorage());
