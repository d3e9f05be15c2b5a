import { setMaxListeners } from 'node:events';
import type { Pool, PoolClient } from '@alpenglow/infra';

/** Thrown if another process or a tool is already rebuilding the read model of the projection. */
export class RebuildLocked extends Error {
  override readonly name = 'RebuildLocked';
}

/**
 * Runs `work` while holding the rebuild lock of a projection. The lock prevents other processes from writing to the
 * `rebuild` and `previous` tables. `work` receives the connection that holds the lock. It also receives a signal that
 * aborts when this connection ends, because the lock is then lost. Returns the result of `work`. Throws `RebuildLocked`
 * if another process holds the lock.
 */
export async function withRebuildLock<T>(
  pool: Pool,
  projection: string,
  work: (client: PoolClient, lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const locks = await openRebuildLocks(pool);
  try {
    return await locks.withLock(projection, () => work(locks.client, locks.lost));
  } finally {
    locks.close();
  }
}

/** A connection that can hold the rebuild locks of several projections. */
interface RebuildLocks {
  readonly client: PoolClient;
  /** Aborts when the connection ends, because the locks are then lost. */
  readonly lost: AbortSignal;
  /**
   * Runs `work` while holding the rebuild lock of a projection. Throws `RebuildLocked` if another connection holds it.
   * Two calls for the same projection must not overlap, because both would receive the lock.
   */
  withLock<T>(projection: string, work: () => Promise<T>): Promise<T>;
  /** Ends the connection. */
  close(): void;
}

/** Opens a connection for rebuild locks. The caller must close it. */
export async function openRebuildLocks(pool: Pool): Promise<RebuildLocks> {
  const client = await pool.connect();
  const lost = new AbortController();
  setMaxListeners(0, lost.signal);
  const onError = () => lost.abort();
  client.on('error', onError);
  client.on('end', onError);
  let last: Promise<unknown> = Promise.resolve();
  /** Runs the statements of several calls of `withLock` one after the other. */
  const query = <Row extends object>(text: string, projection: string) => {
    const result = last.then(() => client.query<Row>(text, [projection]));
    last = result.catch(() => undefined);
    return result;
  };
  return {
    client,
    lost: lost.signal,
    async withLock(projection, work) {
      const { rows } = await query<{ isLocked: boolean }>(
        `select pg_try_advisory_lock(hashtext('alpenglow-rebuild'), hashtext($1)) as "isLocked"`,
        projection,
      );
      if (rows[0]?.isLocked !== true) throw new RebuildLocked(`${projection} is being rebuilt already`);
      try {
        return await work();
      } finally {
        // The lock is released explicitly, because closing the connection releases it only some time later.
        await query(`select pg_advisory_unlock(hashtext('alpenglow-rebuild'), hashtext($1))`, projection).catch(
          () => undefined,
        );
      }
    },
    close() {
      client.off('end', onError);
      client.off('error', onError);
      client.release(true);
    },
  };
}
