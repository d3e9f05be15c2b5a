import type { Position } from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import { PROJECTIONS } from './projections/index.ts';

/**
 * Returns a function that reads the lag of each projection by name. The lag is the age in seconds of the first event
 * that the projection has not handled yet. It is 0 if the projection has handled all events. Reactors and the live
 * relay are not included, because their checkpoints move only with the events that they handle. Such a checkpoint may
 * be old although no event is waiting.
 */
export function createLagReader({
  store,
  pool,
}: Dependencies<'store' | 'pool'>): () => Promise<Readonly<Record<string, number>>> {
  const ageOfNext = async (after: Position): Promise<number> => {
    const [next] = await store.readAll({ after, limit: 1 });
    return next ? Math.max(0, (Date.now() - Date.parse(next.meta.at)) / 1_000) : 0;
  };
  return async () => {
    const head = await store.readHead();
    const { rows } = await pool.query<{ name: string; position: Position }>(
      'select name, position from rm.checkpoints where name = any($1)',
      [PROJECTIONS.map(({ name }) => name)],
    );
    const lags = rows.map(
      async ({ name, position }) => [name, position >= head ? 0 : await ageOfNext(position)] as const,
    );
    return Object.fromEntries(await Promise.all(lags));
  };
}
