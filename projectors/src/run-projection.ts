import { setTimeout as pause } from 'node:timers/promises';
import type { Position, RecordedEvent } from '@alpenglow/domain';
import { waitUnlessAborted, type PoolClient, type Slots } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { applyBatch, type ParkedEvent } from './apply-batch.ts';
import {
  CheckpointMoved,
  moveCheckpoint,
  readParkedStreams,
  readCheckpoint,
  recordParkedEvents,
} from './checkpoints.ts';
import type { Projection } from './projection.ts';
import { rebuildProjection } from './rebuild.ts';
import { readSkippedEventIds } from './skipped-events.ts';
import { inReadModelTransaction } from './read-model-transaction.ts';

const RESTART_ms = 50;
/**
 * The projection pauses after a batch of at least this number of events if it handles none of them. During the pause,
 * more events collect for the next batch. Larger batches need less work per event.
 */
const LARGE_BATCH_events = 8;
const UNHANDLED_PAUSE_ms = 50;

export interface ProjectionDependencies extends Dependencies<'store' | 'pool' | 'log' | 'yieldToOtherWork'> {
  /** Limits the number of projections that are rebuilt at the same time. Default: no limit. */
  readonly rebuildSlots?: Slots;
}

/**
 * Applies new events to the tables of a projection until `signal` aborts. Rejects if the database or the store fails.
 * The duty is then started again. The rows and the checkpoint are committed in one transaction, so each event is
 * applied exactly once. The caller must ensure that only one process runs a projection. If two processes run it, only
 * one of them can move the checkpoint and commit.
 */
export async function runProjection(
  projection: Projection,
  deps: ProjectionDependencies,
  signal: AbortSignal,
): Promise<void> {
  await ensureTables(projection, deps, signal);
  while (!signal.aborted) {
    try {
      await followLog(projection, deps, signal);
    } catch (error) {
      // A rebuild has replaced the tables. The projection continues from the checkpoint of the rebuild.
      if (!(error instanceof CheckpointMoved)) throw error;
      await pause(RESTART_ms);
    }
  }
}

async function followLog(
  projection: Projection,
  { store, pool, log }: ProjectionDependencies,
  signal: AbortSignal,
): Promise<void> {
  let position = (await readCheckpoint(pool, projection.name))?.position;
  if (position === undefined) throw new Error(`Projection ${projection.name} has no checkpoint`);
  // The ids of the skipped events are read only once. An admin can skip only parked events, and this function never
  // reads a parked event again.
  const skipped = await readSkippedEventIds(store, projection.name);
  for await (const batch of store.subscribeAll({ after: position, signal })) {
    const from: Position = position;
    const to = batch.at(-1)?.position ?? from;
    // Most events are handled by only a few projections. For the other projections, only the checkpoint moves.
    const isHandled = batch.some(({ type }) => type in projection.on);
    const unskipped = skipped.size > 0 ? batch.filter(({ id }) => !skipped.has(id)) : batch;
    const parked = isHandled
      ? await inReadModelTransaction(pool, (client) => applyAndMove(client, projection, unskipped, from, to))
      : [];
    if (!isHandled) {
      await moveCheckpoint(pool, projection.name, from, to);
      if (batch.length >= LARGE_BATCH_events) await waitUnlessAborted(UNHANDLED_PAUSE_ms, signal);
    }
    for (const event of parked)
      log.error(
        { projection: projection.name, position: event.position, type: event.type, error: event.error },
        'event parked',
      );
    position = to;
  }
}

async function applyAndMove(
  client: PoolClient,
  projection: Projection,
  batch: readonly RecordedEvent[],
  from: Position,
  to: Position,
): Promise<readonly ParkedEvent[]> {
  // This statement locks the checkpoint row. Until the commit, no other process can change the table or its parked
  // events, and no rebuild can swap the tables.
  await moveCheckpoint(client, projection.name, from, to);
  const { name } = projection;
  const parked = await applyBatch({ client, projection, build: 'live' }, batch, await readParkedStreams(client, name));
  await recordParkedEvents(client, name, parked);
  return parked;
}

/**
 * Creates and fills the tables on the first run. If the version of the projection has changed, builds new tables next
 * to the old tables, and then replaces the old tables.
 */
async function ensureTables(projection: Projection, deps: ProjectionDependencies, signal: AbortSignal): Promise<void> {
  const checkpoint = await readCheckpoint(deps.pool, projection.name);
  if (checkpoint?.version === projection.version) return;
  if (checkpoint)
    deps.log.info(
      { projection: projection.name, from: checkpoint.version, to: projection.version },
      'projection changed, rebuilding',
    );
  const slot = await deps.rebuildSlots?.take(signal);
  try {
    signal.throwIfAborted();
    await rebuildProjection(projection, deps, { signal });
  } finally {
    slot?.release();
  }
}
