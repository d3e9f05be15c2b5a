import { START, type Position } from '@alpenglow/domain';
import type { PoolClient, Slots } from '@alpenglow/infra';
import { readCheckpoint } from '../checkpoints.ts';
import { fillTables, type Filled } from '../fill-tables.ts';
import { parkedNameOf, type Projection } from '../projection.ts';
import { makeIndexes, makeTables, replaceParkedBeside, type RebuildDependencies } from '../rebuild.ts';
import { aloneAtRebuild } from '../rebuild-lock.ts';
import { skippedEventsOf } from '../skipped-events.ts';
import { swapTables } from '../swap-tables.ts';
import { dropTables } from '../tables.ts';
import { inReadModelTransaction } from '../transaction.ts';
import { catchUp } from './catch-up.ts';
import { compareTables } from './compare.ts';
import {
  moveRebuild,
  noteBegun,
  noteCompared,
  noteDropped,
  noteFilling,
  noteProgress,
  noteReverted,
  noteWhole,
  readRebuild,
  type FillProgress,
  type Rebuild,
} from './rebuilds.ts';

export interface StepDependencies extends RebuildDependencies {
  /** How many projections may be built at a time, by whomever. */
  readonly slots: Slots;
}

/** What a worker is told while it is at it. */
export interface StepControl {
  /** Aborts when the process stops, or what it does is no longer wanted. What is then broken off is done again from where it last was whole. */
  readonly signal: AbortSignal;
  /** Aborts when it is no longer wanted: for what ends by itself, with its work kept, once `isPausing`. */
  readonly cancelled: AbortSignal;
  /** Whether it is to end soon: paused, or the process stops. */
  readonly isPausing: () => boolean;
}

/** Somebody else has made the tables beside the live ones their own. */
class TablesGone extends Error {
  override readonly name = 'TablesGone';
}

const PROGRESS_ms = 500;
const REPLACED = 'The projection has been changed and built anew meanwhile';

/**
 * Does the next thing a projection's rebuild, or the way back from one, needs. Answers false when nothing is to be done now. Every step can be killed at
 * any point and done again.
 */
export async function takeStep(projection: Projection, deps: StepDependencies, control: StepControl): Promise<boolean> {
  if (await revertWhereAsked(projection, deps, control)) return true;
  const rebuild = await readRebuild(deps.pool, projection);
  if (!rebuild) return false;
  if (rebuild.wish === 'cancel') return cancel(projection, deps, rebuild);
  if (rebuild.version !== projection.version && !['swapped', 'reverted', 'cancelled', 'failed'].includes(rebuild.state))
    return fail(projection, deps, rebuild, REPLACED);
  if (control.isPausing() || rebuild.wish === 'pause') return rest(deps, rebuild);
  switch (rebuild.state) {
    case 'running':
      return alone(projection, deps, control, (client, lost) =>
        fill(projection, deps, client, rebuild, { ...control, signal: AbortSignal.any([control.cancelled, lost]) }),
      );
    case 'checking':
      return alone(projection, deps, control, (client, lost) =>
        check(projection, deps, client, rebuild, { ...control, signal: AbortSignal.any([control.signal, lost]) }),
      );
    case 'swapping':
      return alone(projection, deps, control, (_client, lost) =>
        swap(projection, deps, rebuild, AbortSignal.any([control.signal, lost])),
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

async function alone(
  projection: Projection,
  { pool, slots }: StepDependencies,
  { signal }: StepControl,
  work: (client: PoolClient, lost: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const slot = await slots.take(signal);
  try {
    signal.throwIfAborted();
    return await aloneAtRebuild(pool, projection.name, work);
  } finally {
    slot?.release();
  }
}

/** Takes a wish to pause in; where only the process stops, nothing changes. */
async function rest({ pool }: StepDependencies, rebuild: Rebuild): Promise<boolean> {
  if (rebuild.wish === 'pause') await moveRebuild(pool, rebuild, ['running', 'checking'], 'paused');
  return false;
}

async function fill(
  projection: Projection,
  deps: StepDependencies,
  client: PoolClient,
  rebuild: Rebuild,
  { signal, isPausing }: StepControl,
): Promise<boolean> {
  const { pool, store } = deps;
  const from = await beginOrGoOn(projection, deps, rebuild);
  const skipped = await skippedEventsOf(store, projection.name);
  const progress = reportEvery(PROGRESS_ms, from.events, (state) => noteProgress(pool, rebuild, state));
  let filled: Awaited<ReturnType<typeof fillTables>>;
  try {
    filled = await fillTables(projection, deps, from, { onProgress: progress.tell, isPausing, skipped, signal });
  } finally {
    await progress.end();
  }
  if (filled.isAtHead) await makeIndexes(pool, client, projection);
  await inReadModelTransaction(pool, async (one) => {
    await replaceParkedBeside(one, projection, filled.parked);
    await noteWhole(one, rebuild, { position: filled.position, events: filled.events, hasIndexes: filled.isAtHead });
    if (filled.isAtHead) await moveRebuild(one, rebuild, ['running'], 'checking');
  });
  return true;
}

/** What is in the tables: nothing, in new ones, unless a rebuild has paused with everything written. */
async function beginOrGoOn(projection: Projection, { pool }: StepDependencies, rebuild: Rebuild): Promise<Filled> {
  if (rebuild.position === null || !rebuild.ownsTable) {
    await makeTables(pool, projection, (client) => noteBegun(client, projection, rebuild));
    return { position: START, events: 0, parked: [] };
  }
  const { rows: parked } = await pool.query<Filled['parked'][number]>(
    'select position, stream, revision, event_id as id, event_type as type, error from rm.parked_events where projection = $1 order by position',
    [parkedNameOf(projection, 'rebuild')],
  );
  await noteFilling(pool, rebuild);
  return { position: rebuild.position, events: rebuild.events, parked };
}

async function check(
  projection: Projection,
  deps: StepDependencies,
  client: PoolClient,
  rebuild: Rebuild,
  { signal, isPausing }: StepControl,
): Promise<boolean> {
  const position = await wholePosition(projection, deps, rebuild);
  const compared = await compareTables(projection, deps, client, position, { signal, isPausing });
  if (compared) await noteCompared(deps.pool, rebuild, compared);
  return true;
}

async function swap(
  projection: Projection,
  deps: StepDependencies,
  rebuild: Rebuild,
  signal: AbortSignal,
): Promise<boolean> {
  const { pool } = deps;
  let position = await wholePosition(projection, deps, rebuild);
  const also = async (client: PoolClient) => {
    await moveRebuild(client, rebuild, ['swapping'], 'swapped');
    await noteDropped(client, rebuild);
  };
  do {
    await refuseOtherVersion(projection, deps);
    position = await catchUp(projection, 'rebuild', deps, position, { signal });
  } while (!(await swapTables(pool, projection, { from: 'rebuild', position, keepsPrevious: true, also, signal })));
  return true;
}

async function wholePosition(projection: Projection, { pool }: StepDependencies, rebuild: Rebuild): Promise<Position> {
  if (rebuild.ownsTable && rebuild.position !== null && rebuild.hasIndexes) return rebuild.position;
  // Begun again: what was compared, or was to be swapped in, is not there any more.
  await moveRebuild(pool, rebuild, ['checking', 'ready', 'swapping'], 'running');
  throw new TablesGone(`The rebuilt tables of ${projection.name} are not there any more`);
}

/** A build newer than this process has made the live tables. */
async function refuseOtherVersion(projection: Projection, { pool }: StepDependencies): Promise<void> {
  const live = await readCheckpoint(pool, projection.name);
  if (live && live.version !== projection.version) throw new Error(REPLACED);
}

async function cancel(projection: Projection, { pool }: StepDependencies, rebuild: Rebuild): Promise<boolean> {
  await inReadModelTransaction(pool, async (client) => {
    await dropOwn(client, projection, rebuild);
    await moveRebuild(client, rebuild, ['running', 'paused', 'checking', 'ready'], 'cancelled');
  });
  return true;
}

/** Gives a rebuild up, for a reason that will not pass. */
export async function fail(
  projection: Projection,
  { pool }: StepDependencies,
  rebuild: Rebuild,
  error: string,
): Promise<boolean> {
  await inReadModelTransaction(pool, async (client) => {
    await dropOwn(client, projection, rebuild);
    await moveRebuild(client, rebuild, ['running', 'paused', 'checking', 'ready', 'swapping'], 'failed', error);
  });
  return true;
}

async function dropOwn(client: PoolClient, projection: Projection, rebuild: Rebuild): Promise<void> {
  if (rebuild.ownsTable) {
    await dropTables(client, projection, 'rebuild');
    await replaceParkedBeside(client, projection, []);
  }
  await noteDropped(client, rebuild);
}

async function revertWhereAsked(
  projection: Projection,
  deps: StepDependencies,
  control: StepControl,
): Promise<boolean> {
  const { pool } = deps;
  const { rows } = await pool.query<{ position: Position; version: number }>(
    'select position, version from rm.previous_versions where projection = $1 and is_reverting',
    [projection.name],
  );
  const previous = rows[0];
  if (!previous) return false;
  if (previous.version !== projection.version) {
    await pool.query('delete from rm.previous_versions where projection = $1', [projection.name]);
    return true;
  }
  return alone(projection, deps, control, async (_client, lost) => {
    const signal = AbortSignal.any([control.signal, lost]);
    let { position } = previous;
    do position = await catchUp(projection, 'previous', deps, position, { signal });
    while (
      !(await swapTables(pool, projection, {
        from: 'previous',
        position,
        keepsPrevious: true,
        also: (client) => noteReverted(client, projection),
        signal,
      }))
    );
    return true;
  });
}

/** Hands on how filling goes, at most once in so long, one after the other; `end` waits for the last. */
function reportEvery(least_ms: number, startEvents: number, report: (progress: FillProgress) => Promise<void>) {
  const started_ms = Date.now();
  let last_ms = 0;
  let startFraction: number | null = null;
  let reporting: Promise<void> = Promise.resolve();
  return {
    tell({ events, fraction }: { readonly events: number; readonly fraction: number }): void {
      startFraction ??= fraction;
      const now_ms = Date.now();
      if (now_ms - last_ms < least_ms) return;
      last_ms = now_ms;
      const elapsed_s = Math.max(0.001, (now_ms - started_ms) / 1_000);
      const done = fraction - startFraction;
      const secondsLeft = done > 0 ? Math.round((elapsed_s * (1 - fraction)) / done) : null;
      // How far it is may be told late or not at all: it is asked for again in a moment.
      reporting = reporting
        .then(() =>
          report({ events, eventsPerSecond: Math.round((events - startEvents) / elapsed_s), fraction, secondsLeft }),
        )
        .catch(() => undefined);
    },
    end: () => reporting,
  };
}
