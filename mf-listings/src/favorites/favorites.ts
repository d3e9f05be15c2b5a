/** Ad ids a visitor has kept, in this browser only (specification, section 3, "Favorites"). */
export interface Favorites {
  readonly all: () => readonly string[];
  readonly toggle: (adId: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

const NONE: readonly string[] = [];

/** `favorites:<e-mail, lower-cased>`, or the guests' bucket. */
export function bucketOf(email: string | null): string {
  return `favorites:${email?.trim().toLowerCase() || 'guest'}`;
}

/** The favorites of one bucket. Newest first. Damaged storage counts as empty. */
export function createFavorites(storage: Pick<Storage, 'getItem' | 'setItem'>, bucket: string): Favorites {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let lastIds = NONE;

  // The same text gives the same list, as `useSyncExternalStore` needs it.
  const all = () => {
    const text = read(storage, bucket);
    if (text !== lastText) {
      lastText = text;
      lastIds = parse(text);
    }
    return lastIds;
  };

  return {
    all,
    toggle(adId) {
      const before = all();
      const after = before.includes(adId) ? before.filter((id) => id !== adId) : [adId, ...before];
      storage.setItem(bucket, JSON.stringify(after));
      listeners.forEach((listener) => listener());
    },
    subscribe(listener) {
      listeners.add(listener);
      // Another tab has changed it.
      const onStorage = (event: StorageEvent) => event.key === bucket && listener();
      globalThis.addEventListener?.('storage', onStorage);
      return () => {
        listeners.delete(listener);
        globalThis.removeEventListener?.('storage', onStorage);
      };
    },
  };
}

function read(storage: Pick<Storage, 'getItem'>, bucket: string): string | null {
  try {
    return storage.getItem(bucket);
  } catch {
    return null;
  }
}

function parse(text: string | null): readonly string[] {
  if (text === null) return NONE;
  try {
    const ids: unknown = JSON.parse(text);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : NONE;
  } catch {
    return NONE;
  }
}
