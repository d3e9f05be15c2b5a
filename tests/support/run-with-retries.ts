import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs a duty, a background task of the product, until it is stopped. Runs it again after each failure, as the product
 * does.
 */
export function runWithRetries(
  duty: (signal: AbortSignal) => Promise<void>,
  { retry_ms = 100 } = {},
): { readonly failures: readonly Error[]; stop(): Promise<void> } {
  const stopped = new AbortController();
  const failures: Error[] = [];
  const done = (async () => {
    while (!stopped.signal.aborted) {
      await duty(stopped.signal).catch((error: unknown) => failures.push(error as Error));
      await pause(retry_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    failures,
    async stop() {
      stopped.abort();
      await done;
    },
  };
}
