import { isApiError } from '../api/api-error.ts';

export interface RetryOptions {
  /** The waiting times before the second and each later attempt. */
  readonly waits_ms: readonly number[];
  /** The waiting times after `waits_ms`, while the server cannot be reached. */
  readonly connectionWaits_ms: readonly number[];
  /** Returns the uploaded fraction of the file. */
  readonly getProgress: () => number;
  /** Waits before the next attempt. Rejects immediately when the upload is canceled. */
  readonly wait: (time_ms: number) => Promise<void>;
  /** Called after a failed attempt if another attempt follows. The first attempt has the number 1. */
  readonly onRetry: (attempt: number, error: unknown, wait_ms: number) => void;
  /** Called after an attempt that did not reach the server, if another attempt follows after `connectionWaits_ms`. */
  readonly onDisconnected: () => void;
}

/**
 * Repeats `attempt` until it succeeds or all waiting times are used. Then throws the last error. Errors that are not
 * transient are thrown immediately. If the server is still not reached after `waits_ms`, the repetitions continue with
 * `connectionWaits_ms`, which begin again when the server is reached, or when an attempt gets further than all earlier
 * ones. The server may fail as often as there are `waits_ms`.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { waits_ms, connectionWaits_ms, getProgress, wait, onRetry, onDisconnected } = options;
  /** The number of failed attempts, and of those among them that have reached the server. */
  let attempts = 0;
  let failures = 0;
  /** The number of used `connectionWaits_ms`. */
  let connectionWaits = 0;
  let bestProgress = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isCancelled(error) || needsLogin(error) || isPermanentError(error)) throw error;
      const isConnected = !isDisconnection(error);
      const isFirst = attempts < waits_ms.length;
      if (isConnected || getProgress() > bestProgress) connectionWaits = 0;
      bestProgress = Math.max(bestProgress, getProgress());
      const wait_ms = isConnected
        ? waits_ms[failures]
        : isFirst
          ? waits_ms[attempts]
          : connectionWaits_ms[connectionWaits];
      if (wait_ms === undefined) throw error;
      attempts += 1;
      if (isConnected) failures += 1;
      if (isConnected || isFirst) {
        onRetry(attempts, error, wait_ms);
      } else {
        connectionWaits += 1;
        onDisconnected();
      }
      await wait(wait_ms);
    }
  }
}

/** Checks whether the server could not be reached, or the connection was lost. */
const isDisconnection = (error: unknown): boolean => isApiError(error) && error.code === 'NETWORK';

const isCancelled = (error: unknown): boolean => isApiError(error) && error.code === 'CANCELLED';

/** Checks whether the request failed because the visitor is signed out. Retries cannot succeed before a login. */
const needsLogin = (error: unknown): boolean =>
  isApiError(error) && (error.code === 'NO_TOKEN' || error.status === 401);

/**
 * Statuses below 500 after which an upload is repeated. A proxy may return 413 for a short time only. With
 * 409, the server has another number of bytes than the client assumed, and the next attempt requests this number.
 */
const REPEATED = [401, 408, 409, 413, 425, 429];

/**
 * Checks whether the server rejected the file. Timeouts, overload, incomplete files and network errors are transient.
 */
export function isPermanentError(error: unknown): boolean {
  if (!isApiError(error) || error.code === 'UPLOAD_BROKEN_OFF') return false;
  return error.status >= 400 && error.status < 500 && !REPEATED.includes(error.status);
}
