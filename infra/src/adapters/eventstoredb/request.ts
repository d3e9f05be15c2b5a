import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreUnavailable } from '@alpenglow/domain';
import { isWorthRepeating, toPortError } from './errors.ts';

/** How long an append may take, however often it is sent, and how long a read may be without an answer. */
export const REQUEST_TIMEOUT_ms = 10_000;
/** What may find another connection or leader is sent again after these waits: a read is harmless, and event ids make an append so. What took too long is not. */
const RETRY_WAITS_ms = [50, 200, 800] as const;

/** Sends a request until it has an answer, or is out of time (`deadline`, milliseconds since 1970). Rejects with the port's errors. */
export async function request<T>(send: () => Promise<T>, deadline = Infinity): Promise<T> {
  for (let broken = 0; ; broken += 1) {
    try {
      return await within(deadline, send);
    } catch (cause) {
      const wait_ms = RETRY_WAITS_ms[broken];
      if (!isWorthRepeating(cause) || wait_ms === undefined || Date.now() + wait_ms >= deadline)
        throw toPortError(cause);
      await pause(wait_ms);
    }
  }
}

/** Rejects with `EventStoreUnavailable` once the deadline has passed: the client may wait for a connection longer than a call may last. */
export async function within<T>(deadline: number, send: () => Promise<T>): Promise<T> {
  if (deadline === Infinity) return send();
  const left_ms = deadline - Date.now();
  if (left_ms <= 0) throw silent();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      send(),
      new Promise<never>((_resolve, reject) => (timer = setTimeout(() => reject(silent()), left_ms))),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

function silent(): EventStoreUnavailable {
  return new EventStoreUnavailable('The event store does not answer');
}
