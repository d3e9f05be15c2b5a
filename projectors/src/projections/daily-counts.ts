import { DAILY_COUNTS, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export type DailyCountRow = JsonRowOf<typeof DAILY_COUNTS>;

export const dailyCounts = defineProjection(DAILY_COUNTS)({
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
