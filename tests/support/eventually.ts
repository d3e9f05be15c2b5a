import { setTimeout as pause } from 'node:timers/promises';
import { MAX_WAIT_ms } from './max-wait.ts';

/**
 * Repeats a check until it succeeds, and resolves with its result. Rejects with the last error after `MAX_WAIT_ms`.
 * Does not use Vitest, because `npm run screenshots` also calls this function.
 */
export async function eventually<T>(check: () => T | Promise<T>, { interval_ms = 50 } = {}): Promise<T> {
  const until_ms = performance.now() + MAX_WAIT_ms;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > until_ms) throw error;
    }
    await pause(interval_ms);
  }
}
