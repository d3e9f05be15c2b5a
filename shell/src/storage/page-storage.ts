/** What the shell keeps in this browser, wherever it can be kept. */
import { browserStorage, type BrowserStorage } from '@alpenglow/ui';

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

export const pageStorage = remembering(browserStorage());
