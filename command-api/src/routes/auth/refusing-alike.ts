import { setTimeout as pause } from 'node:timers/promises';
import { DomainError, type ErrorCode } from '@alpenglow/domain';

/** Longer than an event takes to be written, which is what tells one refusal from another (decision 0022). */
export const REFUSAL_ms = 200;

/**
 * Has every refusal with this code take the same time, whatever was looked up or written before it. Losing to another writer five times
 * is refused with it too: on an address without an account there is nothing to lose.
 */
export async function refusingAlike<T>(code: ErrorCode, work: () => Promise<T>): Promise<T> {
  const startedAt_ms = performance.now();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || (error.code !== code && error.code !== 'CONFLICT')) throw error;
    await pause(startedAt_ms + REFUSAL_ms - performance.now());
    throw new DomainError(code);
  }
}
