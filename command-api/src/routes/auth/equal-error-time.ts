import { setTimeout as pause } from 'node:timers/promises';
import { DomainError, type ErrorCode } from '@alpenglow/domain';

/**
 * Time after which a delayed error response is sent. It is longer than the write of an event, so the duration does not
 * show whether an event was written (decision 0022).
 */
export const ERROR_DELAY_ms = 200;

/**
 * Runs `work`, and delays an error with this code until `ERROR_DELAY_ms` has passed. The duration then does not depend
 * on the reads and writes of `work`. A CONFLICT occurs only for an address that has an account, so it is replaced with
 * the same error.
 */
export async function withEqualErrorTime<T>(code: ErrorCode, work: () => Promise<T>): Promise<T> {
  const startedAt_ms = performance.now();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || (error.code !== code && error.code !== 'CONFLICT')) throw error;
    await pause(startedAt_ms + ERROR_DELAY_ms - performance.now());
    throw new DomainError(code);
  }
}
