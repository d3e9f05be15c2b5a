import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore, Position, RecordedEvent } from '@alpenglow/domain';
import type { Logger, Pool, PoolClient, Slots } from '@alpenglow/infra';
import { applyBatch, type Parked } from './apply-batch.ts';
import { CheckpointMoved, moveCheckpoint, parkedStreamsOf, readCheckpoint, recordParked } from './checkpoints.ts';
import type { Projection } from './projection.ts';
import { rebuildProjection } from './rebuild.ts';
import { skippedEventsOf } from './skipped-events.ts';
import { inReadModelTransaction } from './transaction.ts';

const RESTART_ms = 50;
/** After so many events that did not concern it, a projection leaves a while for more of them. */
const MANY = 8;
const UNCONCERNED_ms = 50;

export interface ProjectionDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly log: Logger;
  /** How many projections may be built anew at a time; without, any number. */
  readonly rebuilds?: Slots;
  /** See `FillDependencies`. */
  readonly stepBack?: () => Promise<unknown>;
}

/**
 * Keeps a projection's table up to date until `signal` aborts; rejects when the database or the store fails, and is then run again
 * by its leader. Handler writes and checkpoint commit in one transaction, so each event counts exactly once. The caller sees to it
 * that one runner is at work; should two be, the checkpoint lets only one of them commit.
 */
export async function runProjection(
  projection: Projection,
  deps: ProjectionDependencies,
  signal: AbortSignal,
): Promise<void> {
  await ensureTables(projection, deps, signal);
  while (!signal.aborted) {
    try {
      await follow(projection, deps, signal);
    } catch (error) {
      // A rebuild was swapped in: its checkpoint is where to go on from.
      if (!(error instanceof CheckpointMoved)) throw error;
      await pause(RESTART_ms);
    }
  }
}

async function follow(
  projection: Projection,
  { store, pool, log }: ProjectionDependencies,
  signal: AbortSignal,
): Promise<void> {
  let position = (await readCheckpoint(pool, projection.name))?.position;
  if (position === undefined) throw new Error(`Projection ${projection.name} has no checkpoint`);
  // Later ones were set aside first, so that they lie behind.
  const skipped = await skippedEventsOf(store, projection.name);
  for await (const batch of store.subscribeAll({ after: position, signal })) {
    const from: Position = position;
    const to = batch.at(-1)?.position ?? from;
    // Most events concern few projections.
    const concerns = batch.some(({ type }) => type in projection.on);
    const parked = concerns
      ? await inReadModelTransaction(pool, (client) =>
          applyAndMove(
            client,
            projection,
            skipped.size > 0 ? batch.filter(({ id }) => !skipped.has(id)) : batch,
            from,
            to,
          ),
        )
      : [];
    if (!concerns) {
      await moveCheckpoint(pool, projection.name, from, to);
      if (batch.length >= MANY) await pause(UNCONCERNED_ms, undefined, { signal }).catch(() => undefined);
    }
    for (const one of parked)
      log.error(
        { projection: projection.name, position: one.position, type: one.type, error: one.error },
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
): Promise<readonly Parked[]> {
  // First: whoever holds this row is alone at the table and at the parked events, a rebuild that is swapped in as well.
  await moveCheckpoint(client, projection.name, from, to);
  const parked = await applyBatch(client, projection, 'live', batch, await parkedStreamsOf(client, projection.name));
  await recordParked(client, projection.name, parked);
  return parked;
}

/** Builds the tables on the first run, and beside the old ones when the projection has changed. */
async function ensureTables(projection: Projection, deps: ProjectionDependencies, signal: AbortSignal): Promise<void> {
  const checkpoint = await readCheckpoint(deps.pool, projection.name);
  if (checkpoint?.version === projection.version) return;
  if (checkpoint)
    deps.log.info(
      { projection: projection.name, from: checkpoint.version, to: projection.version },
      'projection changed, rebuilding',
    );
  const slot = await deps.rebuilds?.take(signal);
  try {
    signal.throwIfAborted();
    await rebuildProjection(projection, deps, { signal });
  } finally {
    slot?.release();
  }
}
