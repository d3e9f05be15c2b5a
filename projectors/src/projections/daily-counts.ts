import { defineProjection } from '../projection.ts';

/** What happened on one day, UTC. It counts what was done, so that who closes their account or takes an ad down has been there all the same. */
export type DailyCountRow = {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly sign_ups: number;
  readonly ads: number;
  readonly reports: number;
};

export const dailyCounts = defineProjection<DailyCountRow>({
  name: 'daily_counts',
  version: 1,
  columns: {
    day: 'text primary key',
    sign_ups: 'integer not null',
    ads: 'integer not null',
    reports: 'integer not null',
  },
  indexes: () => [],
  keyOf: ({ meta }) => meta.at.slice(0, 10),
  on: {
    AccountRegistered: ({ meta }, row) => counted(meta.at, row, 'sign_ups'),
    AdPosted: ({ meta }, row) => counted(meta.at, row, 'ads'),
    ReportFiled: ({ meta }, row) => counted(meta.at, row, 'reports'),
  },
});

function counted(at: string, row: DailyCountRow | null, what: Exclude<keyof DailyCountRow, 'day'>): DailyCountRow {
  const before = row ?? { day: at.slice(0, 10), sign_ups: 0, ads: 0, reports: 0 };
  return { ...before, [what]: before[what] + 1 };
}
