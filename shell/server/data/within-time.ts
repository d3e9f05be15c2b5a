import { setTimeout as pause } from 'node:timers/promises';

/** What a promise comes to, or `otherwise` when that takes too long. Rejects as it does. */
export async function withinTime<Value, Otherwise>(
  promise: Promise<Value>,
  limit_ms: number,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  const settled = new AbortController();
  const late = pause(limit_ms, otherwise, { signal: settled.signal, ref: false }).catch(() => otherwise);
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort();
  }
}
