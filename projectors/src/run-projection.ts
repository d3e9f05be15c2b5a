import { setTimeout as pause } from 'node:timers/promises';
import { LogRewound, type LogMark, type Position, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { startEventSpans, waitUnlessAborted, type Pool, type PoolClient } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { applyBatch, type ParkedEvent } from './apply-batch.ts';
import {
  CheckpointMoved,
  findCheckpointEvent,
  moveCheckpoint,
  moveCheckpointInOwnTransaction,
  readParkedStreams,
  readCheckpoint,
  recordLoss,
  recordParkedEvents,
} from './checkpoints/checkpoints.ts';
import { readModelOf, type Projection } from './projection.ts';
import { createJointRebuilds, type JointRebuilds } from './rebuild/joint-rebuilds.ts';
import { RebuildLocked } from './rebuild/rebuild-lock.ts';
import { readSkippedEventIds } from './skipped-events.ts';
import { inReadModelTransaction } from './read-model-transaction.ts';
import {
  advanceProjection,
  lockForShard,
  moveShardCheckpoint,
  shardCountOf,
  shardNameOf,
  shardOf,
  whenUnlocked,
  type Shard,
} from './shards/shards.ts';
import { checkColumns } from './versions/check-columns.ts';
import { dutyNameOf, resolveProjection, VersionMoved } from './versions/versions.ts';

const RESTART_ms = 50;
/**
 * The projection pauses after a batch of at least this number of events if it handles none of them. During the pause,
 * more events collect for the next batch. Larger batches need less work per event.
 */
const LARGE_BATCH_events = 8;
const UNHANDLED_PAUSE_ms = 50;
/** The interval at which a shard adds the changes of counts although the slowest shard has not moved. */
const MERGE_EVERY_ms = 1_000;
/** The time after which a shard checks again whether another shard has built the tables. */
const REBUILD_POLL_ms = 1_000;

export interface ProjectionDependencies extends Dependencies<'store' | 'pool' | 'log' | 'yieldToOtherWork'> {
  /** Rebuilds the projections of the process. By default, each projection is rebuilt by itself. */
  readonly rebuilds?: JointRebuilds;
  /** Is called with true when a rebuild begins, which an abort would discard, and with false when it ends. */
  readonly setBusy?: (isBusy: boolean) => void;
}

/**
 * Applies new events to the tables of this version of a projection until `signal` aborts. Rejects if the database or
 * the store fails, if a stored table lacks a column, or with `VersionMoved` if another version has the tables. The duty
 * is then started again. The rows and the checkpoint are committed in one transaction, so each event is applied exactly
 * once. The caller must ensure that only one process runs a projection. If two processes run it, only one of them can
 * move the checkpoint and commit. A projection with several shards is run once for each `shard`, which handles the
 * events of its streams and has its own checkpoint.
 */
export async function runProjection(
  declared: Projection,
  deps: ProjectionDependencies,
  signal: AbortSignal,
  shard: Shard = { index: 0, count: 1 },
): Promise<void> {
  if (shard.count !== shardCountOf(declared)) throw new Error(`${declared.name} does not have ${shard.count} shards`);
  const projection = await resolveProjection(deps.pool, declared);
  await ensureTables(projection, shard, deps, signal);
  await checkColumns(deps.pool, [declared]);
  while (!signal.aborted) {
    try {
      await followLog(projection, shard, deps, signal);
    } catch (error) {
      if (error instanceof LogRewound)
        deps.log.info({ projection: projection.name, err: error }, 'the event log was replaced by an older state');
      // A rebuild has replaced the tables. The projection continues from the checkpoint of the rebuild.
      else if (!(error instanceof CheckpointMoved)) throw error;
      await pause(RESTART_ms);
    }
  }
}

async function followLog(
  projection: Projection,
  shard: Shard,
  deps: ProjectionDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { store, pool, log } = deps;
  const isShard = shard.count > 1;
  const checkpoint = await readCheckpoint(pool, projection.name);
  if (checkpoint?.version !== projection.version)
    throw new VersionMoved(`The tables of ${dutyNameOf(projection)} do not exist`);
  const name = isShard ? shardNameOf(projection, shard.index) : projection.name;
  const own = isShard ? await readCheckpoint(pool, name) : checkpoint;
  if (!own) throw new CheckpointMoved(`${name} has no checkpoint`);
  // A loss that was recorded stays until the rebuilt tables take over. The position alone would no longer show it if
  // another build has moved the checkpoint since.
  const begin = checkpoint.lostPosition === null ? await findCheckpointEvent(deps, name, own) : null;
  if (begin === null) {
    // A recorded loss is not recorded again, because rebuilt tables may have taken over since the checkpoint was read.
    if (checkpoint.lostPosition === null && !(await recordLoss(pool, projection.name, checkpoint)))
      throw new CheckpointMoved(projection.name);
    // A rebuild that fails begins again, and its failures are logged.
    log[checkpoint.lostPosition === null ? 'warn' : 'debug'](
      { projection: name, position: own.position },
      'the read model contains events that the event log has lost, rebuilding',
    );
    const isLost = async () => (await readCheckpoint(pool, projection.name))?.lostPosition !== null;
    await rebuild(projection, shard, deps, signal, isLost);
    return;
  }
  let { position } = begin;
  // The ids of the skipped events are read only once. An admin can skip only parked events, and this function never
  // reads a parked event again.
  const skipped = await readSkippedEventIds(store, projection);
  // The previous run of this shard may have ended after a commit, before it advanced the projection.
  if (isShard) await advanceProjection(pool, projection, { mergesAll: true, signal });
  let mergedAt_ms = performance.now();
  const subscription = { after: position, afterId: begin.id, decrypt: Object.keys(projection.on), signal };
  for await (const batch of store.subscribeAll(subscription)) {
    const from: Position = position;
    const to: LogMark | undefined = batch.at(-1);
    if (!to) continue;
    // Most events are handled by only a few projections. For the other projections, only the checkpoint moves.
    const handled = batch.filter(({ type, stream }) => type in projection.on && isOfShard(stream, shard));
    const unskipped = skipped.size > 0 ? handled.filter(({ id }) => !skipped.has(id)) : handled;
    const apply = () =>
      inReadModelTransaction(pool, (client) => applyAndMove(client, projection, shard, unskipped, from, to));
    const spans = startEventSpans(`project ${readModelOf(projection)}`, unskipped);
    const endFailed = (error: unknown) => {
      spans?.end({ hasFailed: true });
      throw error;
    };
    const parked = handled.length > 0 ? await whenUnlocked(apply, signal).catch(endFailed) : [];
    spans?.end({ hasFailed: parked === null || parked.length > 0 });
    if (parked === null) return;
    if (handled.length === 0) await moveInOwnTransaction(pool, projection, shard, from, to);
    if (isShard) {
      const mergesAll = performance.now() - mergedAt_ms > MERGE_EVERY_ms;
      if (mergesAll) mergedAt_ms = performance.now();
      await advanceProjection(pool, projection, { mergesAll, signal });
    }
    if (handled.length === 0 && batch.length >= LARGE_BATCH_events) await waitUnlessAborted(UNHANDLED_PAUSE_ms, signal);
    for (const event of parked)
      log.error(
        { projection: projection.name, position: event.position, type: event.type, error: event.error },
        'event parked',
      );
    position = to.position;
  }
}

function isOfShard(stream: StreamId, { index, count }: Shard): boolean {
  return shardOf(stream, count) === index;
}

/** Moves the checkpoint of a shard, or of a projection that has only one, in a separate transaction. */
function moveInOwnTransaction(
  pool: Pool,
  projection: Projection,
  shard: Shard,
  from: Position,
  to: LogMark,
): Promise<void> {
  return shard.count === 1
    ? moveCheckpointInOwnTransaction(pool, projection.name, from, to)
    : moveInTransaction(pool, projection, shard, from, to);
}

/** Moves the checkpoint of a shard, or of a projection that has only one, in the transaction of `client`, if any. */
function moveInTransaction(
  client: Pool | PoolClient,
  projection: Projection,
  { index, count }: Shard,
  from: Position,
  to: LogMark,
): Promise<void> {
  return count === 1
    ? moveCheckpoint(client, projection.name, from, to)
    : moveShardCheckpoint(client, shardNameOf(projection, index), from, to);
}

async function applyAndMove(
  client: PoolClient,
  projection: Projection,
  shard: Shard,
  batch: readonly RecordedEvent[],
  from: Position,
  to: LogMark,
): Promise<readonly ParkedEvent[]> {
  // These statements lock the checkpoint row. Until the commit, no other process can change the rows of the shard or
  // its parked events, and no rebuild can swap the tables.
  if (shard.count > 1) await lockForShard(client, projection);
  await moveInTransaction(client, projection, shard, from, to);
  const { name } = projection;
  const parked = await applyBatch({ client, projection, build: 'live' }, batch, await readParkedStreams(client, name));
  await recordParkedEvents(client, name, parked);
  return parked;
}

/**
 * Creates and fills the tables of this version on its first run. The tables of other versions stay unchanged. If
 * another shard is already filling them, waits until it is done.
 */
async function ensureTables(
  projection: Projection,
  shard: Shard,
  deps: ProjectionDependencies,
  signal: AbortSignal,
): Promise<void> {
  const isMissing = async () => (await readCheckpoint(deps.pool, projection.name)) === null;
  while (!signal.aborted && (await isMissing())) {
    deps.log.info({ projection: readModelOf(projection), version: projection.version }, 'building a new version');
    await rebuild(projection, shard, deps, signal, isMissing);
  }
}

/**
 * Rebuilds the tables if `isNeeded` is still true when the rebuild can begin. If another shard rebuilds them, only
 * waits.
 */
async function rebuild(
  projection: Projection,
  { count }: Shard,
  deps: ProjectionDependencies,
  signal: AbortSignal,
  isNeeded: () => Promise<boolean>,
): Promise<void> {
  const { rebuilds = createJointRebuilds(deps), setBusy } = deps;
  try {
    setBusy?.(true);
    await rebuilds.rebuild(projection, { signal, isNeeded });
    return;
  } catch (error) {
    if (!(error instanceof RebuildLocked) || count === 1) throw error;
  } finally {
    setBusy?.(false);
  }
  await waitUnlessAborted(REBUILD_POLL_ms, signal);
}
