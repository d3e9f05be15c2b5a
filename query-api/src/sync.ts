import type { Position, SyncResponse } from '@alpenglow/domain';
import { createCloseSignal, createOperationRouter } from '@alpenglow/infra';
import { sendUncached } from './send-uncached.ts';
import type { Dependencies } from './dependencies.ts';
import { computeLags } from './lags.ts';

type SyncDependencies = Dependencies<'pool' | 'store' | 'progress'>;

const CATCH_UP_ms = 5_000;
/**
 * The SQL condition that selects the checkpoints of projections. The checkpoints of reactors and of the live relay are
 * excluded, because these have no read models.
 */
const IS_PROJECTION = `name not like 'reactor-%' and name not like 'relay-%'`;

/** Creates a function that reads the position of the last event and the lag of each projection. */
export function createSyncStatus({
  pool,
  store,
}: Pick<SyncDependencies, 'pool' | 'store'>): () => Promise<SyncResponse> {
  return async () => {
    const head = await store.readHead();
    const { rows } = await pool.query<{ name: string; position: Position }>({
      name: 'sync-status',
      text: `select name, position from rm.checkpoints where ${IS_PROJECTION} order by name`,
    });
    const lags = await computeLags(
      store,
      head,
      rows.map(({ position }) => position),
    );
    const projections = rows.map(({ name, position }) => {
      const lag = lags.get(position) ?? 0;
      return { name, position, lag, state: lag === 0 ? ('live' as const) : ('catching up' as const) };
    });
    return { success: true, data: { head, projections } };
  };
}

/** Returns the routes `/sync/*`, which report how far the read models are behind the event log (R-7.33, R-7.35). */
export function syncRoutes({ pool, store, progress }: SyncDependencies) {
  const router = createOperationRouter();
  const status = createSyncStatus({ pool, store });

  router.on('getSyncStatus', async (_req, res) => {
    sendUncached(res, await status());
  });

  router.on('forceSync', async (_req, res) => {
    const head = await store.readHead();
    const signal = createCloseSignal(res);
    const { rows } = await pool.query<{ name: string }>(`select name from rm.checkpoints where ${IS_PROJECTION}`);
    await Promise.all(rows.map(({ name }) => progress.waitFor(name, head, signal, CATCH_UP_ms)));
    sendUncached(res, await status());
  });

  return router;
}
