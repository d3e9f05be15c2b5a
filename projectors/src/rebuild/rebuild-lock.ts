import { takeProcessLock, type Pool } from '@alpenglow/infra';

/** Thrown if another process or a tool is already rebuilding the read model of the projection. */
export class RebuildLocked extends Error {
  override readonly name = 'RebuildLocked';
}

/**
 * Runs `work` while holding the rebuild lock of a projection. The lock prevents other processes from writing to the
 * `rebuild` and `previous` tables. `work` receives a signal that aborts when the lock is lost, e.g. because Postgres
 * cannot be reached. Returns the result of `work`. Throws `RebuildLocked` if another caller holds the lock.
 */
export async function withRebuildLock<T>(
  pool: Pool,
  projection: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lock = await takeProcessLock(pool, 'alpenglow-rebuild', projection);
  if (!lock) throw new RebuildLocked(`${projection} is being rebuilt already`);
  try {
    return await work(lock.lost);
  } finally {
    await lock.release();
  }
}
