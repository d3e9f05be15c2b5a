import { isApiError } from '@alpenglow/ui';

export interface RetryOptions {
  /** What to wait before the second attempt, the third, and so on. */
  readonly waits_ms: readonly number[];
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
      if (wait_ms === undefined || !mayPass(error)) throw error;
      onRetry(index + 1, error, wait_ms);
      await wait(wait_ms);
    }
  }
}

/** Too slow, too busy or no answer may pass; a refusal of this very file, or a cancelled upload, does not. */
function mayPass(error: unknown): boolean {
  if (!isApiError(error)) return true;
  if (error.code === 'CANCELLED' || error.code === 'NO_TOKEN') return false;
  return error.status < 400 || error.status >= 500 || [408, 425, 429].includes(error.status);
}
