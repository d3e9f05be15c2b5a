import { haveOtherReaders, type Logger, type Pool, type ReadModel } from '@alpenglow/infra';

/**
 * The maximum time for which a process waits for readers of other versions. A rolling update that replaces the readers
 * only after this process is ready therefore also continues.
 */
const READERS_LIMIT_ms = 10 * 60_000;

/**
 * The maximum time for which a process waits for the rebuild of read models with lost events. During a rolling update,
 * a process of an older build may run these read models and never rebuild them. It ends only after this process is
 * ready. The limit is shorter than `progressDeadlineSeconds` in `infra/deploy/k8s`.
 */
const REBUILD_LIMIT_ms = 10 * 60_000;

interface RolloutCheckDependencies {
  readonly pool: Pool;
  /** The versions of the read models that this process fills. */
  readonly readModels: readonly ReadModel[];
  /** Resolves when these versions are live. */
  readonly live: Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
  readonly readersLimit_ms?: number;
}

/**
 * Returns a function that checks whether the processes of another build may now be replaced by this process. This is
 * the case when the versions of this build are live, and no process reads another version any longer. Until then, the
 * other processes must continue to update the versions that are still read. If readers do not change to this version in
 * ten minutes, the function returns true anyway. After the first true, the result is always true.
 */
export function createRolloutCheck({
  pool,
  readModels,
  live,
  log,
  readersLimit_ms = READERS_LIMIT_ms,
}: RolloutCheckDependencies): () => Promise<boolean> {
  let liveSince_ms: number | null = null;
  let isDone = false;
  live.then(
    () => (liveSince_ms = performance.now()),
    () => undefined,
  );
  return async () => {
    if (isDone || liveSince_ms === null) return isDone;
    if (await haveOtherReaders(pool, readModels)) {
      if (performance.now() - liveSince_ms < readersLimit_ms) return false;
      log.warn('processes of another build still read other versions of read models');
    }
    isDone = true;
    return true;
  };
}

interface RebuildCheckDependencies {
  /** Returns the names of the read models that contain effects of lost events. */
  readonly findNotCurrent: () => Promise<readonly string[]>;
  readonly log: Pick<Logger, 'warn'>;
  readonly limit_ms?: number;
  /** Returns the current time in milliseconds. It must never go back. */
  readonly now?: () => number;
}

/**
 * Returns a function that checks whether all read models are free of effects of lost events (decision 0070). It returns
 * false while some are not, but for at most ten minutes from the first check that finds one. After that, it logs one
 * warning and returns true. A check that finds none resets the ten minutes and the warning. Rejects if the database
 * fails.
 */
export function createRebuildCheck({
  findNotCurrent,
  log,
  limit_ms = REBUILD_LIMIT_ms,
  now = () => performance.now(),
}: RebuildCheckDependencies): () => Promise<boolean> {
  let since_ms: number | null = null;
  let hasWarned = false;
  return async () => {
    const notCurrent = await findNotCurrent();
    if (notCurrent.length === 0) {
      since_ms = null;
      hasWarned = false;
      return true;
    }
    since_ms ??= now();
    if (now() - since_ms < limit_ms) return false;
    if (!hasWarned) log.warn({ readModels: notCurrent }, 'read models with lost events are not rebuilt yet');
    hasWarned = true;
    return true;
  };
}
