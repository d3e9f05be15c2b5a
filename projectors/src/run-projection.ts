import type { EventStore, Position, RecordedEvent } from '@alpenglow/domain';
import type { Logger } from '@alpenglow/infra';
import type { Pool } from '@alpenglow/infra';
import { applyBatch } from './apply-batch.ts';
import { moveCheckpoint, parkedStreamsOf, readCheckpoint, recordParked, startCheckpoint } from './checkpoints.ts';
import { liveTable, type Projection } from './projection.ts';
import { rebuildProjection } from './rebuild.ts';
import { createTable } from './tables.ts';
import { inReadModelTransaction } from './transaction.ts';

export interface ProjectionDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly log: Logger;
}

/**
 * Keeps a projection's table up to date until `signal` aborts; rejects when the database or the store fails, and is then run again
 * by its leader. Handler writes and checkpoint commit in one transaction, so each event counts exactly once. The caller sees to it
 * that one runner is at work; should two be, the checkpoint lets only one of them commit.
 */
export async function runProjection(projection: Projection, { store, pool, log }: ProjectionDependencies, signal: AbortSignal): Promise<void> {
  await ensureTable(projection, { store, pool, log }, signal);
  let position = (await readCheckpoint(pool, projection.name))?.position;
  if (position === undefined) throw new Error(`Projection ${projection.name} has no checkpoint`);
  const parkedStreams = await parkedStreamsOf(pool, projection.name);
  for await (const batch of store.subscribeAll({ after: position, signal })) {
    position = await applyAndCommit(projection, { pool, log }, batch, position, parkedStreams);
  }
}

async function applyAndCommit(
  projection: Projection,
  deps: Pick<ProjectionDependencies, 'pool' | 'log'>,
  batch: readonly RecordedEvent[],
  from: Position,
  parkedStreams: Set<string>,
): Promise<Position> {
  const last = batch.at(-1);
  if (!last) return from;
  try {
    const parked = await inReadModelTransaction(deps.pool, async (client) => {
      await moveCheckpoint(client, projection.name, from, last.position);
      const aside = await applyBatch(client, projection, liveTable(projection), batch, new Set(parkedStreams));
      await recordParked(client, projection.name, aside);
      return aside;
    });
    for (const { stream } of parked) parkedStreams.add(stream);
    for (const { position, type, error } of parked) deps.log.error({ projection: projection.name, position, type, error }, 'event parked');
    return last.position;
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (batch.length > 1) return applyOneByOne(projection, deps, batch, from, parkedStreams);
    parkedStreams.add(last.stream);
    await inReadModelTransaction(deps.pool, async (client) => {
      await moveCheckpoint(client, projection.name, from, last.position);
      await recordParked(client, projection.name, [{ position: last.position, stream: last.stream, type: last.type, error: String(error) }]);
    });
    deps.log.error({ projection: projection.name, position: last.position, type: last.type, error: String(error) }, 'event parked');
    return last.position;
  }
}

/** Finds the one event of a batch whose row Postgres refuses. */
async function applyOneByOne(
  projection: Projection,
  deps: Pick<ProjectionDependencies, 'pool' | 'log'>,
  batch: readonly RecordedEvent[],
  from: Position,
  parkedStreams: Set<string>,
): Promise<Position> {
  let position = from;
  for (const event of batch) position = await applyAndCommit(projection, deps, [event], position, parkedStreams);
  return position;
}

/** SQLSTATE classes 22 and 23: the value is at fault, so that a retry would fail again. */
function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(?:22|23)/u.test(code);
}

/** Makes the table on the first run; builds a new version beside the old one when the projection has changed. */
async function ensureTable(projection: Projection, deps: ProjectionDependencies, signal: AbortSignal): Promise<void> {
  const checkpoint = await readCheckpoint(deps.pool, projection.name);
  if (!checkpoint) {
    await inReadModelTransaction(deps.pool, async (client) => {
      await createTable(client, projection, liveTable(projection));
      await startCheckpoint(client, projection.name, projection.version);
    });
  } else if (checkpoint.version !== projection.version) {
    deps.log.info({ projection: projection.name, from: checkpoint.version, to: projection.version }, 'projection changed, rebuilding');
    await rebuildProjection(projection, deps, { signal });
  }
}
