import { setTimeout as pause } from 'node:timers/promises';
import { HEALTH_TIMEOUT_ms, type ResponseOf } from '@alpenglow/domain';
import type { RequestHandler } from 'express';

/**
 * The maximum time until the health response is sent. Clients stop waiting after `HEALTH_TIMEOUT_ms`, so the
 * response "unavailable" is sent 2 s before this time.
 */
export const RESPONSE_TIMEOUT_ms = HEALTH_TIMEOUT_ms - 2_000;

/**
 * `GET /health`: checks whether this service can read its data. Responds with 503 if the reads fail or take
 * too long.
 */
export function createHealthHandler(
  version: string,
  isReady: () => Promise<boolean>,
  timeout_ms = RESPONSE_TIMEOUT_ms,
): RequestHandler {
  return async (_req, res) => {
    const ready = await withTimeout(isReady(), timeout_ms);
    const response: ResponseOf<'getHealth'> = {
      success: ready,
      status: ready ? 'ok' : 'unavailable',
      version,
      time: new Date().toISOString(),
    };
    res.setHeader('Cache-Control', 'no-store');
    res.status(ready ? 200 : 503).json(response);
  };
}

/** Resolves with the result of a check. Resolves to false if the check fails or takes too long. */
async function withTimeout(check: Promise<boolean>, timeout_ms: number): Promise<boolean> {
  const finished = new AbortController();
  const timeout = pause(timeout_ms, false, { signal: finished.signal }).catch(() => false);
  try {
    return await Promise.race([check, timeout]);
  } catch {
    return false;
  } finally {
    finished.abort();
  }
}
