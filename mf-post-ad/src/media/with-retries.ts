import { isApiError } from '@alpenglow/ui';

export interface RetryOptions {
  /** The waiting times before the second and each later attempt. */
  readonly waits_ms: readonly number[];
  /** Waits before the next attempt. Rejects immediately when the upload is canceled. */
  readonly wait: (time_ms: number) => Promise<void>;
  /** Called after a failed attempt if another attempt follows. The first attempt has the number 1. */
  readonly onRetry: (attempt: number, error: unknown, wait_ms: number) => void;
}

/**
 * Repeats `attempt` until it succeeds or all waiting times are used. Then throws the last error. Errors that are not
 * transient are thrown immediately.
 */
export async function withRetries<T>(attempt: () => Promise<T>, { waits_ms, wait, onRetry }: RetryOptions): Promise<T> {
  for (let index = 0; ; index += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wait_ms = waits_ms[index];
      if (wait_ms === undefined || isCancelled(error) || needsLogin(error) || isPermanentError(error)) throw error;
      onRetry(index + 1, error, wait_ms);
      await wait(wait_ms);
    }
  }
}

const isCancelled = (error: unknown): boolean => isApiError(error) && error.code === 'CANCELLED';

/** Checks whether the request failed because the visitor is signed out. Retries cannot succeed before a login. */
const needsLogin = (error: unknown): boolean =>
  isApiError(error) && (error.code === 'NO_TOKEN' || error.status === 401);

/** Statuses below 500 after which an upload is repeated. A proxy may return 413 for a short time only. */
const REPEATED = [401, 408, 413, 425, 429];

/** Checks whether the server rejected the file. Timeouts, overload and network errors are transient. */
export function isPermanentError(error: unknown): boolean {
  return isApiError(error) && error.status >= 400 && error.status < 500 && !REPEATED.includes(error.status);
}
