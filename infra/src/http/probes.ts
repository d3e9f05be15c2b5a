import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@alpenglow/domain';
import { Router } from 'express';
import type { Metrics } from '../service/metrics.ts';

/**
 * Returns the routes for probes of the operator. `/healthz` shows that the process is running. `/readyz` shows that its
 * backing services respond. Its response lists the read models that `findNotCurrent` returns: a process that serves
 * readers stays ready with them, because readers use the old tables until the rebuilt ones replace them. It also lists
 * the consumers of events that `findFailing` returns. The process stays ready with them, because it can serve requests,
 * and an unavailable site would repair nothing. `/metrics`
 * returns metrics in the Prometheus text format, if the request contains the token. It returns 404 if
 * `metricsToken` is null.
 */
export function createProbes(
  { metrics, metricsToken }: { readonly metrics: Metrics; readonly metricsToken: string | null },
  isReady: () => Promise<boolean>,
  findNotCurrent: () => Promise<readonly string[]> = async () => [],
  findFailing: () => Promise<readonly string[]> = async () => [],
): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const ready = await isReady().catch(() => false);
    const [notCurrent, failing] = await Promise.all([findNotCurrent().catch(() => []), findFailing().catch(() => [])]);
    res.status(ready ? 200 : 503).json({
      status: ready ? 'ready' : 'not ready',
      ...(notCurrent.length > 0 && { notCurrent }),
      ...(failing.length > 0 && { failing }),
    });
  });
  router.get('/metrics', async (req, res) => {
    if (metricsToken === null) throw new DomainError('NOT_FOUND');
    if (!isEqual(req.get('authorization') ?? '', `Bearer ${metricsToken}`))
      throw new DomainError('AUTHENTICATION_REQUIRED');
    res.type(metrics.contentType).send(await metrics.metrics());
  });
  return router;
}

/** Compares two texts in constant time, so that the time of a response does not reveal a part of the token. */
function isEqual(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(first, second);
}
