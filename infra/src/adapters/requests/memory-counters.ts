import { LRUCache } from 'lru-cache';
import type { Counters } from './counters.ts';

const MAX_KEYS = 50_000;

/**
 * Creates request counters that are valid for this process only. If there are over 50,000 keys, the least recently used
 * keys are removed.
 */
export function createMemoryCounters(now: () => number = Date.now): Counters {
  const windows = new LRUCache<string, { count: number; readonly ends: number }>({ max: MAX_KEYS });
  const current = (key: string) => {
    const window = windows.get(key);
    return window && window.ends > now() ? window : null;
  };
  return {
    add(key, by, window_s) {
      const window = current(key) ?? { count: 0, ends: now() + window_s * 1000 };
      window.count += by;
      windows.set(key, window);
      return Promise.resolve({ count: window.count, left_ms: window.ends - now() });
    },
    find(key) {
      const window = current(key);
      return Promise.resolve(window && { count: window.count, left_ms: window.ends - now() });
    },
    reset(key) {
      windows.delete(key);
      return Promise.resolve();
    },
  };
}
