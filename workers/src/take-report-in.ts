import type { JobHandler } from '@alpenglow/domain';
import { takeReportIn, type ModerationDependencies } from '@alpenglow/infra';

/** Puts a report to its case and hides what it asks to be hidden, unless its call has done both. */
export function takeReportInJob(deps: ModerationDependencies): JobHandler<'take-report-in'> {
  return async (report) => {
    await takeReportIn(deps, report, { actor: { kind: 'system', name: 'report' }, correlationId: report.reportId });
  };
}
