import { RateLimiterPostgres, RateLimiterRedis, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { Logger } from '../../logger.ts';
import { openLink } from '../bullmq/redis-link.ts';
import type { Pool } from '../postgres/pool.ts';
import type { Count, Counters } from './counters.ts';
import { createMemoryCounters } from './memory-counters.ts';

/** A store that answers later than this is counted as away. */
const ANSWER_LIMIT_ms = 1_000;
/** How often the log hears of a store that is away. */
const TELL_EVERY_ms = 60_000;
/** Windows have lengths of their own; the library wants one for all as well. */
const ANY_WINDOW = { points: 1, duration: 1 };
const REDIS_PREFIX = 'alpenglow-counts';

export interface SharedCounters extends Counters {
  /** Removes windows that are over, where the store does not by itself. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedCountersOptions {
  /** Null: the counts are kept in Postgres. */
  readonly redisUrl: string | null;
  readonly pool: Pool;
  readonly log: Logger;
}

/**
 * Counts that all processes share, in Redis or in Postgres. While the store is away each process counts for itself: counting is no reason
 * to fail a request.
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
      ...insured(countersOf(store), log),
      async sweep() {
        await pool.query('delete from requests.counts where expire <= $1', [Date.now()]);
      },
      close: () => Promise.resolve(),
    };
  }
  const { Redis } = await import('ioredis');
  const link = openLink(
    Redis,
    redisUrl,
    'alpenglow-counts',
    {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: ANSWER_LIMIT_ms,
      socketTimeout: ANSWER_LIMIT_ms,
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
    ...insured(countersOf(store), log),
    sweep: () => Promise.resolve(),
    close() {
      link.client.disconnect();
      return Promise.resolve();
    },
  };
}

function countersOf(store: RateLimiterStoreAbstract): Counters {
  const countOf = ({
    consumedPoints,
    msBeforeNext,
  }: {
    readonly consumedPoints: number;
    readonly msBeforeNext: number;
  }): Count => ({ count: consumedPoints, left_ms: msBeforeNext });
  return {
    // "Penalty" counts without a verdict, which is ours.
    add: async (key, by, window_s) => countOf(await store.penalty(key, by, { customDuration: window_s })),
    async find(key) {
      const found = await store.get(key);
      return found && countOf(found);
    },
    async forget(key) {
      await store.delete(key);
    },
  };
}

/** Goes on with counts of this process while the store does not answer. */
export function insured(store: Counters, log: Logger, insurance: Counters = createMemoryCounters()): Counters {
  let told_ms = -Infinity;
  async function orInsured<T>(work: (counters: Counters) => Promise<T>): Promise<T> {
    try {
      return await within(work(store));
    } catch (err) {
      if (Date.now() - told_ms > TELL_EVERY_ms) {
        told_ms = Date.now();
        log.warn({ err }, 'requests are counted by each process alone: the shared counts cannot be reached');
      }
      return work(insurance);
    }
  }
  return {
    add: (key, by, window_s) => orInsured((counters) => counters.add(key, by, window_s)),
    find: (key) => orInsured((counters) => counters.find(key)),
    forget: (key) => orInsured((counters) => counters.forget(key)),
  };
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ANSWER_LIMIT_ms} ms`)), ANSWER_LIMIT_ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
