import type { EventStore, Position } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { PROJECTIONS } from './projections/index.ts';

/**
 * Reads how far the projections lag behind: by name, the age in seconds of the first event not handled yet, 0 without one. Reactors and the
 * relay are not among them: they stand at the last event that concerned them, which may be long ago.
 */
export function createLagReader({
  store,
  pool,
}: {
  readonly store: EventStore;
  readonly pool: Pool;
}): () => Promise<Readonly<Record<string, number>>> {
  const waitingSince = async (after: Position): Promise<number> => {
    const [next] = await store.readAll({ after, limit: 1 });
    return next ? Math.max(0, (Date.now() - Date.parse(next.meta.at)) / 1_000) : 0;
  };
  return async () => {
    const head = await store.head();
    const { rows } = await pool.query<{ name: string; position: Position }>(
      'select name, position from rm.checkpoints where name = any($1)',
      [PROJECTIONS.map(({ name }) => name)],
    );
    const lags = rows.map(
      async ({ name, position }) => [name, position >= head ? 0 : await waitingSince(position)] as const,
    );
    return Object.fromEntries(await Promise.all(lags));
  };
}
