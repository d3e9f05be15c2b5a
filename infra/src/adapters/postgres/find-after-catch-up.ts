import { DomainError, type EventStore } from '@alpenglow/domain';
import type { Pool } from 'pg';
import type { ReadModelProgress } from '../../service/read-model-progress.ts';
import { isMissingTable } from './errors.ts';

/** The dependencies of a query in a read model that may lag behind the events. */
export interface LookupDependencies {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'readHead'>;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
}

/**
 * Returns the result of `find`, which queries a read model. If the result is null, waits until the read model contains
 * all events, and calls `find` again. At the first start, the table of the read model may not exist yet. Throws
 * UNAVAILABLE if the read model is too far behind.
 */
export async function findAfterCatchUp<Found>(
  { store, progress }: LookupDependencies,
  projection: string,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  const findIfTableExists = () =>
    find().catch((error: unknown) => {
      if (isMissingTable(error)) return null;
      throw error;
    });
  const found = await findIfTableExists();
  if (found !== null) return found;
  const isCaughtUp = await progress.waitFor(projection, await store.readHead());
  const foundAfterWait = await findIfTableExists();
  if (foundAfterWait === null && !isCaughtUp) throw new DomainError('UNAVAILABLE', {}, 1);
  return foundAfterWait;
}
