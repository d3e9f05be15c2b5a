import type { EventStore, Position, SyncAnswer } from '@alpenglow/domain';
import { closingOf, type Pool, type ReadModelProgress } from '@alpenglow/infra';
import { Router } from 'express';

export interface SyncDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly progress: ReadModelProgress;
}

const CATCH_UP_ms = 5_000;
/** A lag is counted up to here. */
const MAX_LAG_events = 1_000;

/** `/sync/*` of the specification, section 7, in the shapes of the product decisions. */
export function syncRoutes({ pool, store, progress }: SyncDependencies): Router {
  const router = Router();

  async function status(): Promise<SyncAnswer> {
    const head = await store.head();
    const { rows } = await pool.query<{ name: string; position: Position }>({
      name: 'sync-status',
      text: `select name, position from rm.checkpoints where name not like 'reactor-%' order by name`,
    });
    const projections = await Promise.all(
      rows.map(async ({ name, position }) => {
        const lag = position >= head ? 0 : (await store.readAll({ after: position, limit: MAX_LAG_events })).length;
        return { name, position, lag, state: lag === 0 ? ('live' as const) : ('catching up' as const) };
      }),
    );
    return { success: true, data: { head, projections } };
  }

  router.get('/status', async (_req, res) => {
    res.setHeader('Cache-Control', 'no-store').json(await status());
  });

  router.post('/force', async (_req, res) => {
    const head = await store.head();
    const signal = closingOf(res);
    const { rows } = await pool.query<{ name: string }>(`select name from rm.checkpoints where name not like 'reactor-%'`);
    await Promise.all(rows.map(({ name }) => progress.waitFor(name, head, CATCH_UP_ms, signal)));
    res.setHeader('Cache-Control', 'no-store').json(await status());
  });

  return router;
}
