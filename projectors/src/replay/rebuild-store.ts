import type { Position, RebuildState } from '@alpenglow/domain';
import type { Pool, PoolClient } from '@alpenglow/infra';
import type { FillResult } from '../rebuild/fill-tables.ts';
import { tableNameOf, type Projection } from '../projection.ts';
import type { Comparison } from './compare.ts';

/** The stored state of a rebuild that an admin requested (`rm.rebuilds`). */
export interface Rebuild {
  readonly projection: string;
  readonly rebuildId: string;
  readonly version: number;
  readonly state: RebuildState;
  /** The action that an admin has requested. Null if no action was requested, or after the action is done. */
  readonly requestedAction: 'pause' | 'cancel' | null;
  /**
   * The position in the event log up to which the rebuilt tables are complete. Null while the tables are being filled,
   * or if the tables do not exist.
   */
  readonly position: Position | null;
  /** The id of the event at `position`. Null if it is not known. */
  readonly eventId: string | null;
  readonly hasIndexes: boolean;
  readonly events: number;
  /** True if the existing `rebuild` table was created by this rebuild. */
  readonly ownsTable: boolean;
}

/** Returns the last rebuild of a projection, or null if there was none. */
export async function readRebuild(client: Pool | PoolClient, projection: Projection): Promise<Rebuild | null> {
  const { rows } = await client.query<Rebuild>(
    `select projection, rebuild_id as "rebuildId", version, state, wish as "requestedAction", position,
            case when event_position = position then event_id end as "eventId", has_indexes as "hasIndexes",
            events::int as events, coalesce(table_oid = to_regclass($2)::oid, false) as "ownsTable"
       from rm.rebuilds where projection = $1`,
    [projection.name, tableNameOf(projection, 'rebuild')],
  );
  return rows[0] ?? null;
}

/** Returns the names of the projections that have an unfinished rebuild, a requested action or a requested revert. */
export async function readUnfinishedRebuilds(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ projection: string }>(
    `select projection from rm.rebuilds where state in ('running', 'checking', 'swapping') or wish is not null
     union select projection from rm.previous_versions where is_reverting`,
  );
  return rows.map(({ projection }) => projection);
}

/** Records that this rebuild has created its empty tables. Runs in the transaction that creates them. */
export async function recordTablesCreated(
  client: PoolClient,
  projection: Projection,
  { rebuildId }: Rebuild,
): Promise<void> {
  await client.query(
    `update rm.rebuilds set position = null, table_oid = to_regclass($3)::oid, has_indexes = false, events = 0,
            events_per_s = 0, fraction = 0, left_s = null, differing_rows = null, differences = '[]', error = null,
            updated_at = now()
      where projection = $1 and rebuild_id = $2`,
    [projection.name, rebuildId, tableNameOf(projection, 'rebuild')],
  );
}

/**
 * Records that the filling of the rebuilt tables has resumed. The stored position becomes null, because the position is
 * unknown until the filling stops.
 */
export async function recordFillingResumed(pool: Pool, { projection, rebuildId }: Rebuild): Promise<void> {
  await pool.query(
    'update rm.rebuilds set position = null, updated_at = now() where projection = $1 and rebuild_id = $2',
    [projection, rebuildId],
  );
}

export interface FillProgress {
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly fraction: number;
  readonly secondsLeft: number | null;
}

/** Records the progress of filling the rebuilt tables. */
export async function recordFillProgress(
  pool: Pool,
  { projection, rebuildId }: Rebuild,
  { events, eventsPerSecond, fraction, secondsLeft }: FillProgress,
): Promise<void> {
  await pool.query(
    `update rm.rebuilds set events = $3, events_per_s = $4, fraction = $5, left_s = $6, updated_at = now()
      where projection = $1 and rebuild_id = $2`,
    [projection, rebuildId, events, eventsPerSecond, fraction, secondsLeft],
  );
}

/**
 * Records that the rebuilt tables are complete up to `position`. At the end of the event log, also records that the
 * tables have indexes. Runs in the transaction that records the parked events.
 */
export async function recordFilledUpTo(
  client: PoolClient,
  { projection, rebuildId }: Rebuild,
  { position, eventId = null, events, isAtHead }: FillResult,
): Promise<void> {
  await client.query(
    `update rm.rebuilds set position = $3, event_id = $6, event_position = $3, events = $4, has_indexes = $5,
            left_s = case when $5 then null else left_s end, fraction = case when $5 then 1 else fraction end,
            updated_at = now()
      where projection = $1 and rebuild_id = $2`,
    [projection, rebuildId, position, events, isAtHead, eventId],
  );
}

/**
 * Changes the state of a rebuild to `to` if the current state is one of `from`. Clears a requested action that is done
 * or no longer possible in the new state.
 */
export async function changeRebuildState(
  client: Pool | PoolClient,
  { projection, rebuildId }: Rebuild,
  from: readonly RebuildState[],
  to: RebuildState,
  error: string | null = null,
): Promise<void> {
  await client.query(
    `update rm.rebuilds set state = $4,
            wish = case when $4 in ('swapped', 'cancelled', 'failed') or ($4 = 'paused' and wish = 'pause') then null
                        else wish end,
            error = $5, updated_at = now()
      where projection = $1 and rebuild_id = $2 and state = any($3)`,
    [projection, rebuildId, from, to, error],
  );
}

/**
 * Records the result of comparing the live and the rebuilt tables, and clears a requested pause. A requested
 * cancellation remains, because the worker handles it next.
 */
export async function recordComparison(
  pool: Pool,
  { projection, rebuildId }: Rebuild,
  { differingRows, differences }: Comparison,
): Promise<void> {
  await pool.query(
    `update rm.rebuilds set state = 'ready', wish = case when wish = 'cancel' then wish end, differing_rows = $3,
            differences = $4, updated_at = now()
      where projection = $1 and rebuild_id = $2 and state = 'checking'`,
    [projection, rebuildId, differingRows, JSON.stringify(differences)],
  );
}

/**
 * Records that the live and the `previous` tables were exchanged. The state becomes `reverted` if the rebuilt tables
 * were live, and `swapped` if they are live again.
 */
export async function recordSwapReverted(client: PoolClient, { name }: Projection): Promise<void> {
  await client.query(
    `update rm.rebuilds set state = case state when 'swapped' then 'reverted' else 'swapped' end, updated_at = now()
      where projection = $1 and state in ('swapped', 'reverted')`,
    [name],
  );
}

/** Records that the tables of the rebuild were dropped. */
export async function recordTablesDropped(client: PoolClient, { projection, rebuildId }: Rebuild): Promise<void> {
  await client.query(
    `update rm.rebuilds set position = null, table_oid = null, has_indexes = false, differences = '[]'
      where projection = $1 and rebuild_id = $2`,
    [projection, rebuildId],
  );
}
