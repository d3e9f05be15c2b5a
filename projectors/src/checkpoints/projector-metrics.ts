import {
  REMOVAL_REQUESTS,
  findFailingConsumers,
  readBackupAge_s,
  isMissingTable,
  registerGauge,
  type EventServices,
  type Metrics,
  type Pool,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createLagReader } from './projection-lag.ts';

/**
 * Registers the metrics about the consumers of events: their lag, the events that they have parked or skipped,
 * whether they fail, and whether the audit chain is stopped.
 */
export function registerProjectorMetrics(
  registry: Metrics,
  deps: Dependencies<'store' | 'pool' | 'auditLog'> & Pick<EventServices, 'foreignEvents'>,
): void {
  const lag = createLagReader(deps);
  registerGauge(registry, 'projection_lag_seconds', 'Age of the first event not handled yet', lag, 'name');
  registerGauge(
    registry,
    'parked_events',
    'Events that a projection or a reactor could not handle yet',
    () => countParkedEvents(deps.pool),
    'consumer',
  );
  let waiting: ReturnType<typeof countWaitingRemovals> | null = null;
  // A request for the metrics reads all of them at the same time, so both metrics share one query.
  const readWaiting = () => (waiting ??= countWaitingRemovals(deps.pool).finally(() => (waiting = null)));
  registerGauge(
    registry,
    'removal_requests_waiting',
    'Removal requests and appeals that wait for a moderator',
    async () => (await readWaiting()).count,
  );
  registerGauge(
    registry,
    'removal_request_age_seconds',
    'Time since the oldest waiting removal request or appeal',
    async () => (await readWaiting()).age_s,
  );
  registerGauge(
    registry,
    'consumer_failing_seconds',
    'Time since the first failure of a consumer of events that has failed for more than a minute',
    () => readFailingTimes(deps.pool),
    'name',
  );
  registerGauge(
    registry,
    'foreign_events',
    'Events of other applications in the event store that this process has skipped since its start',
    async () => deps.foreignEvents.read(),
    'type',
  );
  registerGauge(registry, 'audit_chain_stopped', '1 while the audit chain waits for an operator', async () =>
    (await deps.auditLog.isStopped()) ? 1 : 0,
  );
  registerGauge(
    registry,
    'backup_age_seconds',
    'Time since the last backup, or since the first start of the installation without one',
    () => readBackupAge_s(deps.pool),
  );
}

/** Returns the number of removal requests that wait, and the age of the oldest one in seconds, or 0 without one. */
async function countWaitingRemovals(pool: Pool): Promise<{ readonly count: number; readonly age_s: number }> {
  try {
    const { rows } = await pool.query<{ count: number; age_s: number }>(
      `select count(*)::int as count, coalesce(extract(epoch from now() - min(waits_since)), 0)::float8 as age_s
         from ${REMOVAL_REQUESTS.table} where deadline is not null`,
    );
    return rows[0] ?? { count: 0, age_s: 0 };
  } catch (error) {
    // At the first start, the table does not exist yet.
    if (isMissingTable(error)) return { count: 0, age_s: 0 };
    throw error;
  }
}

async function readFailingTimes(pool: Pool): Promise<Readonly<Record<string, number>>> {
  const failing = await findFailingConsumers(pool);
  return Object.fromEntries(failing.map(({ name, since }) => [name, (Date.now() - since.getTime()) / 1_000]));
}

async function countParkedEvents(pool: Pool): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ name: string; count: number }>(
    'select projection as name, count(*)::int as count from rm.parked_events group by 1',
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
