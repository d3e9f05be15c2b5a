import { setTimeout as pause } from 'node:timers/promises';
import { DomainError, type ErrorCode } from '@alpenglow/domain';

/**
 * Time in ms after which a delayed error response is sent. Writing an event takes less time, so the duration of the
 * request does not show whether an event was written (decision 0055).
 */
export const ERROR_DELAY_ms = 200;

/**
 * Runs `work`. If `work` throws the error `code`, the error is thrown only after `ERROR_DELAY_ms`. The duration of the
 * request then does not reveal what `work` has read or written. The error CONFLICT would reveal that an e-mail address
 * has an account, so it is replaced with the error `code`.
 */
export async function withEqualErrorTime<T>(code: ErrorCode, work: () => Promise<T>): Promise<T> {
  const startedAt_ms = performance.now();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || (error.code !== code && error.code !== 'CONFLICT')) throw error;
    await pause(Math.max(0, startedAt_ms + ERROR_DELAY_ms - performance.now()));
    throw new DomainError(code);
  }
}
