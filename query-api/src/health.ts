import { setTimeout as pause } from 'node:timers/promises';
import { HEALTH_TIMEOUT_ms, type HealthAnswer } from '@alpenglow/domain';
import type { RequestHandler } from 'express';

/** Whoever asks gives up after `HEALTH_TIMEOUT_ms` (specification, section 9), and shall have heard "unavailable" by then. */
export const ANSWER_ms = HEALTH_TIMEOUT_ms - 2_000;

/** `GET /health` of the specification, section 7: 503 where reads do not answer, or not in time. */
export function health(version: string, isReady: () => Promise<boolean>, answer_ms = ANSWER_ms): RequestHandler {
  return async (_req, res) => {
    const ready = await inTime(isReady(), answer_ms);
    const answer: HealthAnswer = {
      success: ready,
      status: ready ? 'ok' : 'unavailable',
      version,
      time: new Date().toISOString(),
    };
    res.setHeader('Cache-Control', 'no-store');
    res.status(ready ? 200 : 503).json(answer);
  };
}

/** What is found out within the time; false where it is not, or cannot be. */
async function inTime(finding: Promise<boolean>, timeout_ms: number): Promise<boolean> {
  const over = new AbortController();
  const late = pause(timeout_ms, false, { signal: over.signal }).catch(() => false);
  try {
    return await Promise.race([finding, late]);
  } catch {
    return false;
  } finally {
    over.abort();
  }
}
