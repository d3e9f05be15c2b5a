import { LogRewound, START_POSITION, type Position } from '@alpenglow/domain';
import { nameOfStored, storedNameOf } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { PROJECTIONS } from '../projections/index.ts';

/**
 * Returns a function that reads the lag of each projection by name. The lag is the age in seconds of the first event
 * that the projection has not handled yet. It is 0 if the projection has handled all events. A read model with effects
 * of lost events is rebuilt from the first event, so its lag is the age of the first event. The lag is at least the
 * time since the loss was noticed, because the log may have become empty. Reactors and the live relay are not included,
 * because their checkpoints move only with the events that they handle. Such a checkpoint may be old although no event
 * is waiting.
 */
export function createLagReader({
  store,
  pool,
}: Dependencies<'store' | 'pool'>): () => Promise<Readonly<Record<string, number>>> {
  const readNext = (after: Position) => store.readAll({ after, limit: 1 });
  const ageOfNext = async (after: Position): Promise<number> => {
    const [next] = await readNext(after).catch((error: unknown) => {
      // The log has lost the event of the checkpoint, and the loss is not recorded yet.
      if (error instanceof LogRewound) return readNext(START_POSITION);
      throw error;
    });
    return next ? Math.max(0, (Date.now() - Date.parse(next.meta.at)) / 1_000) : 0;
  };
  return async () => {
    const head = await store.readHead();
    const { rows } = await pool.query<{ name: string; position: Position; lost_s: number | null }>(
      `select name, position,
              case when lost_position is not null then extract(epoch from now() - updated_at)::float8 end as lost_s
         from rm.checkpoints
        where name = any($1)`,
      [PROJECTIONS.map(({ name }) => storedNameOf(pool, name))],
    );
    const lagOf = async ({ position, lost_s }: (typeof rows)[number]): Promise<number> => {
      if (lost_s !== null) return Math.max(lost_s, await ageOfNext(START_POSITION));
      return position >= head ? 0 : ageOfNext(position);
    };
    const lags = rows.map(async (row) => [nameOfStored(pool, row.name) ?? row.name, await lagOf(row)] as const);
    return Object.fromEntries(await Promise.all(lags));
  };
}
