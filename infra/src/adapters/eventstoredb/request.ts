import { EventStoreUnavailable } from '@alpenglow/domain';
import pRetry from 'p-retry';
import { withinTime } from '../../service/polling-and-slots.ts';
import { isRetryable, toPortError } from './errors.ts';

/** The time limit of an append, including its retries. For a read, it is the maximum time without received data. */
export const REQUEST_TIMEOUT_ms = 10_000;
/**
 * A failed request is retried after 50, 200 and 800 ms, perhaps on another connection or with another leader. Retries
 * are safe, because reads change nothing and event ids make appends idempotent. Requests that timed out are not
 * retried.
 */
const RETRIES = { retries: 3, minTimeout: 50, factor: 4 } as const;

/**
 * Sends a request and retries it until it succeeds or `deadline` (Unix ms) is reached. Rejects with the errors of our
 * `EventStore` interface.
 */
export async function sendWithRetry<T>(send: () => Promise<T>, deadline = Infinity): Promise<T> {
  try {
    return await pRetry(() => withDeadline(deadline, send), {
      ...RETRIES,
      shouldRetry: ({ error, retriesConsumed }) =>
        isRetryable(error) && Date.now() + RETRIES.minTimeout * RETRIES.factor ** retriesConsumed < deadline,
    });
  } catch (cause) {
    throw toPortError(cause);
  }
}

/**
 * Returns the result of `send`. Rejects with `EventStoreUnavailable` after `deadline` (Unix ms), because the
 * EventStoreDB client may wait longer for a connection.
 */
export async function withDeadline<T>(deadline: number, send: () => Promise<T>): Promise<T> {
  if (deadline === Infinity) return send();
  const left_ms = deadline - Date.now();
  if (left_ms <= 0) throw timeoutError();
  return withinTime(send(), left_ms, timeoutError);
}

function timeoutError(): EventStoreUnavailable {
  return new EventStoreUnavailable('The event store does not respond');
}
