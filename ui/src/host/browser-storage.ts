import { isDeclaredKey, LOCAL_KEYS, TAB_KEYS } from './stored-keys.ts';

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
 * it throws. Writing a key that `stored-keys.ts` does not list throws too.
 */
export function getBrowserStorage(
  getStorage: () => BrowserStorage | null = () => globalThis.localStorage,
): BrowserStorage {
  return openStorage(getStorage, LOCAL_KEYS);
}

/** Does the same as `getBrowserStorage` for the session storage of this tab. */
export function getTabStorage(
  getStorage: () => BrowserStorage | null = () => globalThis.sessionStorage,
): BrowserStorage {
  return openStorage(getStorage, TAB_KEYS);
}

function openStorage(getStorage: () => BrowserStorage | null, names: Readonly<Record<string, string>>): BrowserStorage {
  let storage: BrowserStorage | null;
  try {
    storage = getStorage();
  } catch {
    storage = null;
  }
  return storage ? withDeclaredKeys(storage, names) : DENIED;
}

function withDeclaredKeys(storage: BrowserStorage, names: Readonly<Record<string, string>>): BrowserStorage {
  return {
    get length() {
      return storage.length;
    },
    key: (index) => storage.key(index),
    getItem: (key) => storage.getItem(key),
    setItem(key, value) {
      if (!isDeclaredKey(names, key)) throw new Error(`Add the key ${key} to ui/src/host/stored-keys.ts`);
      storage.setItem(key, value);
    },
    removeItem: (key) => storage.removeItem(key),
  };
}

/** Deletes everything that this tab stores. */
export function clearTabStorage(): void {
  try {
    globalThis.sessionStorage.clear();
  } catch {
    // Access to the storage is denied, so it contains no data to delete.
  }
}

/** Returns all keys of a storage. */
export function listKeys(storage: Pick<BrowserStorage, 'key' | 'length'>): readonly string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
}

/** Returns true if an event is about the local storage, and not about the session storage of a tab. */
export function isLocalStorageEvent({ storageArea }: Pick<StorageEvent, 'storageArea'>): boolean {
  try {
    return storageArea === globalThis.localStorage;
  } catch {
    return false;
  }
}

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
