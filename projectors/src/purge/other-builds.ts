import type { Position } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import { parkedEventsNameOf, tableNameOf, type Build, type Projection } from '../projection.ts';
import { finishRebuildErasures, requestRebuildErasure, type RebuildErasure } from '../rebuild/rebuild-erasures.ts';
import { readRebuild, recordTablesDropped } from '../replay/rebuild-store.ts';
import type { ShardMarks } from '../shards/shards.ts';
import { dropTables } from '../tables.ts';

type OtherBuild = Exclude<Build, 'live'>;

/** Purges or verifies one set of tables, which is complete up to `position`. */
export type TableWork = (build: Build, extent: TableExtent) => Promise<void>;

/** The events that tables contain: up to `position`, and the events that a shard of `shards` contains. */
export interface TableExtent {
  readonly position: Position;
  readonly shards: ShardMarks | null;
}

/**
 * Purges the `rebuild` and `previous` tables of a projection, inside the caller's transaction, which has locked the
 * checkpoint of the projection. No swap of tables runs until this transaction ends. Tables at a known position are
 * purged by `work`. A running rebuild receives a request, and continues. Other tables are dropped, because no process
 * uses them. Returns `later` while a running rebuild has not carried out the request.
 */
export async function purgeOtherBuilds(
  client: PoolClient,
  projection: Projection,
  request: RebuildErasure,
  work: TableWork,
): Promise<'done' | 'later'> {
  for (const build of ['previous', 'rebuild'] as const) {
    if (!(await hasTable(client, projection, build))) continue;
    const extent = await lockExtent(client, projection, build);
    if (extent !== null) {
      await work(build, extent);
      // The tables may have been filled until now, and have an open request that prevents that they become live.
      if (build === 'rebuild') await finishRebuildErasures(client, projection, [request]);
    } else if (build === 'previous' || (await takeRebuildLock(client, projection)))
      await drop(client, projection, build);
    else if (!(await requestRebuildErasure(client, projection, request))) return 'later';
  }
  return 'done';
}

async function hasTable(client: PoolClient, projection: Projection, build: OtherBuild): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
    tableNameOf(projection, build),
  ]);
  return rows[0]?.exists === true;
}

/**
 * Returns the events that tables contain, or null if this is not known. Locks the position until the caller's
 * transaction ends, so that no process applies events to the tables.
 */
async function lockExtent(client: PoolClient, projection: Projection, build: OtherBuild): Promise<TableExtent | null> {
  const source = build === 'rebuild' ? 'null::jsonb as shards from rm.rebuilds' : 'shards from rm.previous_versions';
  const { rows } = await client.query<{ version: number; position: Position | null; shards: ShardMarks | null }>(
    `select version, position, ${source} where projection = $1 for update`,
    [projection.name],
  );
  const [row] = rows;
  // The tables of another version may have other columns.
  if (!row || row.version !== projection.version) return null;
  if (build === 'rebuild' && (await readRebuild(client, projection))?.ownsTable !== true) return null;
  return row.position === null ? null : { position: row.position, shards: row.shards };
}

/** Takes the lock of rebuilds of a projection until the caller's transaction ends. Returns false if it is taken. */
async function takeRebuildLock(client: PoolClient, { name }: Projection): Promise<boolean> {
  const { rows } = await client.query<{ is_taken: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('alpenglow-rebuild'), hashtext($1)) as is_taken`,
    [name],
  );
  return rows[0]?.is_taken === true;
}

async function drop(client: PoolClient, projection: Projection, build: OtherBuild): Promise<void> {
  const rebuild = build === 'rebuild' ? await readRebuild(client, projection) : null;
  if (rebuild) await recordTablesDropped(client, rebuild);
  if (build === 'previous')
    await client.query('delete from rm.previous_versions where projection = $1', [projection.name]);
  await client.query('delete from rm.parked_events where projection = $1', [parkedEventsNameOf(projection, build)]);
  await dropTables(client, projection, build);
}
