import { vi } from 'vitest';

/** Long enough for a busy machine; it only costs where something is wrong. */
const LIMIT_ms = 30_000;

/** Asks again and again until it does not throw, for half a minute unless told. */
export function eventually<T>(ask: () => T | Promise<T>, { timeout_ms = LIMIT_ms, interval_ms = 50 } = {}): Promise<T> {
  return vi.waitFor(ask, { timeout: timeout_ms, interval: interval_ms });
}
