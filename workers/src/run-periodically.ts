import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { findMissingReadModels, isMissingTable, isTransient, runInOneProcess } from '@alpenglow/infra';
import { ItemsFailed } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';

/** The default delay of the first run. After this time, the process has started and the read models usually exist. */
const FIRST_RUN_AFTER_ms = 60_000;
const TABLES_POLL_ms = 1_000;
/** The delay between the first runs of two tasks. Tasks that run together open many connections at once. */
const STEP_ms = 2_000;

export interface PeriodicTask {
  readonly name: string;
  /** The read models that the task queries. The task waits until their tables exist. */
  readonly readModels: readonly string[];
  /** Delay of the first run after the start of the process. The default is about one minute. */
  readonly first_ms?: number;
  readonly every_ms: number;
  readonly work: () => Promise<unknown>;
}

/**
 * Runs each task periodically, in only one process of the cluster at a time, until `signal` aborts. A failure is
 * logged, and the next run repeats the work. While the read models of a task do not exist, e.g. because the projectors
 * build them from a large store, the task waits and sends no statement that would fail. All tasks together log one line
 * about this.
 */
export async function runPeriodically(
  { pool, log }: Dependencies<'pool' | 'log'>,
  tasks: readonly PeriodicTask[],
  signal: AbortSignal,
): Promise<void> {
  // All tasks listen to this signal. With more than ten listeners, Node would print a warning.
  setMaxListeners(0, signal);
  let isLogged = false;

  async function waitForTables({ name, readModels }: PeriodicTask): Promise<void> {
    while (!signal.aborted) {
      // During an outage of Postgres, it is not known whether the tables exist.
      const missing = await findMissingReadModels(pool, readModels).catch((error: unknown) => {
        if (isTransient(error)) return null;
        throw error;
      });
      if (missing?.length === 0) return;
      if (missing && !isLogged) {
        isLogged = true;
        log.info({ round: name, missing }, 'periodic tasks wait until their read models exist');
      }
      await pauseUnlessAborted(TABLES_POLL_ms);
    }
  }

  const pauseUnlessAborted = (wait_ms: number) =>
    pause(wait_ms, undefined, { signal, ref: false }).catch(() => undefined);

  async function run(task: PeriodicTask, index: number): Promise<void> {
    const { name, first_ms = FIRST_RUN_AFTER_ms + index * STEP_ms, every_ms, work } = task;
    for (let wait_ms = first_ms; !signal.aborted; wait_ms = every_ms) {
      await pauseUnlessAborted(wait_ms);
      try {
        if (task.readModels.length > 0) await waitForTables(task);
        if (!signal.aborted) await runInOneProcess(pool, name, work, signal);
      } catch (err) {
        // The table may have been dropped since the check, e.g. by a restore. The next run waits for it.
        if (!signal.aborted && !isAboutMissingTables(err))
          log.warn({ err, round: name }, 'periodic task failed, it will be repeated');
      }
    }
  }

  await Promise.all(tasks.map(run));
}

function isAboutMissingTables(error: unknown): boolean {
  return error instanceof ItemsFailed ? error.errors.every(isMissingTable) : isMissingTable(error);
}
