import { parseStoredIds } from '@alpenglow/ui';

/** The ids of the favorite ads in the browser's storage, most recently added first. */
export type Favorites = ReturnType<typeof createFavorites>;

export type FavoritesStorage = Pick<Storage, 'getItem' | 'setItem'>;

/**
 * Creates the list of favorites that is stored under the key `bucket`. Invalid content is read as an empty list. The
 * functions that change the list throw if the browser denies writing.
 */
export function createFavorites(storage: FavoritesStorage, bucket: string) {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let lastIds: readonly string[] = [];

  // Returns the same array until the content changes, because `useSyncExternalStore` requires this.
  const all = () => {
    const text = readStoredText(storage, bucket);
    if (text !== lastText) {
      lastText = text;
      lastIds = parseStoredIds(text);
    }
    return lastIds;
  };
  const has = (adId: string) => all().includes(adId);
  const replace = (adIds: readonly string[]) => {
    const text = JSON.stringify(adIds);
    if (text === lastText) return;
    storage.setItem(bucket, text);
    listeners.forEach((listener) => listener());
  };
  const add = (adId: string) => {
    if (!has(adId)) replace([adId, ...all()]);
  };
  const remove = (adId: string) => {
    if (has(adId)) replace(all().filter((id) => id !== adId));
  };

  return {
    all,
    has,
    add,
    remove,
    toggle: (adId: string) => (has(adId) ? remove(adId) : add(adId)),
    replace,
    subscribe(listener: () => void) {
      listeners.add(listener);
      // Another tab has changed the storage. A null key means that the whole storage was cleared.
      const onStorage = ({ key }: StorageEvent) => (key === bucket || key === null) && listener();
      globalThis.addEventListener?.('storage', onStorage);
      return () => {
        listeners.delete(listener);
        globalThis.removeEventListener?.('storage', onStorage);
      };
    },
  };
}

/** Returns the stored text. Returns null if no text is stored or if the browser denies access to its storage. */
export function readStoredText(storage: Pick<Storage, 'getItem'>, key: string): string | null {
  try {
    return storage.getItem(key);
  } catch {
    return null;
  }
}
