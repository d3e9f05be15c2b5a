import type { TransparencyAnswer } from '@alpenglow/domain';
import { waitForPosition, type Authentication, type Pool, type ReadModelProgress } from '@alpenglow/infra';
import { Router } from 'express';
import { parsePeriod } from './period.ts';
import { reportCsv } from './report-csv.ts';
import { readReport } from './report-reader.ts';

export interface TransparencyDependencies {
  readonly pool: Pool;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
}

/** The transparency report, to be mounted at `/admin/transparency`. */
export function transparencyRoutes({ pool, authentication, progress }: TransparencyDependencies): Router {
  const router = Router();
  router.get('/', waitForPosition(progress, ['transparency_days']), async (req, res) => {
    await authentication.requireModerator(req);
    const period = parsePeriod(req.query, Date.now());
    const data = await readReport(pool, period);
    res.setHeader('Cache-Control', 'no-store');
    if (period.format !== null)
      res.setHeader(
        'Content-Disposition',
        `attachment; filename="transparency-${period.from}-${period.to}.${period.format}"`,
      );
    if (period.format === 'csv') res.type('text/csv; charset=utf-8').send(reportCsv(data));
    else res.json({ success: true, data } satisfies TransparencyAnswer);
  });
  return router;
}
