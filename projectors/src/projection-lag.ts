import type { Position } from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import { PROJECTIONS } from './projections/index.ts';

/**
 * Returns a function that reads the lag of each projection by name. The lag is the age in seconds of the first event
 * that is not handled yet, or 0. Reactors and the live relay are not included. Their checkpoints stay at the last event
 * that they handle, which may be old without a lag.
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
