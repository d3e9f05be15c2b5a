/** What is used of the browser's storage. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const REFUSED: BrowserStorage = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem() {
    throw new Error('This browser keeps nothing');
  },
  removeItem: () => undefined,
};

/**
 * The browser's local storage. Some visitors forbid it, and then every look at it throws: nothing is found there, and writing throws, as
 * it does where it is full.
 */
export function browserStorage(find: () => BrowserStorage | null = () => globalThis.localStorage): BrowserStorage {
  try {
    return find() ?? REFUSED;
  } catch {
    return REFUSED;
  }
}

/** As `browserStorage`, of this tab alone. */
export const tabStorage = (): BrowserStorage => browserStorage(() => globalThis.sessionStorage);

export type PageStorage = Pick<BrowserStorage, 'getItem' | 'setItem' | 'removeItem'>;

/** What `storage` refuses to keep, because it is full or forbidden, is remembered while the page stands: nobody is kept out for it. */
export function remembering(storage: PageStorage): PageStorage {
  const remembered = new Map<string, string>();
  return {
    getItem: (key) => remembered.get(key) ?? storage.getItem(key),
    setItem(key, value) {
      remembered.delete(key);
      try {
        storage.setItem(key, value);
      } catch {
        remembered.set(key, value);
      }
    },
    removeItem(key) {
      remembered.delete(key);
      storage.removeItem(key);
    },
  };
}
