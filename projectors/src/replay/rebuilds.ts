import type { Position, RebuildState } from '@alpenglow/domain';
import type { Pool, PoolClient } from '@alpenglow/infra';
import { tableOf, type Projection } from '../projection.ts';
import type { Comparison } from './compare.ts';

/** What is known of a rebuild an admin asked for (`rm.rebuilds`). */
export interface Rebuild {
  readonly projection: string;
  readonly rebuildId: string;
  readonly version: number;
  readonly state: RebuildState;
  readonly wish: 'pause' | 'cancel' | null;
  /** Where its tables stand, with everything up to there in them; null while they are being filled, or are not there. */
  readonly position: Position | null;
  readonly hasIndexes: boolean;
  readonly events: number;
  /** Whether the table beside the live one is the one it has made. */
  readonly ownsTable: boolean;
}

/** Of a projection, null before its first one. */
export async function readRebuild(client: Pool | PoolClient, projection: Projection): Promise<Rebuild | null> {
  const { rows } = await client.query<Rebuild>(
    `select projection, rebuild_id as "rebuildId", version, state, wish, position, has_indexes as "hasIndexes", events::int as events,
            coalesce(table_oid = to_regclass($2)::oid, false) as "ownsTable"
       from rm.rebuilds where projection = $1`,
    [projection.name, tableOf(projection, 'rebuild')],
  );
  return rows[0] ?? null;
}

/** Projections of which something is to be done. */
export async function readUnfinished(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ projection: string }>(
    `select projection from rm.rebuilds where state in ('running', 'checking', 'swapping') or wish is not null
     union select projection from rm.previous_versions where is_reverting`,
  );
  return rows.map(({ projection }) => projection);
}

/** The tables are there, empty, and this rebuild's. Part of the transaction that makes them. */
export async function noteBegun(client: PoolClient, projection: Projection, { rebuildId }: Rebuild): Promise<void> {
  await client.query(
    `update rm.rebuilds set position = null, table_oid = to_regclass($3)::oid, has_indexes = false, events = 0, events_per_s = 0, fraction = 0, left_s = null,
            differing_rows = null, differences = '[]', error = null, updated_at = now()
      where projection = $1 and rebuild_id = $2`,
    [projection.name, rebuildId, tableOf(projection, 'rebuild')],
  );
}

/** Filling goes on: until it says where it is, nobody can tell. */
export async function noteFilling(pool: Pool, { projection, rebuildId }: Rebuild): Promise<void> {
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

export async function noteProgress(
  pool: Pool,
  { projection, rebuildId }: Rebuild,
  { events, eventsPerSecond, fraction, secondsLeft }: FillProgress,
): Promise<void> {
  await pool.query(
    'update rm.rebuilds set events = $3, events_per_s = $4, fraction = $5, left_s = $6, updated_at = now() where projection = $1 and rebuild_id = $2',
    [projection, rebuildId, events, eventsPerSecond, fraction, secondsLeft],
  );
}

/** Everything up to a position is in the tables. Part of the transaction that records what they could not take in. */
export async function noteWhole(
  client: PoolClient,
  { projection, rebuildId }: Rebuild,
  {
    position,
    events,
    hasIndexes,
  }: { readonly position: Position; readonly events: number; readonly hasIndexes: boolean },
): Promise<void> {
  await client.query(
    `update rm.rebuilds set position = $3, events = $4, has_indexes = $5, left_s = case when $5 then null else left_s end, fraction = case when $5 then 1 else fraction end, updated_at = now()
      where projection = $1 and rebuild_id = $2`,
    [projection, rebuildId, position, events, hasIndexes],
  );
}

/** Changes the state, unless it is no longer one of `from`. A wish that led there is fulfilled. */
export async function moveRebuild(
  client: Pool | PoolClient,
  { projection, rebuildId }: Rebuild,
  from: readonly RebuildState[],
  to: RebuildState,
  error: string | null = null,
): Promise<void> {
  await client.query(
    `update rm.rebuilds set state = $4, wish = case when $4 in ('swapped', 'cancelled', 'failed') or ($4 = 'paused' and wish = 'pause') then null else wish end, error = $5, updated_at = now()
      where projection = $1 and rebuild_id = $2 and state = any($3)`,
    [projection, rebuildId, from, to, error],
  );
}

/** The tables were compared; a wish that came meanwhile is seen to next. */
export async function noteCompared(
  pool: Pool,
  { projection, rebuildId }: Rebuild,
  { differingRows, differences }: Comparison,
): Promise<void> {
  await pool.query(
    `update rm.rebuilds set state = 'ready', wish = case when wish = 'cancel' then wish end, differing_rows = $3, differences = $4, updated_at = now()
      where projection = $1 and rebuild_id = $2 and state = 'checking'`,
    [projection, rebuildId, differingRows, JSON.stringify(differences)],
  );
}

/** The tables from before the last swap are read again; where that was a way back, the rebuilt ones are. */
export async function noteReverted(client: PoolClient, { name }: Projection): Promise<void> {
  await client.query(
    `update rm.rebuilds set state = case state when 'swapped' then 'reverted' else 'swapped' end, updated_at = now() where projection = $1 and state in ('swapped', 'reverted')`,
    [name],
  );
}

/** Its tables are gone. */
export async function noteDropped(client: PoolClient, { projection, rebuildId }: Rebuild): Promise<void> {
  await client.query(
    `update rm.rebuilds set position = null, table_oid = null, has_indexes = false, differences = '[]' where projection = $1 and rebuild_id = $2`,
    [projection, rebuildId],
  );
}
