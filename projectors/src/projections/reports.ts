import { reportReference, toCaseId } from '@alpenglow/domain';
import { REPORTS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const reports = defineProjection(REPORTS)({
  indexes: (table) => [
    `create index on ${table} (reference)`,
    `create index on ${table} (case_id, filed_at desc)`,
    `create index on ${table} (reporter_id) where reporter_id is not null`,
  ],
  keyOf: (event) => (event.type === 'ReportFiled' ? event.data.reportId : null),
  on: {
    ReportFiled: ({ data, meta }) => ({
      report_id: data.reportId,
      reference: reportReference(data.reportId, meta.at),
      case_id: toCaseId(data.subject),
      reporter_id: data.reporterId,
      reason: data.reason,
      text: data.text,
      filed_at: meta.at,
    }),
  },
});
