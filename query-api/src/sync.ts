import type { EventStore, Position, SyncAnswer } from '@alpenglow/domain';
import { closingOf, type Pool, type ReadModelProgress } from '@alpenglow/infra';
import { Router } from 'express';

export interface SyncDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly progress: ReadModelProgress;
}

const CATCH_UP_ms = 5_000;
/** Reactors and the relay have checkpoints, too, and nothing to be read. */
const IS_PROJECTION = `name not like 'reactor-%' and name not like 'relay-%'`;
/** A lag is counted up to here. */
const MAX_LAG_events = 1_000;

/** Reads the last event's position, and how far each projection has come. */
export function createSyncStatus({ pool, store }: Pick<SyncDependencies, 'pool' | 'store'>): () => Promise<SyncAnswer> {
  async function countEventsAfter(position: Position): Promise<number> {
    return (await store.readAll({ after: position, limit: MAX_LAG_events })).length;
  }

  /** Projections mostly stand at the same place, so that what lies beyond it is read once for all of them. */
  return async () => {
    const head = await store.head();
    const { rows } = await pool.query<{ name: string; position: Position }>({
      name: 'sync-status',
      text: `select name, position from rm.checkpoints where ${IS_PROJECTION} order by name`,
    });
    const lagging = new Set(rows.map(({ position }) => position).filter((position) => position < head));
    const lags = new Map(
      await Promise.all([...lagging].map(async (position) => [position, await countEventsAfter(position)] as const)),
    );
    const projections = rows.map(({ name, position }) => {
      const lag = lags.get(position) ?? 0;
      return { name, position, lag, state: lag === 0 ? ('live' as const) : ('catching up' as const) };
    });
    return { success: true, data: { head, projections } };
  };
}

/** `/sync/*` of the specification, section 7, in the shapes of the product decisions. */
export function syncRoutes({ pool, store, progress }: SyncDependencies): Router {
  const router = Router();
  const status = createSyncStatus({ pool, store });

  router.get('/status', async (_req, res) => {
    res.setHeader('Cache-Control', 'no-store').json(await status());
  });

  router.post('/force', async (_req, res) => {
    const head = await store.head();
    const signal = closingOf(res);
    const { rows } = await pool.query<{ name: string }>(`select name from rm.checkpoints where ${IS_PROJECTION}`);
    await Promise.all(rows.map(({ name }) => progress.waitFor(name, head, signal, CATCH_UP_ms)));
    res.setHeader('Cache-Control', 'no-store').json(await status());
  });

  return router;
}
