import { DomainError } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../service/logger.ts';
import { withinTime } from '../../service/polling-and-slots.ts';
import type { Counters, WhenUnknown, WindowCount } from './counters.ts';

const MAX_KEYS = 50_000;
/** The minimum time between two log entries about an unreachable Redis or Postgres. */
const LOG_INTERVAL_ms = 60_000;
const RETRY_AFTER_s = 2;
/**
 * After a failure, the store gets this part of the time limit for some time. Otherwise, each of the counts of a request
 * would wait for the whole time limit while the store is slow.
 */
const SHORT_LIMIT = { part: 0.25, duration_ms: 5_000 };

/** The counts of a server that all processes share. */
export interface CountStore {
  add(key: string, by: number, window_s: number): Promise<WindowCount>;
  find(key: string): Promise<WindowCount | null>;
  reset(key: string): Promise<void>;
}

interface KnownCount {
  count: number;
  ends_ms: number;
  /** The part of `count` that the store has not counted. It is negative if the store has counted it twice. */
  unsaved: number;
  /** True if the store has never returned this count, so that requests of other processes are missing in it. */
  readonly isGuess?: true;
}

export interface LastKnownCountsOptions {
  readonly log: Logger;
  /** The time after which the store counts as unreachable if it has not responded. It is shorter after a failure. */
  readonly responseLimit_ms: number;
  readonly now?: () => number;
}

/**
 * Returns counters that use `store`. While the store fails or is slow, they continue with the last count of each key
 * that this process knows, and add to it. The store receives these requests as soon as it responds again. The process
 * remembers 50,000 keys. If there are more, it forgets the least recently used ones, and their counts are unknown.
 */
export function withLastKnownCounts(
  store: CountStore,
  { log, responseLimit_ms, now = () => Date.now() }: LastKnownCountsOptions,
): Counters {
  const known = new LRUCache<string, KnownCount>({ max: MAX_KEYS });
  let loggedAt_ms = -Infinity;
  let failedAt_ms = -Infinity;

  function findKnown(key: string): KnownCount | null {
    const count = known.get(key);
    return count && count.ends_ms > now() ? count : null;
  }

  const toWindowCount = ({ count, ends_ms }: KnownCount): WindowCount => ({ count, left_ms: ends_ms - now() });

  function remember(key: string, { count, left_ms }: WindowCount): WindowCount {
    const unsaved = findKnown(key)?.unsaved ?? 0;
    const latest = { count: count + unsaved, ends_ms: now() + left_ms, unsaved };
    known.set(key, latest);
    return toWindowCount(latest);
  }

  function addUnsaved(key: string, by: number): void {
    const count = findKnown(key);
    if (!count) return;
    count.unsaved += by;
  }

  /** Awaits `work` until the time limit. Without the store, a call that must know the count would be rejected. */
  async function withinLimit<T>(work: Promise<T>, key: string, whenUnknown: WhenUnknown): Promise<T> {
    const needsStore = whenUnknown === 'reject' && !findKnown(key);
    const isShort = !needsStore && now() - failedAt_ms < SHORT_LIMIT.duration_ms;
    const limit_ms = isShort ? responseLimit_ms * SHORT_LIMIT.part : responseLimit_ms;
    const result = await withinTime(work, limit_ms, () => new Error(`No response within ${limit_ms} ms`));
    failedAt_ms = -Infinity;
    return result;
  }

  /**
   * Logs that the store failed. Throws UNAVAILABLE if the count of the key is unknown and this must not be ignored.
   * `by` is 0 if nothing is counted.
   */
  function handleFailure(err: unknown, key: string, whenUnknown: WhenUnknown, by = 0): void {
    failedAt_ms = now();
    if (now() - loggedAt_ms > LOG_INTERVAL_ms) {
      loggedAt_ms = now();
      log.warn({ err }, 'the shared counts of requests cannot be reached: each process continues with the last counts');
    }
    const count = findKnown(key);
    const isRejected =
      (whenUnknown === 'reject' && !count) || (whenUnknown === 'only-first' && count?.isGuess === true && by > 0);
    if (isRejected) throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
  }

  return {
    async add(key, by, window_s, whenUnknown = 'start-at-0') {
      const sent = by + (findKnown(key)?.unsaved ?? 0);
      addUnsaved(key, by - sent);
      let hasFailed = false;
      const adding = store.add(key, sent, window_s);
      // The store may still count after the time limit, and must then not receive the same requests again.
      adding.then(
        () => hasFailed && addUnsaved(key, -sent),
        () => undefined,
      );
      try {
        return remember(key, await withinLimit(adding, key, whenUnknown));
      } catch (error) {
        hasFailed = true;
        try {
          handleFailure(error, key, whenUnknown, by);
        } catch (rejection) {
          // The earlier requests that were sent with this one are still not saved.
          addUnsaved(key, sent - by);
          throw rejection;
        }
        const count: KnownCount = findKnown(key) ?? {
          count: 0,
          ends_ms: now() + window_s * 1000,
          unsaved: 0,
          isGuess: true,
        };
        count.count += by;
        count.unsaved += sent;
        known.set(key, count);
        return toWindowCount(count);
      }
    },
    async find(key, whenUnknown = 'start-at-0') {
      try {
        const result = await withinLimit(store.find(key), key, whenUnknown);
        return result && remember(key, result);
      } catch (error) {
        handleFailure(error, key, whenUnknown);
        const count = findKnown(key);
        return count && toWindowCount(count);
      }
    },
    async reset(key) {
      known.delete(key);
      await withinLimit(store.reset(key), key, 'start-at-0').catch((error: unknown) =>
        handleFailure(error, key, 'start-at-0'),
      );
    },
  };
}
