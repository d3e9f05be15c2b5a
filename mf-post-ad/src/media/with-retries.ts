import { isApiError } from '@alpenglow/ui';

export interface RetryOptions {
  /** What to wait before the second attempt, the third, and so on. */
  readonly waits_ms: readonly number[];
  /** Rejects at once when the upload is cancelled. */
  readonly wait: (time_ms: number) => Promise<void>;
  /** An attempt failed and another follows. `attempt` counts from 1. */
  readonly onRetry: (attempt: number, error: unknown, wait_ms: number) => void;
}

/** Tries until it works or the waits are used up, then throws the last error. What cannot get better by itself is not tried again. */
export async function withRetries<T>(attempt: () => Promise<T>, { waits_ms, wait, onRetry }: RetryOptions): Promise<T> {
  for (let index = 0; ; index += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wait_ms = waits_ms[index];
      if (wait_ms === undefined || isCancelled(error) || needsLogin(error) || isFinal(error)) throw error;
      onRetry(index + 1, error, wait_ms);
      await wait(wait_ms);
    }
  }
}

const isCancelled = (error: unknown): boolean => isApiError(error) && error.code === 'CANCELLED';

/** Nobody is signed in: it works again after a login, not after a wait. */
const needsLogin = (error: unknown): boolean =>
  isApiError(error) && (error.code === 'NO_TOKEN' || error.status === 401);

/** Too slow, too busy or no answer may pass; a refusal of this very file does not. */
export function isFinal(error: unknown): boolean {
  return isApiError(error) && error.status >= 400 && error.status < 500 && ![401, 408, 425, 429].includes(error.status);
}
