import { setTimeout as pause } from 'node:timers/promises';
import { isPassing, type Logger } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';
import { readRebuild } from './rebuilds.ts';
import { fail, takeStep, type StepDependencies } from './rebuild-steps.ts';

const TRY_AGAIN_ms = 1_000;
const ERROR_MAX = 300;
/** Errors of ours that say that somebody else was at the tables: the next look shows what is to be done. */
const OF_OTHERS = ['RebuiltElsewhere', 'MovedBeside', 'TablesGone'];
/** Tables were dropped, of which somebody was erased. */
const UNDEFINED_TABLE = '42P01';

export interface RebuildWorkers {
  /** Has the projection's worker look what is to be done. */
  wake(name: string): Promise<void>;
  /** Resolves once every worker has ended, which they do when the signal aborts. */
  ended(): Promise<void>;
}

interface Worker {
  isWoken: boolean;
  isPausing: boolean;
  readonly cancelled: AbortController;
  readonly done: Promise<void>;
}

/** A worker for each projection of which something is to be done: it does one step after the other until nothing is left, and again what failed in passing. */
export function createRebuildWorkers(
  projections: readonly Projection[],
  deps: StepDependencies & { readonly log: Logger },
  signal: AbortSignal,
): RebuildWorkers {
  const workers = new Map<string, Worker>();
  const isStopping = () => signal.aborted;

  async function work(projection: Projection, worker: () => Worker | undefined, cancelled: AbortSignal): Promise<void> {
    const control = {
      signal: AbortSignal.any([signal, cancelled]),
      cancelled,
      isPausing: () => isStopping() || worker()?.isPausing === true,
    };
    while (!isStopping()) {
      const own = worker();
      if (own) own.isWoken = false;
      try {
        if (!(await takeStep(projection, deps, control)) && worker()?.isWoken !== true) return;
      } catch (error) {
        if (isStopping() || cancelled.aborted) return;
        await recover(projection, error);
      }
    }
  }

  async function recover(projection: Projection, error: unknown): Promise<void> {
    const isOfOthers =
      error instanceof Error &&
      (OF_OTHERS.includes(error.name) || (error as { code?: unknown }).code === UNDEFINED_TABLE);
    deps.log[isOfOthers ? 'info' : 'warn']({ projection: projection.name, err: error }, 'a step of a rebuild failed');
    if (!isOfOthers && !isPassing(error)) {
      const rebuild = await readRebuild(deps.pool, projection).catch(() => null);
      const words = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_MAX);
      if (rebuild)
        await fail(projection, deps, rebuild, words).catch((err: unknown) =>
          deps.log.warn({ projection: projection.name, err }, 'a failed rebuild was not given up'),
        );
    }
    await pause(TRY_AGAIN_ms, undefined, { signal }).catch(() => undefined);
  }

  return {
    async wake(name) {
      const projection = projections.find((one) => one.name === name);
      if (!projection || isStopping()) return;
      const wish = (await readRebuild(deps.pool, projection))?.wish ?? null;
      const worker = workers.get(name);
      if (worker) {
        worker.isWoken = true;
        worker.isPausing = wish === 'pause';
        if (wish === 'cancel') worker.cancelled.abort();
        // One that is cancelled ends, and the next one does what a cancelled rebuild needs.
        if (wish !== 'cancel') return;
        await worker.done;
      }
      if (workers.has(name)) return;
      const cancelled = new AbortController();
      const done = work(projection, () => workers.get(name), cancelled.signal).finally(() => workers.delete(name));
      workers.set(name, { isWoken: false, isPausing: false, cancelled, done });
    },
    async ended() {
      await Promise.all([...workers.values()].map(({ done }) => done));
    },
  };
}
