import { setTimeout as pause } from 'node:timers/promises';

/** Resolves like `promise`, or with `otherwise` after `limit_ms`. Rejects if `promise` rejects before that. */
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
