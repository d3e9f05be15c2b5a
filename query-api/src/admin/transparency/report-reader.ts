import type { TransparencyReport } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import type { Period } from './period.ts';

/** A sum of `rm.transparency_days` over a period. */
export interface CountedRow {
  readonly measure: string;
  readonly subject: string | null;
  readonly reason: string | null;
  readonly outcome: string | null;
  readonly rule: string | null;
  readonly is_automated: boolean | null;
  readonly within_s: number | null;
  readonly count: number;
}

const SUMS = `select measure, subject, reason, outcome, rule, is_automated, within_s, sum(count)::int as count from rm.transparency_days
  where day between $1::date and $2::date group by 1, 2, 3, 4, 5, 6, 7`;

/** Reads the figures of a period. */
export async function readReport(pool: Pool, period: Pick<Period, 'from' | 'to'>): Promise<TransparencyReport> {
  const { rows } = await pool.query<CountedRow>({
    name: 'transparency-report',
    text: SUMS,
    values: [period.from, period.to],
  });
  return reportOf(rows, period);
}

/** The report that these sums add up to, the largest figures first. */
export function reportOf(rows: readonly CountedRow[], { from, to }: Pick<Period, 'from' | 'to'>): TransparencyReport {
  const of = (measure: string) => rows.filter((row) => row.measure === measure);
  const total = (measure: string) => of(measure).reduce((sum, { count }) => sum + count, 0);
  const byPeople = of('decision').filter((row) => row.is_automated === false);
  // The names of the enums are those of the events the projection counts.
  return {
    from,
    to,
    reports: grouped(of('report'), ({ subject, reason }) => ({ subject, reason })),
    decisions: grouped(of('decision'), ({ subject, outcome, rule, is_automated }) => ({
      subject,
      outcome,
      rule,
      isAutomated: is_automated,
    })),
    timeToDecision: durationOf(byPeople),
    appeals: {
      filed: total('appeal'),
      decided: grouped(of('appeal_decision'), ({ outcome }) => ({ outcome })),
      timeToDecision: durationOf(of('appeal_decision')),
    },
    erasures: {
      asked: grouped(of('erasure_request'), ({ outcome }) => ({ by: outcome })),
      completed: total('erasure'),
    },
    identityChecks: grouped(of('identity_check'), ({ outcome }) => ({ outcome })),
  } as TransparencyReport;
}

function grouped<Group extends object>(
  rows: readonly CountedRow[],
  groupOf: (row: CountedRow) => Group,
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

/** How long a half of them took at most: the step that holds the median. */
function durationOf(rows: readonly CountedRow[]): TransparencyReport['timeToDecision'] {
  const timed = rows
    .filter((row): row is CountedRow & { readonly within_s: number } => row.within_s !== null)
    .toSorted((a, b) => a.within_s - b.within_s);
  const count = timed.reduce((sum, row) => sum + row.count, 0);
  let seen = 0;
  for (const { within_s, count: more } of timed) {
    seen += more;
    if (seen * 2 >= count) return { count, halfWithin_s: within_s };
  }
  return { count, halfWithin_s: null };
}
