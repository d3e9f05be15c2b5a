import { tabStorage } from '@alpenglow/ui';

/** How many ads each list of this tab's history showed, so that a reload finds its place again. */
export interface ShownCounts {
  /** 0 where nothing is known. */
  readonly of: (entry: string) => number;
  readonly keep: (entry: string, count: number) => void;
}

const KEY = 'shown-ads';
/** The history entries of one tab that are worth remembering; the oldest go first. */
const ENTRIES_MAX = 50;

/** Keeps the counts in the storage of the tab. Damaged storage, or none, counts as empty. */
export function createShownCounts(storage: Pick<Storage, 'getItem' | 'setItem'> | null): ShownCounts {
  const read = (): readonly (readonly [string, number])[] => {
    try {
      const entries: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]');
      return Array.isArray(entries) ? entries.filter(isEntry) : [];
    } catch {
      return [];
    }
  };
  return {
    of: (entry) => read().find(([name]) => name === entry)?.[1] ?? 0,
    keep(entry, count) {
      const others = read().filter(([name]) => name !== entry);
      try {
        storage?.setItem(KEY, JSON.stringify([...others, [entry, count]].slice(-ENTRIES_MAX)));
      } catch {
        // A full or forbidden storage costs only the place after a reload.
      }
    },
  };
}

function isEntry(entry: unknown): entry is readonly [string, number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Number.isInteger(entry[1]);
}

/** The counts of this tab. */
export const shownCounts = createShownCounts(tabStorage());
