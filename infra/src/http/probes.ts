import { DomainError } from '@alpenglow/domain';
import { Router } from 'express';
import type { Metrics } from '../service/metrics.ts';

/**
 * Returns the routes for probes. `/healthz` shows that the process runs. `/readyz` shows that its backing services
 * respond. `/metrics` returns metrics in the Prometheus text format, or 404 if `metrics` is null.
 */
export function createProbes(metrics: Metrics | null, isReady: () => Promise<boolean>): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const ready = await isReady().catch(() => false);
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not ready' });
  });
  router.get('/metrics', async (_req, res) => {
    if (!metrics) throw new DomainError('NOT_FOUND');
    res.type(metrics.contentType).send(await metrics.metrics());
  });
  return router;
}
