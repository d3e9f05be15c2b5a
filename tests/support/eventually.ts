import { vi } from 'vitest';
import { PATIENCE_ms } from './patience.ts';

/** Repeats a check until it does not throw, and resolves with its result. Rejects with its last error after `PATIENCE_ms`. */
export function eventually<T>(check: () => T | Promise<T>, { interval_ms = 50 } = {}): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_ms, interval: interval_ms });
}
