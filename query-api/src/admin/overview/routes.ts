import type { Authentication } from '@alpenglow/infra';
import { createOperationRouter } from '@alpenglow/infra';
import { sendUncached } from '../../send-uncached.ts';
import { readPictureChecks } from './picture-check-reader.ts';
import { createOverviewReader, type OverviewDependencies } from './overview-reader.ts';

/**
 * `GET /admin/overview`: returns the overview for admins, e.g. the numbers of users, ads and open cases.
 * `GET /admin/picture-checks`: returns the progress of the checks of published pictures.
 */
export function overviewRoutes(deps: OverviewDependencies & { readonly authentication: Authentication }) {
  const overview = createOverviewReader(deps);
  const router = createOperationRouter();
  router.on('getOverview', async (req, res) => {
    await deps.authentication.requireAdmin(req);
    sendUncached(res, { success: true, data: await overview.read() });
  });
  router.on('getPictureChecks', async (req, res) => {
    await deps.authentication.requireAdmin(req);
    sendUncached(res, { success: true, data: await readPictureChecks(deps) });
  });
  return router;
}
