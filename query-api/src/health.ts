import type { RequestHandler } from 'express';

/** `GET /health` of the specification, section 7. */
export function health(version: string, isReady: () => Promise<boolean>): RequestHandler {
  return async (_req, res) => {
    const ready = await isReady().catch(() => false);
    res.setHeader('Cache-Control', 'no-store');
    res.status(ready ? 200 : 503).json({ success: ready, status: ready ? 'ok' : 'unavailable', version, time: new Date().toISOString() });
  };
}
