import { isTransient, waitUnlessAborted, type Logger } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';
import { readRebuild } from './rebuild-store.ts';
import { failRebuild, runNextStep, type StepDependencies } from './rebuild-steps.ts';

const RETRY_ms = 1_000;
const ERROR_MAX = 300;
/**
 * The names of the errors that are thrown when another process has changed the tables, or when the log was replaced by
 * an older state. The rebuild then continues, because the next step reads the new state.
 */
const CONFLICTS = ['RebuildLocked', 'TablesMoved', 'TablesMissing', 'LogRewound'];
/** The SQLSTATE code of a missing table. This error occurs after an erasure has dropped the rebuilt tables. */
const UNDEFINED_TABLE = '42P01';

interface Worker {
  isWoken: boolean;
  isPausing: boolean;
  readonly cancelled: AbortController;
  readonly done: Promise<void>;
}

/**
 * Creates the workers that run the rebuilds of `projections`. The worker of a projection runs one step after another
 * until nothing is left to do. After a transient error, the worker repeats the step. After a permanent error, the
 * worker marks the rebuild as failed.
 */
export function createRebuildWorkers(
  projections: readonly Projection[],
  deps: StepDependencies & { readonly log: Logger },
  signal: AbortSignal,
) {
  const workers = new Map<string, Worker>();
  const isStopping = () => signal.aborted;

  async function work(projection: Projection, worker: () => Worker | undefined, cancelled: AbortSignal): Promise<void> {
    const control = {
      signal: AbortSignal.any([signal, cancelled]),
      cancelled,
      isPausing: () => isStopping() || worker()?.isPausing === true,
    };
    while (!isStopping()) {
      const state = worker();
      if (state) state.isWoken = false;
      try {
        if (!(await runNextStep(projection, deps, control)) && worker()?.isWoken !== true) return;
      } catch (error) {
        if (isStopping() || cancelled.aborted) return;
        await handleFailure(projection, error);
      }
    }
  }

  async function handleFailure(projection: Projection, error: unknown): Promise<void> {
    const isConflict =
      error instanceof Error &&
      (CONFLICTS.includes(error.name) || (error as { code?: unknown }).code === UNDEFINED_TABLE);
    deps.log[isConflict ? 'info' : 'warn']({ projection: projection.name, err: error }, 'rebuild step failed');
    if (!isConflict && !isTransient(error)) {
      const rebuild = await readRebuild(deps.pool, projection).catch(() => null);
      const message = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_MAX);
      if (rebuild)
        await failRebuild(projection, deps, rebuild, message).catch((err: unknown) =>
          deps.log.warn({ projection: projection.name, err }, 'rebuild could not be marked as failed'),
        );
    }
    await waitUnlessAborted(RETRY_ms, signal);
  }

  return {
    /** Makes the worker of projection `name` read the state of the rebuild. Starts the worker if it is not running. */
    async wake(name: string): Promise<void> {
      const projection = projections.find((entry) => entry.name === name);
      if (!projection || isStopping()) return;
      const requestedAction = (await readRebuild(deps.pool, projection))?.requestedAction ?? null;
      const worker = workers.get(name);
      if (worker) {
        worker.isWoken = true;
        worker.isPausing = requestedAction === 'pause';
        if (requestedAction === 'cancel') worker.cancelled.abort();
        // A cancelled worker ends. A new worker then cleans up after the cancelled rebuild.
        if (requestedAction !== 'cancel') return;
        await worker.done;
      }
      if (workers.has(name)) return;
      const cancelled = new AbortController();
      const done = work(projection, () => workers.get(name), cancelled.signal).finally(() => workers.delete(name));
      workers.set(name, { isWoken: false, isPausing: false, cancelled, done });
    },
    /** Resolves when all workers have ended. The workers end after the signal has aborted. */
    async waitUntilEnded(): Promise<void> {
      await Promise.all([...workers.values()].map(({ done }) => done));
    },
  };
}
