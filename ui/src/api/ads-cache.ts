import type { ResponseOf } from '@alpenglow/domain/contracts';
import type { PageStorage } from '../host/browser-storage.ts';
import { LOCAL_KEYS } from '../host/stored-keys.ts';
import { parseObject } from './parse-object.ts';

const MAX_LISTS = 10;
const MAX_AGE_ms = 3_600_000;

/** A stored list. `at` is the time of the response in milliseconds since 1970. */
interface StoredList {
  readonly at: number;
  readonly list: ResponseOf<'listAds'>;
}

/** Lists of ads in the local storage of the browser, by their path. */
export interface AdsCache {
  /** Returns a list that was stored within the last hour, or null. */
  get(path: string): ResponseOf<'listAds'> | null;
  /** Stores a list. The oldest one is removed if there are more than ten. */
  set(path: string, list: ResponseOf<'listAds'>): void;
}

/** Creates the cache in a storage of the browser. */
export function createAdsCache(storage: PageStorage): AdsCache {
  const read = () =>
    (parseObject(storage.getItem(LOCAL_KEYS.adsCache) ?? '') ?? {}) as Readonly<Record<string, StoredList>>;
  return {
    get(path) {
      const stored = read()[path];
      return stored !== undefined && Date.now() - stored.at < MAX_AGE_ms ? stored.list : null;
    },
    set(path, list) {
      const { [path]: _, ...others } = read();
      const newest = Object.entries(others).slice(1 - MAX_LISTS);
      try {
        storage.setItem(
          LOCAL_KEYS.adsCache,
          JSON.stringify({ ...Object.fromEntries(newest), [path]: { at: Date.now(), list } }),
        );
      } catch {
        // The storage is full or denied. The list is then not available without the backend.
      }
    },
  };
}
