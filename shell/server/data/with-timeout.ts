import { setTimeout as pause } from 'node:timers/promises';

/**
 * Resolves with the value of `promise`, or with `otherwise` if `promise` is still pending after `limit_ms`. Rejects if
 * `promise` rejects before that time.
 */
export async function withTimeout<Value, Otherwise>(
  promise: Promise<Value>,
  limit_ms: number,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  const settled = new AbortController();
  const timeout = pause(limit_ms, otherwise, { signal: settled.signal, ref: false }).catch(() => otherwise);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    settled.abort();
  }
}
