import { reportReference, toCaseId } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  report_id: 'text primary key',
  reference: 'text not null',
  case_id: 'text not null',
  reporter_id: 'text',
  reason: 'text not null',
  text: 'text',
  filed_at: 'timestamptz not null',
} as const;

/**
 * A report about content, with the moderation case that it belongs to and the reference number that the reporter
 * received.
 */
export const reports = defineProjection<RowOf<typeof columns>>({
  ...declaredReadModel('reports'),
  columns,
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
