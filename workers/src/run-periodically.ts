import { setTimeout as pause } from 'node:timers/promises';
import { isMissingTable, runInOneProcess } from '@alpenglow/infra';
import { ItemsFailed } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';

/** The default delay of the first run. After this time, the process has started and the read models usually exist. */
const FIRST_RUN_AFTER_ms = 60_000;

export interface PeriodicTask {
  readonly name: string;
  /** Delay of the first run after the start of the process. The default is one minute. */
  readonly first_ms?: number;
  readonly every_ms: number;
  readonly work: () => Promise<unknown>;
}

/**
 * Runs `work` periodically, in only one process of the cluster at a time, until `signal` aborts. A failure is logged,
 * and the next run repeats the work. At the first start, the projectors may not have created all read models yet. This
 * is not a failure.
 */
export async function runPeriodically(
  { pool, log }: Dependencies<'pool' | 'log'>,
  { name, first_ms = FIRST_RUN_AFTER_ms, every_ms, work }: PeriodicTask,
  signal: AbortSignal,
): Promise<void> {
  for (let wait_ms = first_ms; !signal.aborted; wait_ms = every_ms) {
    await pause(wait_ms, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    await runInOneProcess(pool, name, work, signal).catch((err: unknown) => {
      if (signal.aborted) return;
      if (waitsForReadModels(err)) log.info({ round: name }, 'periodic task waits for the read models');
      else log.warn({ err, round: name }, 'periodic task failed, it will be repeated');
    });
  }
}

function waitsForReadModels(error: unknown): boolean {
  return error instanceof ItemsFailed ? error.errors.every(isMissingTable) : isMissingTable(error);
}
