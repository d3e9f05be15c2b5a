/** The methods of the browser's storage that this site uses. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const DENIED: BrowserStorage = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem() {
    throw new Error('The browser denies access to its storage');
  },
  removeItem: () => undefined,
};

/**
 * Returns the local storage of the browser. If the browser denies access, the returned storage is empty, and writing to
 * it throws.
 */
export function getBrowserStorage(
  getStorage: () => BrowserStorage | null = () => globalThis.localStorage,
): BrowserStorage {
  try {
    return getStorage() ?? DENIED;
  } catch {
    return DENIED;
  }
}

/** Returns the session storage of this tab. If access is denied, the returned storage is empty, and writing throws. */
export const getTabStorage = (): BrowserStorage => getBrowserStorage(() => globalThis.sessionStorage);

export type PageStorage = Pick<BrowserStorage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Returns a storage that stores values in memory if `storage` is full or denied. These values are lost when the page is
 * unloaded, but the visitor can use the site.
 */
export function withMemoryFallback(storage: PageStorage): PageStorage {
  const inMemory = new Map<string, string>();
  return {
    getItem: (key) => inMemory.get(key) ?? storage.getItem(key),
    setItem(key, value) {
      inMemory.delete(key);
      try {
        storage.setItem(key, value);
      } catch {
        inMemory.set(key, value);
      }
    },
    removeItem(key) {
      inMemory.delete(key);
      storage.removeItem(key);
    },
  };
}
