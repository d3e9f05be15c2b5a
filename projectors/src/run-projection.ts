import { setTimeout as pause } from 'node:timers/promises';
import { LogRewound, type LogMark, type Position, type RecordedEvent } from '@alpenglow/domain';
import { waitUnlessAborted, type PoolClient, type Slots } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { applyBatch, type ParkedEvent } from './apply-batch.ts';
import {
  CheckpointMoved,
  findCheckpointEvent,
  moveCheckpoint,
  readParkedStreams,
  readCheckpoint,
  recordLoss,
  recordParkedEvents,
} from './checkpoints/checkpoints.ts';
import { readModelOf, type Projection } from './projection.ts';
import { rebuildProjection, type RebuildOptions } from './rebuild/rebuild.ts';
import { readSkippedEventIds } from './skipped-events.ts';
import { inReadModelTransaction } from './read-model-transaction.ts';
import { dutyNameOf, resolveProjection, VersionMoved } from './versions/versions.ts';

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
 * Applies new events to the tables of this version of a projection until `signal` aborts. Rejects if the database or
 * the store fails, or with `VersionMoved` if another version has the tables. The duty is then started again. The rows
 * and the checkpoint are committed in one transaction, so each event is applied exactly once. The caller must ensure
 * that only one process runs a projection. If two processes run it, only one of them can move the checkpoint and
 * commit.
 */
export async function runProjection(
  declared: Projection,
  deps: ProjectionDependencies,
  signal: AbortSignal,
): Promise<void> {
  const projection = await resolveProjection(deps.pool, declared);
  await ensureTables(projection, deps, signal);
  while (!signal.aborted) {
    try {
      await followLog(projection, deps, signal);
    } catch (error) {
      if (error instanceof LogRewound)
        deps.log.info({ projection: projection.name, err: error }, 'the event log was replaced by an older state');
      // A rebuild has replaced the tables. The projection continues from the checkpoint of the rebuild.
      else if (!(error instanceof CheckpointMoved)) throw error;
      await pause(RESTART_ms);
    }
  }
}

async function followLog(projection: Projection, deps: ProjectionDependencies, signal: AbortSignal): Promise<void> {
  const { store, pool, log } = deps;
  const checkpoint = await readCheckpoint(pool, projection.name);
  if (checkpoint?.version !== projection.version)
    throw new VersionMoved(`The tables of ${dutyNameOf(projection)} do not exist`);
  // A loss that was recorded stays until the rebuilt tables take over. The position alone would no longer show it if
  // another build has moved the checkpoint since.
  const begin = checkpoint.lostPosition === null ? await findCheckpointEvent(deps, projection.name, checkpoint) : null;
  if (begin === null) {
    if (!(await recordLoss(pool, projection.name, checkpoint))) throw new CheckpointMoved(projection.name);
    log.warn(
      { projection: projection.name, position: checkpoint.position },
      'the read model contains events that the event log has lost, rebuilding',
    );
    await rebuild(projection, deps, { signal });
    return;
  }
  let { position } = begin;
  // The ids of the skipped events are read only once. An admin can skip only parked events, and this function never
  // reads a parked event again.
  const skipped = await readSkippedEventIds(store, projection);
  const subscription = { after: position, afterId: begin.id, decrypt: Object.keys(projection.on), signal };
  for await (const batch of store.subscribeAll(subscription)) {
    const from: Position = position;
    const to: LogMark | undefined = batch.at(-1);
    if (!to) continue;
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
    position = to.position;
  }
}

async function applyAndMove(
  client: PoolClient,
  projection: Projection,
  batch: readonly RecordedEvent[],
  from: Position,
  to: LogMark,
): Promise<readonly ParkedEvent[]> {
  // This statement locks the checkpoint row. Until the commit, no other process can change the table or its parked
  // events, and no rebuild can swap the tables.
  await moveCheckpoint(client, projection.name, from, to);
  const { name } = projection;
  const parked = await applyBatch({ client, projection, build: 'live' }, batch, await readParkedStreams(client, name));
  await recordParkedEvents(client, name, parked);
  return parked;
}

/** Creates and fills the tables of this version on its first run. The tables of other versions stay unchanged. */
async function ensureTables(projection: Projection, deps: ProjectionDependencies, signal: AbortSignal): Promise<void> {
  if (await readCheckpoint(deps.pool, projection.name)) return;
  deps.log.info({ projection: readModelOf(projection), version: projection.version }, 'building a new version');
  await rebuild(projection, deps, { signal });
}

async function rebuild(
  projection: Projection,
  deps: ProjectionDependencies,
  options: RebuildOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const slot = await deps.rebuildSlots?.take(options.signal);
  try {
    options.signal.throwIfAborted();
    await rebuildProjection(projection, deps, options);
  } finally {
    slot?.release();
  }
}
