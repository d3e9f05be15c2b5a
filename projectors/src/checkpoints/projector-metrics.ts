import { registerGauge, type Metrics, type Pool } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createLagReader } from './projection-lag.ts';

/**
 * Registers the metrics about the consumers of events: their lag, the events that they have parked, and whether the
 * audit chain is stopped.
 */
export function registerProjectorMetrics(registry: Metrics, deps: Dependencies<'store' | 'pool' | 'auditLog'>): void {
  const lag = createLagReader(deps);
  registerGauge(registry, 'projection_lag_seconds', 'Age of the first event not handled yet', lag, 'name');
  registerGauge(
    registry,
    'parked_events',
    'Events that a projection or a reactor could not handle yet',
    () => countParkedEvents(deps.pool),
    'consumer',
  );
  registerGauge(registry, 'audit_chain_stopped', '1 while the audit chain waits for an operator', async () =>
    (await deps.auditLog.isStopped()) ? 1 : 0,
  );
}

async function countParkedEvents(pool: Pool): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ name: string; count: number }>(
    'select projection as name, count(*)::int as count from rm.parked_events group by 1',
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
