import type { FrontEndReport } from '@alpenglow/domain';
import { createOperationRouter, getInput, setFailure } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { sendUncached } from '../send-uncached.ts';
import type { ReportCounter } from './report-counter.ts';
import { readStatistics } from './statistics-reader.ts';

/** Time for which the statistics are reused, so that many requests cause one query. */
const REUSED_ms = 5_000;

/** The reports of browsers about errors and speeds of front ends, and their statistics. */
export function frontEndRoutes({ pool, reports }: Dependencies<'pool'> & { readonly reports: ReportCounter }) {
  let last: { readonly at_ms: number; readonly data: ReturnType<typeof readStatistics> } | null = null;
  const read = () => {
    if (last !== null && performance.now() - last.at_ms <= REUSED_ms) return last.data;
    const data = readStatistics(pool);
    last = { at_ms: performance.now(), data };
    // The next request reads again after a failure.
    data.catch(() => {
      if (last?.data === data) last = null;
    });
    return data;
  };
  return createOperationRouter()
    .on('reportFrontEnds', (req, res) => {
      const report = getInput(req);
      reports.count(report);
      recordShownErrors(report, res);
      res.status(204).setHeader('Cache-Control', 'no-store').end();
    })
    .on('getFrontEndStatistics', async (_req, res) => {
      sendUncached(res, { success: true, data: await read() });
    });
}

/** The code under which admins find the error of a page that a visitor sees. */
const PAGE_ERROR = 'PAGE_ERROR';

/**
 * Records errors of pages for admins. A visitor sees the id of the report as reference of the error. Other
 * errors have no screen.
 */
function recordShownErrors({ errors = [] }: FrontEndReport, res: object): void {
  const shown = errors.filter(({ kind }) => kind === 'render');
  if (shown.length === 0) return;
  const cause = shown.map(({ frontEnd, hash }) => `The page of ${frontEnd} ${hash} has thrown an error`.trim());
  setFailure(res, { code: PAGE_ERROR, cause: cause.join('. ') });
}
