import { LogRewound, START_POSITION, type LogMark, type Position } from '@alpenglow/domain';
import { waitUnlessAborted, type PoolClient, type Slots } from '@alpenglow/infra';
import { readCheckpoint } from '../checkpoints/checkpoints.ts';
import { requireInLog } from '../rebuild/log-marks.ts';
import { fillTables, type FillDependencies, type FillResult, type FillState } from '../rebuild/fill-tables.ts';
import { parkedEventsNameOf, type Projection } from '../projection.ts';
import { createRebuildIndexes, createRebuildTables, replaceRebuildParkedEvents } from '../rebuild/rebuild.ts';
import { hasRebuildErasures } from '../rebuild/rebuild-erasures.ts';
import { withRebuildLock } from '../rebuild/rebuild-lock.ts';
import { readSkippedEventIds } from '../skipped-events.ts';
import { latestOf, type ShardMarks } from '../shards/shards.ts';
import { swapTables } from '../rebuild/swap-tables.ts';
import { dropTables } from '../tables.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { catchUpTables } from './catch-up.ts';
import { compareTables } from './compare.ts';
import { dropOtherBuilds } from './drop-other-builds.ts';
import {
  changeRebuildState,
  recordTablesCreated,
  recordComparison,
  recordTablesDropped,
  recordFillingResumed,
  recordFillProgress,
  recordSwapReverted,
  recordFilledUpTo,
  readRebuild,
  type FillProgress,
  type Rebuild,
} from './rebuild-store.ts';

export interface StepDependencies extends FillDependencies {
  /** Limits the number of projections that this process rebuilds in parallel. */
  readonly slots: Slots;
}

/** The signals that stop a running step of a rebuild. */
export interface StepControl {
  /**
   * Aborts when the process stops or the rebuild is cancelled. An interrupted step is repeated from its last complete
   * state.
   */
  readonly signal: AbortSignal;
  /**
   * Aborts only when the rebuild is cancelled, and not when the process stops. Some steps save their work and end when
   * `isPausing` returns true. A stop of the process must not interrupt these steps.
   */
  readonly cancelled: AbortSignal;
  /** Returns true if the step should end soon, because an admin has requested a pause or the process stops. */
  readonly isPausing: () => boolean;
}

interface RebuildContext {
  readonly projection: Projection;
  readonly deps: StepDependencies;
  readonly rebuild: Rebuild;
}

/** Thrown if another process has replaced or dropped the rebuilt tables. */
class TablesMissing extends Error {
  override readonly name = 'TablesMissing';
}

const PROGRESS_ms = 500;
/** The wait before the next attempt to swap tables, e.g. because the live tables contain later events. */
const SWAP_RETRY_ms = 25;
/** The same while an erasure waits until it has changed the rebuilt tables. */
const ERASURE_WAIT_ms = 1_000;
const REPLACED = 'The projection has been changed and built anew meanwhile';

/**
 * Runs the next step of the rebuild of a projection, or reverts a swap of tables if an admin has requested this.
 * Returns false if there is nothing to do. A step can be repeated after the process was killed at any point.
 */
export async function runNextStep(
  projection: Projection,
  deps: StepDependencies,
  control: StepControl,
): Promise<boolean> {
  if (await revertIfRequested(projection, deps, control)) return true;
  const rebuild = await readRebuild(deps.pool, projection);
  if (!rebuild) return false;
  const context = { projection, deps, rebuild };
  if (rebuild.requestedAction === 'cancel') return cancel(context);
  if (rebuild.version !== projection.version && !['swapped', 'reverted', 'cancelled', 'failed'].includes(rebuild.state))
    return failRebuild(projection, deps, rebuild, REPLACED);
  if (rebuild.requestedAction === 'pause')
    await changeRebuildState(deps.pool, rebuild, ['running', 'checking'], 'paused');
  if (rebuild.requestedAction === 'pause' || control.isPausing()) return false;
  switch (rebuild.state) {
    case 'running':
      return withSlotAndLock(projection, deps, control, (lost) =>
        fill(context, { ...control, signal: AbortSignal.any([control.cancelled, lost]) }),
      );
    case 'checking':
      return withSlotAndLock(projection, deps, control, (lost) =>
        check(context, { ...control, signal: AbortSignal.any([control.signal, lost]) }),
      );
    case 'swapping':
      return withSlotAndLock(projection, deps, control, (lost) =>
        swap(context, AbortSignal.any([control.signal, lost])),
      );
    case 'paused':
    case 'ready':
    case 'swapped':
    case 'reverted':
    case 'cancelled':
    case 'failed':
      return false;
  }
}

async function withSlotAndLock(
  projection: Projection,
  { pool, slots }: StepDependencies,
  { signal }: StepControl,
  work: (lost: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const slot = await slots.take(signal);
  try {
    signal.throwIfAborted();
    return await withRebuildLock(pool, projection.name, async (lost) => {
      try {
        return await work(lost);
      } catch (error) {
        // The rebuilt or the previous tables contain events that the log has lost. They are dropped, so that they never
        // become live, and a rebuild starts again.
        if (error instanceof LogRewound)
          await inReadModelTransaction(pool, (transaction) => dropOtherBuilds(transaction, projection));
        throw error;
      }
    });
  } finally {
    slot?.release();
  }
}

async function fill(context: RebuildContext, { signal, isPausing }: StepControl): Promise<boolean> {
  const { projection, deps, rebuild } = context;
  const { pool, store } = deps;
  const from = await beginOrResume(context);
  const skipped = await readSkippedEventIds(store, projection);
  const progress = createReporter(PROGRESS_ms, from.events, (state) => recordFillProgress(pool, rebuild, state));
  let filled: FillResult;
  try {
    filled = await fillTables(projection, deps, from, { onProgress: progress.update, isPausing, skipped, signal });
  } finally {
    await progress.end();
  }
  if (filled.isAtHead) await createRebuildIndexes(pool, projection);
  await inReadModelTransaction(pool, async (transaction) => {
    await replaceRebuildParkedEvents(transaction, projection, filled.parked);
    await recordFilledUpTo(transaction, rebuild, filled);
    if (filled.isAtHead) await changeRebuildState(transaction, rebuild, ['running'], 'checking');
  });
  return true;
}

/**
 * Returns the progress of filling the `rebuild` tables. If the rebuild was paused and all rows were written, the
 * existing tables are used again. Otherwise, new and empty tables are created.
 */
async function beginOrResume({ projection, deps: { pool }, rebuild }: RebuildContext): Promise<FillState> {
  if (rebuild.position === null || !rebuild.ownsTable) {
    await createRebuildTables(pool, projection, (client) => recordTablesCreated(client, projection, rebuild));
    return { position: START_POSITION, events: 0, parked: [] };
  }
  const { rows: parked } = await pool.query<FillState['parked'][number]>(
    `select position, stream, revision, event_id as id, event_type as type, error
       from rm.parked_events
      where projection = $1
      order by position`,
    [parkedEventsNameOf(projection, 'rebuild')],
  );
  await recordFillingResumed(pool, rebuild);
  return { position: rebuild.position, eventId: rebuild.eventId, events: rebuild.events, parked };
}

async function check(context: RebuildContext, control: StepControl): Promise<boolean> {
  const { projection, deps, rebuild } = context;
  const mark = await completeMark(context);
  const client = await deps.pool.connect();
  // The connection may still be in a transaction of the comparison, so it does not return to the pool.
  const comparison = await compareTables(projection, deps, client, mark, control).finally(() => client.release(true));
  if (comparison) await recordComparison(deps.pool, rebuild, comparison);
  return true;
}

async function swap(context: RebuildContext, signal: AbortSignal): Promise<boolean> {
  const { projection, deps, rebuild } = context;
  let through = await completeMark(context);
  const also = async (client: PoolClient) => {
    await changeRebuildState(client, rebuild, ['swapping'], 'swapped');
    await recordTablesDropped(client, rebuild);
  };
  for (;;) {
    await requireSameVersion(projection, deps);
    through = await catchUpTables(projection, 'rebuild', deps, through, { signal });
    await requireInLog(deps.store, through);
    const options = { from: 'rebuild', through, retainsPrevious: true, alsoInTransaction: also, signal } as const;
    if (await swapTables(deps.pool, projection, options)) return true;
    const isErasing = await hasRebuildErasures(deps.pool, projection);
    await waitUnlessAborted(isErasing ? ERASURE_WAIT_ms : SWAP_RETRY_ms, signal);
  }
}

async function completeMark({ projection, deps: { pool }, rebuild }: RebuildContext): Promise<LogMark> {
  if (rebuild.ownsTable && rebuild.position !== null && rebuild.hasIndexes)
    return { position: rebuild.position, id: rebuild.eventId };
  // The tables of the rebuild no longer exist or are not complete, so the rebuild starts again.
  await changeRebuildState(pool, rebuild, ['checking', 'ready', 'swapping'], 'running');
  throw new TablesMissing(`The rebuilt tables of ${projection.name} no longer exist`);
}

/** Throws if the live tables were built by another version of the projection. */
async function requireSameVersion(projection: Projection, { pool }: StepDependencies): Promise<void> {
  const live = await readCheckpoint(pool, projection.name);
  if (live && live.version !== projection.version) throw new Error(REPLACED);
}

async function cancel({ projection, deps: { pool }, rebuild }: RebuildContext): Promise<boolean> {
  await inReadModelTransaction(pool, async (client) => {
    await dropOwnTables(client, projection, rebuild);
    await changeRebuildState(client, rebuild, ['running', 'paused', 'checking', 'ready'], 'cancelled');
  });
  return true;
}

/** Marks a rebuild as failed with a permanent `error` and drops its tables. Returns true, because a step was done. */
export async function failRebuild(
  projection: Projection,
  { pool }: StepDependencies,
  rebuild: Rebuild,
  error: string,
): Promise<boolean> {
  await inReadModelTransaction(pool, async (client) => {
    await dropOwnTables(client, projection, rebuild);
    await changeRebuildState(client, rebuild, ['running', 'paused', 'checking', 'ready', 'swapping'], 'failed', error);
  });
  return true;
}

async function dropOwnTables(client: PoolClient, projection: Projection, rebuild: Rebuild): Promise<void> {
  if (rebuild.ownsTable) {
    await dropTables(client, projection, 'rebuild');
    await replaceRebuildParkedEvents(client, projection, []);
  }
  await recordTablesDropped(client, rebuild);
}

async function revertIfRequested(
  projection: Projection,
  deps: StepDependencies,
  control: StepControl,
): Promise<boolean> {
  const { pool } = deps;
  const { rows } = await pool.query<{
    position: Position;
    eventId: string | null;
    version: number;
    shards: ShardMarks | null;
  }>(
    `select position, case when event_position = position then event_id end as "eventId", version, shards
       from rm.previous_versions
      where projection = $1 and is_reverting`,
    [projection.name],
  );
  const previous = rows[0];
  if (!previous) return false;
  if (previous.version !== projection.version) {
    await pool.query('delete from rm.previous_versions where projection = $1', [projection.name]);
    return true;
  }
  return withSlotAndLock(projection, deps, control, async (lost) => {
    const signal = AbortSignal.any([control.signal, lost]);
    const { shards: contained } = previous;
    let through: LogMark = { position: previous.position, id: previous.eventId };
    do {
      // If the log contains the last event of all shards, it also contains the last events of the others.
      if (contained) await requireInLog(deps.store, latestOf(contained));
      through = await catchUpTables(projection, 'previous', deps, through, { signal, contained });
      await requireInLog(deps.store, through);
    } while (
      !(await swapTables(pool, projection, {
        from: 'previous',
        through,
        retainsPrevious: true,
        alsoInTransaction: (client) => recordSwapReverted(client, projection),
        signal,
      }))
    );
    return true;
  });
}

/**
 * Creates an object that reports the progress of filling tables. The object calls `report` at most once per
 * `interval_ms`, and never in parallel. `end` waits for the last call.
 */
function createReporter(interval_ms: number, startEvents: number, report: (progress: FillProgress) => Promise<void>) {
  const started_ms = Date.now();
  let last_ms = 0;
  let startFraction: number | null = null;
  let pending: Promise<void> = Promise.resolve();
  return {
    update({ events, fraction }: { readonly events: number; readonly fraction: number }): void {
      startFraction ??= fraction;
      const now_ms = Date.now();
      if (now_ms - last_ms < interval_ms) return;
      last_ms = now_ms;
      const elapsed_s = Math.max(0.001, (now_ms - started_ms) / 1_000);
      const filledFraction = fraction - startFraction;
      const secondsLeft = filledFraction > 0 ? Math.round((elapsed_s * (1 - fraction)) / filledFraction) : null;
      // A report is not awaited and its errors are ignored, because the next report follows soon.
      pending = pending
        .then(() =>
          report({ events, eventsPerSecond: Math.round((events - startEvents) / elapsed_s), fraction, secondsLeft }),
        )
        .catch(() => undefined);
    },
    end: () => pending,
  };
}
