import { registerGauge, type Metrics, type Pool } from '@alpenglow/infra';

/** Registers the metrics of the query API about its live channel and its database connections. */
export function registerQueryApiMetrics(
  metrics: Metrics,
  { live, pool }: { readonly live: { countClients(): number }; readonly pool: Pick<Pool, 'totalCount'> },
): void {
  registerGauge(metrics, 'live_clients', 'Open WebSocket connections', () => live.countClients());
  registerGauge(metrics, 'postgres_pool_connections', 'Connections of the main pool', () => pool.totalCount);
}
