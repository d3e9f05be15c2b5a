import { setTimeout as pause } from 'node:timers/promises';
import pRetry from 'p-retry';
import { isTransient } from '../http/errors.ts';
import type { Logger } from './logger.ts';

/**
 * The maximum time by which a check delays the start of the process. A reachable backing service responds within this
 * time.
 */
const START_AFTER_ms = 1_000;
const FIRST_WAIT_ms = 500;
const LONGEST_WAIT_ms = 5_000;

export interface CheckOptions {
  readonly log: Logger;
  readonly onStop: (close: () => Promise<unknown>) => void;
  /** Called if the check fails permanently after the start of the process. By default, the error ends the process. */
  readonly onPermanentError?: (error: unknown) => void;
}

/**
 * Checks a backing service that is not required for the start of the process. Resolves when `check` has succeeded, but
 * after a second at the latest. After that, repeats the check in the background, as long as its errors are transient. A
 * permanent error means that the configuration is wrong. In this case, the function rejects. If it has already
 * resolved, the error ends the process as an uncaught exception.
 */
export async function checkWithRetries(
  name: string,
  check: () => Promise<void>,
  { log, onStop, onPermanentError = throwUncaught }: CheckOptions,
): Promise<void> {
  const stopped = new AbortController();
  onStop(() => Promise.resolve(stopped.abort()));
  const checked = checkUntilReached(name, check, log, stopped.signal);
  const started = new AbortController();
  const timeout = pause(START_AFTER_ms, false, { signal: started.signal });
  timeout.catch(() => undefined);
  const isChecked = await Promise.race([checked.then(() => true), timeout]).finally(() => started.abort());
  if (isChecked) return;
  log.warn({ engine: name }, 'starting without this backing service');
  checked.catch(onPermanentError);
}

function throwUncaught(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

async function checkUntilReached(
  name: string,
  check: () => Promise<void>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let isUnreachable = false;
  try {
    await pRetry(check, {
      retries: Infinity,
      minTimeout: FIRST_WAIT_ms,
      maxTimeout: LONGEST_WAIT_ms,
      signal,
      shouldRetry: ({ error }) => isTransient(error),
      onFailedAttempt({ error }) {
        if (signal.aborted || isUnreachable || !isTransient(error)) return;
        log.warn({ engine: name, err: error }, 'backing service cannot be reached, retrying');
        isUnreachable = true;
      },
    });
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  if (isUnreachable) log.info({ engine: name }, 'backing service has been reached');
}
