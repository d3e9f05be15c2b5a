import { createOperationRouter, getQuery, waitForPosition } from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from '../../dependencies.ts';
import { toPeriod } from './period.ts';
import { createReportCsv } from './report-csv.ts';
import { readReport } from './report-reader.ts';

/** The API operation that returns the transparency report, which contains e.g. the numbers of reports and decisions. */
export function transparencyRoutes({
  pool,
  authentication,
  progress,
}: Dependencies<'pool' | 'authentication' | 'progress'>) {
  const router = createOperationRouter();
  router.on('getTransparencyReport', waitForPosition(progress, ['transparency_days']), async (req, res) => {
    await authentication.requireModerator(req);
    const period = toPeriod(getQuery(req), Date.now());
    const data = await readReport(pool, period);
    res.setHeader('Cache-Control', 'no-store');
    if (period.format !== null)
      res.setHeader(
        'Content-Disposition',
        `attachment; filename="transparency-${period.from}-${period.to}.${period.format}"`,
      );
    const file: Response = res;
    if (period.format === 'csv') file.type('text/csv; charset=utf-8').send(createReportCsv(data));
    else res.json({ success: true, data });
  });
  return router;
}
