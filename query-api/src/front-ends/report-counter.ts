import { findInterval, VIEW_MEASURES, type FrontEnd, type FrontEndReport } from '@alpenglow/domain';
import type { FrontEndMetrics, Logger, Pool } from '@alpenglow/infra';
import { createCountBuffer } from '../count-buffer.ts';
import type { DeployedBuilds } from './deployed-builds.ts';

export type ReportCounter = ReturnType<typeof createReportCounter>;

const DAY_ms = 86_400_000;
/** Time for which the counts of a day are stored. */
const STORED_days = 90;
/**
 * Maximum number of deployments per front end and day that this process counts separately. Anyone can send a report
 * with an invented hash, and each new hash needs rows. Reports about further deployments are counted without their
 * hash. The builds in the registry are always counted separately, because releases are compared with these counts.
 */
const DEPLOYMENTS_PER_DAY = 20;

/**
 * Maximum number of front ends that this process counts separately while the deployed ones are unknown, because anyone
 * can invent their names. Reports about further ones are counted as `OTHER`. The shell is always one of them.
 */
const FRONT_ENDS_MAX = 30;
const OTHER: FrontEnd = 'mf-other';

/** The key of a row of `stats.front_end_days`. */
type Row = readonly [day: string, frontEnd: string, hash: string, measure: string, interval: number];

/** Adds counts to the stored ones. The keys are rows as JSON. */
async function addReports(pool: Pool, counts: ReadonlyMap<string, number>): Promise<void> {
  // All processes write the rows in the same order, so that their statements cannot block each other.
  const entries = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = entries.map(([key]) => JSON.parse(key) as Row);
  const column = (index: 0 | 1 | 2 | 3 | 4) => rows.map((row) => row[index]);
  await pool.query(
    `insert into stats.front_end_days as known (day, front_end, hash, measure, range_index, count)
     select * from unnest($1::date[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::bigint[])
     on conflict (day, front_end, hash, measure, range_index)
     do update set count = known.count + excluded.count`,
    [column(0), column(1), column(2), column(3), column(4), entries.map(([, count]) => count)],
  );
}

/**
 * Creates a counter of the reports of browsers about front ends. The counts are written to `stats.front_end_days`
 * every 2 s (`createCountBuffer`).
 */
export function createReportCounter({
  pool,
  log,
  metrics,
  findDeployed = () => null,
  now = Date.now,
}: {
  readonly pool: Pool;
  readonly log: Logger;
  readonly metrics: FrontEndMetrics;
  /** Returns the builds of the deployed remotes, or null if they are unknown. All other names count as `OTHER`. */
  readonly findDeployed?: () => DeployedBuilds | null;
  readonly now?: () => number;
}) {
  const counts = createCountBuffer({
    write: (batch) => addReports(pool, batch),
    onFailed: (err) => log.warn({ err }, 'reports about front ends could not be written, trying again'),
  });
  let deployments = new Map<string, Set<string>>();
  let today = '';
  const frontEnds = new Set<FrontEnd>(['shell']);

  /** Returns the name under which a report is counted. */
  function limitName(frontEnd: FrontEnd): FrontEnd {
    const deployed = findDeployed();
    if (deployed) return frontEnd === 'shell' || deployed.has(frontEnd) ? frontEnd : OTHER;
    if (frontEnds.size < FRONT_ENDS_MAX) frontEnds.add(frontEnd);
    return frontEnds.has(frontEnd) ? frontEnd : OTHER;
  }

  /** Returns the hash under which a report is counted. */
  function limitHash(frontEnd: FrontEnd, hash: string): string {
    if (findDeployed()?.get(frontEnd)?.has(hash)) return hash;
    const known = deployments.get(frontEnd) ?? new Set();
    deployments.set(frontEnd, known);
    if (hash === '' || known.has(hash)) return hash;
    if (known.size >= DEPLOYMENTS_PER_DAY) return '';
    known.add(hash);
    return hash;
  }

  const add = (row: Row) => counts.add(JSON.stringify(row), 1);

  function startDay(): void {
    const day = new Date(now()).toISOString().slice(0, 10);
    if (day === today) return;
    today = day;
    deployments = new Map();
    const oldest = new Date(now() - STORED_days * DAY_ms).toISOString().slice(0, 10);
    pool
      .query('delete from stats.front_end_days where day < $1', [oldest])
      .catch((err: unknown) => log.warn({ err }, 'old reports about front ends could not be deleted'));
  }

  return {
    /** Counts the views, the errors and the measured values of a report. */
    count({ views = [], errors = [], vitals = [] }: FrontEndReport): void {
      startDay();
      for (const { frontEnd: name, hash, state } of views) {
        const frontEnd = limitName(name);
        metrics.countView(frontEnd, hash, state);
        add([today, frontEnd, limitHash(frontEnd, hash), VIEW_MEASURES[state], 0]);
      }
      for (const { frontEnd: name, hash, kind } of errors) {
        const frontEnd = limitName(name);
        metrics.countError(frontEnd, hash, kind);
        add([today, frontEnd, limitHash(frontEnd, hash), kind, 0]);
      }
      for (const { frontEnd: name, hash, vital, value } of vitals) {
        const frontEnd = limitName(name);
        metrics.observeVital(frontEnd, hash, vital, value);
        add([today, frontEnd, limitHash(frontEnd, hash), vital, findInterval(vital, value)]);
      }
    },
    /** Writes the remaining counts and stops the counter. */
    stop: counts.stop,
  };
}
