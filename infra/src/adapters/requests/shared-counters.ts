import {
  RateLimiterPostgres,
  RateLimiterRedis,
  type RateLimiterRes,
  type RateLimiterStoreAbstract,
} from 'rate-limiter-flexible';
import type { Logger } from '../../service/logger.ts';
import { openReconnectingRedis } from '../bullmq/reconnecting-redis.ts';
import { createPool } from '../postgres/pool.ts';
import type { Counters, WindowCount } from './counters.ts';
import { withLastKnownCounts, type CountStore } from './last-known-counts.ts';

/** The time after which Redis or Postgres counts as unreachable if it has not responded. */
const RESPONSE_LIMIT_ms = 1_000;
/**
 * The number of connections to Postgres for counts. They are separate, so that slow counts do not occupy the
 * connections of all other statements, and slow statements do not delay the counts.
 */
const POOL_SIZE = 3;
/** Limits that the rate limit library requires. They have no effect, because every call sets its own window length. */
const ANY_WINDOW = { points: 1, duration: 1 };
/** Expired counts are deleted in batches, so that a statement does not reach the time limit. */
const SWEEP_BATCH = 10_000;
const SWEEP = `delete from requests.counts
  where key in (select key from requests.counts where expire <= $1 limit $2) and expire <= $1`;
const REDIS_PREFIX = 'alpenglow-counts';

export interface SharedCounters extends Counters {
  /** Removes expired time windows from Postgres. Redis removes its expired windows itself. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedCountersOptions {
  /** The URL of Redis. Null if the counts are stored in Postgres. */
  readonly redisUrl: string | null;
  /** The URL of Postgres. */
  readonly databaseUrl: string;
  readonly log: Logger;
}

/**
 * Opens request counters that all processes share, in Redis or in Postgres. While that server is slow or unreachable,
 * each process continues with the last counts that it knows.
 */
export async function openSharedCounters({
  redisUrl,
  databaseUrl,
  log,
}: SharedCountersOptions): Promise<SharedCounters> {
  const options = { log, responseLimit_ms: RESPONSE_LIMIT_ms };
  if (redisUrl === null) {
    const pool = createPool({
      connectionString: databaseUrl,
      applicationName: 'alpenglow-counts',
      max: POOL_SIZE,
      statementTimeout_ms: RESPONSE_LIMIT_ms,
      connectTimeout_ms: RESPONSE_LIMIT_ms,
      onError: (err) => log.warn({ err }, 'idle connection lost'),
    });
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
      ...withLastKnownCounts(countersOf(store), options),
      async sweep() {
        let deleted: number | null;
        do {
          ({ rowCount: deleted } = await pool.query(SWEEP, [Date.now(), SWEEP_BATCH]));
        } while (deleted === SWEEP_BATCH);
      },
      close: () => pool.end(),
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
    ...withLastKnownCounts(countersOf(store), options),
    sweep: () => Promise.resolve(),
    close() {
      link.client.disconnect();
      return Promise.resolve();
    },
  };
}

function countersOf(store: RateLimiterStoreAbstract): CountStore {
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
