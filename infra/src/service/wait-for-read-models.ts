import { setTimeout as pause } from 'node:timers/promises';

const POLL_ms = 50;
/** The time after which a wait is reported first, and the interval of the reports after that. */
const REPORT_EVERY_ms = 10_000;

export interface WaitOptions {
  /** Ends the wait, e.g. because the process stops or because the time limit has passed. */
  readonly signal: AbortSignal;
  /** Called every ten seconds with a text for each read model that is not ready: its name, version and the reason. */
  readonly onWaiting?: ((missing: readonly string[]) => void) | undefined;
  readonly reportEvery_ms?: number | undefined;
}

/**
 * Waits until `findUnready`, which is called every 50 ms, returns an empty list. Rejects if `signal` aborts. If its
 * time limit has passed, the message of the error lists the read models that are not ready.
 */
export async function waitForReadModels(
  findUnready: () => Promise<readonly string[]>,
  { signal, onWaiting, reportEvery_ms = REPORT_EVERY_ms }: WaitOptions,
): Promise<void> {
  let reportAt_ms = performance.now() + reportEvery_ms;
  for (;;) {
    const missing = await findUnready();
    if (missing.length === 0) return;
    if (performance.now() >= reportAt_ms) {
      onWaiting?.(missing);
      reportAt_ms = performance.now() + reportEvery_ms;
    }
    try {
      await pause(POLL_ms, undefined, { signal });
    } catch (error) {
      if (!(signal.reason instanceof Error && signal.reason.name === 'TimeoutError')) throw error;
      throw new Error(`These read models are not ready in time: ${missing.join(', ')}`, { cause: error });
    }
  }
}
