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
