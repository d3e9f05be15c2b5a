import { caseIdOf, reportReference } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** A report, by the case it belongs to and by the reference whoever reported was told. */
export type ReportRow = {
  readonly report_id: string;
  readonly reference: string;
  readonly case_id: string;
  readonly reporter_id: string | null;
  readonly reason: string;
  readonly text: string | null;
  readonly filed_at: string;
};

export const reports = defineProjection<ReportRow>({
  name: 'reports',
  version: 1,
  columns: {
    report_id: 'text primary key',
    reference: 'text not null',
    case_id: 'text not null',
    reporter_id: 'text',
    reason: 'text not null',
    text: 'text',
    filed_at: 'timestamptz not null',
  },
  indexes: (table) => [
    `create index on ${table} (reference)`,
    `create index on ${table} (case_id, filed_at desc)`,
    `create index on ${table} (reporter_id) where reporter_id is not null`,
  ],
  keyOf: (event) => (event.type === 'ReportFiled' ? event.data.reportId : null),
  on: {
    ReportFiled: ({ data, meta }) => ({
      report_id: data.reportId,
      reference: reportReference(data.reportId),
      case_id: caseIdOf(data.subject),
      reporter_id: data.reporterId,
      reason: data.reason,
      text: data.text,
      filed_at: meta.at,
    }),
  },
});
