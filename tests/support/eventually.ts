import { vi } from 'vitest';
import { MAX_WAIT_ms } from './max-wait.ts';

/** Repeats a check until it succeeds, and resolves with its result. Rejects with the last error after `MAX_WAIT_ms`. */
export function eventually<T>(check: () => T | Promise<T>, { interval_ms = 50 } = {}): Promise<T> {
  return vi.waitFor(check, { timeout: MAX_WAIT_ms, interval: interval_ms });
}
