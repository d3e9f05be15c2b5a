import type { OverviewAnswer } from '@alpenglow/domain';
import type { Authentication } from '@alpenglow/infra';
import { Router } from 'express';
import { createOverviewReader, type OverviewDependencies } from './overview-reader.ts';

/** `GET /admin/overview`. */
export function overviewRoutes(deps: OverviewDependencies & { readonly authentication: Authentication }): Router {
  const overview = createOverviewReader(deps);
  const router = Router();
  router.get('/', async (req, res) => {
    await deps.authentication.requireAdmin(req);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: await overview.read() } satisfies OverviewAnswer);
  });
  return router;
}
