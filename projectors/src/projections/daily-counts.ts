import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  /** The day in UTC, in the format YYYY-MM-DD. */
  day: 'text primary key',
  sign_ups: 'integer not null',
  ads: 'integer not null',
  reports: 'integer not null',
} as const;

/**
 * The numbers of sign-ups, new ads and reports of one day. These numbers do not decrease when an account is closed or
 * an ad is deleted later.
 */
export type DailyCountRow = RowOf<typeof columns>;

export const dailyCounts = defineProjection<DailyCountRow>({
  ...declaredReadModel('daily_counts'),
  columns,
  ignoresPersonalFields: true,
  keyOf: ({ meta }) => meta.at.slice(0, 10),
  on: {
    AccountRegistered: ({ meta }, row) => increment(meta.at, row, 'sign_ups'),
    AdPosted: ({ meta }, row) => increment(meta.at, row, 'ads'),
    ReportFiled: ({ meta }, row) => increment(meta.at, row, 'reports'),
  },
});

function increment(at: string, row: DailyCountRow | null, column: Exclude<keyof DailyCountRow, 'day'>): DailyCountRow {
  const before = row ?? { day: at.slice(0, 10), sign_ups: 0, ads: 0, reports: 0 };
  return { ...before, [column]: before[column] + 1 };
}
