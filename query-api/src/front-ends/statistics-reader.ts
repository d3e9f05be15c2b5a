import {
  estimatePercentile,
  FRONT_END_ERRORS,
  VIEW_MEASURES,
  VITAL_LIMITS,
  VITALS,
  type FrontEnd,
  type ResponseOf,
} from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

type Statistics = ResponseOf<'getFrontEndStatistics'>['data'];

/** Length of the period of the statistics. It is four weeks, so that each weekday occurs equally often. */
const PERIOD_days = 28;
const SHARE = 0.75;

interface Row {
  readonly front_end: FrontEnd;
  readonly hash: string;
  readonly measure: string;
  readonly range_index: number;
  readonly count: number;
  readonly last_day: string;
}

/**
 * Reads the views, errors and speeds of each deployment in the last days. The deployment with the latest report comes
 * first.
 * @param firstDay the first counted day (UTC), e.g. 2026-11-30. By default, the period has four weeks
 */
export async function readStatistics(pool: Pool, firstDay: string | null = null): Promise<Statistics> {
  const { rows } = await pool.query<Row>(
    `select front_end, hash, measure, range_index, sum(count)::float8 as count, max(day)::text as last_day
     from stats.front_end_days
     where day >= coalesce($2::date, (now() at time zone 'utc')::date - $1::int + 1)
     group by front_end, hash, measure, range_index`,
    [PERIOD_days, firstDay],
  );
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.front_end} ${row.hash}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const deployments = [...groups.values()].map(summarize);
  return {
    days: PERIOD_days,
    deployments: deployments.toSorted(
      (a, b) => compare(b.lastDay, a.lastDay) || compare(a.frontEnd, b.frontEnd) || compare(a.hash, b.hash),
    ),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function summarize(rows: readonly Row[]): Statistics['deployments'][number] {
  const { front_end: frontEnd, hash } = rows[0] as Row;
  const countsOf = (measure: string) =>
    new Map(rows.filter((row) => row.measure === measure).map((row) => [row.range_index, row.count]));
  const sumOf = (measure: string) => [...countsOf(measure).values()].reduce((sum, count) => sum + count, 0);
  return {
    frontEnd,
    hash,
    lastDay: rows.map(({ last_day: day }) => day).reduce((last, day) => (day > last ? day : last)),
    errors: FRONT_END_ERRORS.map((kind) => ({ kind, count: sumOf(kind) })).filter(({ count }) => count > 0),
    views: { started: sumOf(VIEW_MEASURES.started), failed: sumOf(VIEW_MEASURES.failed) },
    vitals: VITALS.flatMap((vital) => {
      const counts = countsOf(vital);
      const p75 = estimatePercentile(vital, counts, SHARE);
      const ranges = Array.from({ length: VITAL_LIMITS[vital].length + 1 }, (_, index) => counts.get(index) ?? 0);
      return p75 === null ? [] : [{ vital, p75, count: sumOf(vital), ranges }];
    }),
  };
}
