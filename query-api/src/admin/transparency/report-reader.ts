import type { TransparencyReport } from '@alpenglow/domain';
import { TRANSPARENCY_DAYS, type Pool, type SelectedRow } from '@alpenglow/infra';
import type { Period } from './period.ts';

const PROPERTIES = TRANSPARENCY_DAYS.select([
  'measure',
  'subject',
  'reason',
  'outcome',
  'rule',
  'is_automated',
  'within_s',
]);

/**
 * The sum of the daily counts of one group over a period. A group is a combination of properties, e.g. all reports
 * about ads with the reason `spam`.
 */
export type SumRow = SelectedRow<typeof PROPERTIES> & { readonly count: number };

const SUMS = `select ${PROPERTIES}, sum(count)::int as count
  from ${TRANSPARENCY_DAYS.table}
  where day between $1::date and $2::date group by 1, 2, 3, 4, 5, 6, 7`;

/** Reads the numbers of the transparency report for a period. */
export async function readReport(pool: Pool, period: Pick<Period, 'from' | 'to'>): Promise<TransparencyReport> {
  const { rows } = await pool.query<SumRow>({
    name: 'transparency-report',
    text: SUMS,
    values: [period.from, period.to],
  });
  return createReport(rows, period);
}

/**
 * Creates the transparency report from the sums of its groups. Each list of the report is sorted by number, the largest
 * first.
 */
export function createReport(rows: readonly SumRow[], { from, to }: Pick<Period, 'from' | 'to'>): TransparencyReport {
  const of = (measure: SumRow['measure']) => rows.filter((row) => row.measure === measure);
  const total = (measure: SumRow['measure']) => of(measure).reduce((sum, { count }) => sum + count, 0);
  const byPeople = of('decision').filter((row) => row.is_automated === false);
  // The columns contain only enum values of the events, so the cast to `TransparencyReport` is safe.
  return {
    from,
    to,
    reports: groupRows(of('report'), ({ subject, reason }) => ({ subject, reason })),
    decisions: groupRows(of('decision'), ({ subject, outcome, rule, is_automated }) => ({
      subject,
      outcome,
      rule,
      isAutomated: is_automated,
    })),
    timeToDecision: computeDuration(byPeople),
    appeals: {
      filed: total('appeal'),
      decided: groupRows(of('appeal_decision'), ({ outcome }) => ({ outcome })),
      timeToDecision: computeDuration(of('appeal_decision')),
    },
    erasures: {
      asked: groupRows(of('erasure_request'), ({ outcome }) => ({ by: outcome })),
      completed: total('erasure'),
    },
    removals: {
      requested: total('removal_request'),
      decided: groupRows(of('removal_decision'), ({ outcome }) => ({ outcome })),
      timeToRemoval: computeRemovalTimes(of('removal')),
    },
    identityChecks: groupRows(of('identity_check'), ({ outcome }) => ({ outcome })),
  } as TransparencyReport;
}

function groupRows<Group extends object>(
  rows: readonly SumRow[],
  groupOf: (row: SumRow) => Group,
): readonly (Group & { readonly count: number })[] {
  const groups = new Map<string, Group & { readonly count: number }>();
  for (const row of rows) {
    const group = groupOf(row);
    const key = JSON.stringify(group);
    groups.set(key, { ...group, count: (groups.get(key)?.count ?? 0) + row.count });
  }
  return [...groups]
    .toSorted(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .map(([, group]) => group);
}

/**
 * Returns the number of decisions, and the time within which half of the decisions were made. The stored durations are
 * rounded up to fixed steps. The result is therefore the step that contains the median.
 */
function computeDuration(rows: readonly SumRow[]): TransparencyReport['timeToDecision'] {
  return { count: countTimed(rows), halfWithin_s: findStep_s(rows, 0.5) };
}

/** Returns the number of removals, and the times within which half, 95 % and all of them were completed. */
function computeRemovalTimes(rows: readonly SumRow[]): TransparencyReport['removals']['timeToRemoval'] {
  return {
    count: countTimed(rows),
    halfWithin_s: findStep_s(rows, 0.5),
    mostWithin_s: findStep_s(rows, 0.95),
    longest_s: findStep_s(rows, 1),
  };
}

const isTimed = (row: SumRow): row is SumRow & { readonly within_s: number } => row.within_s !== null;
const countTimed = (rows: readonly SumRow[]) => rows.filter(isTimed).reduce((sum, row) => sum + row.count, 0);

/** Returns the smallest step that contains this share of the durations, or null without durations. */
function findStep_s(rows: readonly SumRow[], share: number): number | null {
  const count = countTimed(rows);
  let counted = 0;
  for (const row of rows.filter(isTimed).toSorted((a, b) => a.within_s - b.within_s)) {
    counted += row.count;
    if (counted >= count * share) return row.within_s;
  }
  return null;
}
