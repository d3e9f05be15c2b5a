import {
  RateLimiterPostgres,
  RateLimiterRedis,
  type RateLimiterRes,
  type RateLimiterStoreAbstract,
} from 'rate-limiter-flexible';
import type { Logger } from '../../service/logger.ts';
import { withinTime } from '../../service/polling-and-slots.ts';
import { openReconnectingRedis } from '../bullmq/reconnecting-redis.ts';
import type { Pool } from '../postgres/pool.ts';
import type { WindowCount, Counters } from './counters.ts';
import { createMemoryCounters } from './memory-counters.ts';

/** The time after which Redis or Postgres counts as unreachable if it has not responded. */
const RESPONSE_LIMIT_ms = 1_000;
/** The minimum time between two log entries about an unreachable Redis or Postgres. */
const LOG_INTERVAL_ms = 60_000;
/** Limits that the rate limit library requires. They have no effect, because every call sets its own window length. */
const ANY_WINDOW = { points: 1, duration: 1 };
const REDIS_PREFIX = 'alpenglow-counts';

export interface SharedCounters extends Counters {
  /** Removes expired time windows from Postgres. Redis removes its expired windows itself. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedCountersOptions {
  /** The URL of Redis. Null if the counts are stored in Postgres. */
  readonly redisUrl: string | null;
  readonly pool: Pool;
  readonly log: Logger;
}

/**
 * Opens request counters that all processes share, in Redis or in Postgres. While that server is unreachable, each
 * process counts separately, so that no request fails because of the counters.
 */
export async function openSharedCounters({ redisUrl, pool, log }: SharedCountersOptions): Promise<SharedCounters> {
  if (redisUrl === null) {
    const store = new RateLimiterPostgres({
      ...ANY_WINDOW,
      keyPrefix: '',
      storeClient: pool,
      storeType: 'pool',
      schemaName: 'requests',
      tableName: 'counts',
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
    return {
      ...withFallback(countersOf(store), log),
      async sweep() {
        await pool.query('delete from requests.counts where expire <= $1', [Date.now()]);
      },
      close: () => Promise.resolve(),
    };
  }
  const { Redis } = await import('ioredis');
  const link = openReconnectingRedis(
    Redis,
    redisUrl,
    'alpenglow-counts',
    {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: RESPONSE_LIMIT_ms,
      socketTimeout: RESPONSE_LIMIT_ms,
    },
    log,
  );
  const store = new RateLimiterRedis({
    ...ANY_WINDOW,
    keyPrefix: REDIS_PREFIX,
    storeClient: link.client,
    rejectIfRedisNotReady: true,
  });
  return {
    ...withFallback(countersOf(store), log),
    sweep: () => Promise.resolve(),
    close() {
      link.client.disconnect();
      return Promise.resolve();
    },
  };
}

function countersOf(store: RateLimiterStoreAbstract): Counters {
  const countOf = (result: RateLimiterRes): WindowCount => ({
    count: result.consumedPoints,
    left_ms: result.msBeforeNext,
  });
  return {
    // `penalty` counts without applying a limit. The callers of the counters apply their own limits.
    add: async (key, by, window_s) => countOf(await store.penalty(key, by, { customDuration: window_s })),
    async find(key) {
      const result = await store.get(key);
      return result && countOf(result);
    },
    async reset(key) {
      await store.delete(key);
    },
  };
}

/**
 * Returns request counters that use `store`. During an outage of `store`, they use `fallback`, which counts only in
 * this process.
 */
export function withFallback(store: Counters, log: Logger, fallback: Counters = createMemoryCounters()): Counters {
  let loggedAt_ms = -Infinity;
  const timeoutError = () => new Error(`No response within ${RESPONSE_LIMIT_ms} ms`);
  async function orFallback<T>(work: (counters: Counters) => Promise<T>): Promise<T> {
    try {
      return await withinTime(work(store), RESPONSE_LIMIT_ms, timeoutError);
    } catch (err) {
      if (Date.now() - loggedAt_ms > LOG_INTERVAL_ms) {
        loggedAt_ms = Date.now();
        log.warn({ err }, 'requests are counted by each process separately: the shared counts cannot be reached');
      }
      return work(fallback);
    }
  }
  return {
    add: (key, by, window_s) => orFallback((counters) => counters.add(key, by, window_s)),
    find: (key) => orFallback((counters) => counters.find(key)),
    reset: (key) => orFallback((counters) => counters.reset(key)),
  };
}
