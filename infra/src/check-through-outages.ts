import { setTimeout as pause } from 'node:timers/promises';
import { isPassing } from './http/errors.ts';
import type { Logger } from './logger.ts';

/** An engine that is there has answered by then; one that is not holds up nobody for longer. */
const START_AFTER_ms = 1_000;
const FIRST_WAIT_ms = 500;
const LONGEST_WAIT_ms = 5_000;

export interface CheckOptions {
  readonly log: Logger;
  readonly onStop: (close: () => Promise<unknown>) => void;
  /** Told of an error that does not pass once the service has started. It ends the process, unless told. */
  readonly onUnusable?: (error: unknown) => void;
}

/**
 * Makes sure of an engine that a service can begin without. Resolves when `check` has succeeded, or after a second: then it goes on in the
 * background, again and again while its errors are passing. Any other error says that the engine can never be used as it is configured: it
 * rejects, or, once it has resolved, ends the process as an uncaught exception.
 */
export async function checkThroughOutages(
  engine: string,
  check: () => Promise<void>,
  { log, onStop, onUnusable = throwUncaught }: CheckOptions,
): Promise<void> {
  const stopped = new AbortController();
  onStop(() => Promise.resolve(stopped.abort()));
  const checked = keepChecking(engine, check, log, stopped.signal);
  const started = new AbortController();
  const patience = pause(START_AFTER_ms, false, { signal: started.signal });
  patience.catch(() => undefined);
  const isChecked = await Promise.race([checked.then(() => true), patience]).finally(() => started.abort());
  if (isChecked) return;
  log.warn({ engine }, 'starting without it');
  checked.catch(onUnusable);
}

function throwUncaught(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

async function keepChecking(
  engine: string,
  check: () => Promise<void>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let isAway = false;
  for (let wait_ms = FIRST_WAIT_ms; !signal.aborted; wait_ms = Math.min(wait_ms * 2, LONGEST_WAIT_ms)) {
    try {
      await check();
      if (isAway) log.info({ engine }, 'has been reached');
      return;
    } catch (err) {
      if (signal.aborted) return;
      if (!isPassing(err)) throw err;
      if (!isAway) log.warn({ engine, err }, 'cannot be reached, trying again');
      isAway = true;
      await pause(wait_ms, undefined, { signal }).catch(() => undefined);
    }
  }
}
