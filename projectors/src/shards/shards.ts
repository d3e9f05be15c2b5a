import {
  comparePositions,
  START_POSITION,
  type LogMark,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { shardedVersion, waitUnlessAborted, type Pool, type PoolClient } from '@alpenglow/infra';
import { CheckpointMoved, moveCheckpoint } from '../checkpoints/checkpoints.ts';
import type { Projection } from '../projection.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { hasTallyChanges, mergeTallies } from '../tallies.ts';

/** The wait of a shard before it tries again to lock tables that another transaction has locked. */
const LOCKED_WAIT_ms = 10;

/** The part of a projection that handles the events of some streams. `index` is from 0 to `count - 1`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * Returns the projections with the numbers of shards that are configured. The number of shards is part of the version,
 * so that tables with another number of shards exist next to the current ones until they are no longer used.
 */
export function withShards(
  projections: readonly Projection[],
  counts: ReadonlyMap<string, number>,
): readonly Projection[] {
  return projections.map((projection) => {
    const shards = counts.get(projection.name) ?? 1;
    if (shards === 1) return projection;
    if (projection.isShardable !== true) throw new Error(`${projection.name} cannot be split into shards`);
    return { ...projection, shards, version: shardedVersion(projection.version, shards) };
  });
}

/** Returns the number of shards of a projection. It is 1 if the projection is not split. */
export function shardCountOf({ shards = 1 }: Pick<Projection, 'shards'>): number {
  return shards;
}

/**
 * Returns the index of the shard that handles the events of a stream. All events of a stream have the same shard, so
 * their order is preserved. The function must never change, because stored checkpoints depend on it.
 */
export function shardOf(stream: StreamId, count: number): number {
  if (count === 1) return 0;
  // FNV-1a, with the last steps of MurmurHash3, because the lowest bits of FNV-1a alone are not evenly distributed.
  let hash = 0x811c9dc5;
  for (let at = 0; at < stream.length; at += 1) hash = Math.imul(hash ^ stream.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}

/** Returns the name of the checkpoint of a shard. The checkpoint of the projection has the name of the projection. */
export function shardNameOf({ name }: Pick<Projection, 'name'>, index: number): string {
  return `${name}#${index}`;
}

function shardNamesOf(projection: Projection): readonly string[] {
  return Array.from({ length: shardCountOf(projection) }, (_, index) => shardNameOf(projection, index));
}

/** By the index of the shard, the event up to which the tables contain all events of its streams. */
export type ShardMarks = readonly LogMark[];

/**
 * Returns the event up to which each shard of the live tables has handled its events. Returns null if the projection
 * has no shards. If the marks must match the rows, the caller must hold the lock of `lockCheckpoint`.
 */
export async function readShardMarks(client: Pool | PoolClient, projection: Projection): Promise<ShardMarks | null> {
  if (shardCountOf(projection) === 1) return null;
  const names = shardNamesOf(projection);
  const { rows } = await client.query<LogMark & { readonly name: string }>(
    `select name, position, case when event_position = position then event_id end as id
       from rm.checkpoints where name = any($1)`,
    [names],
  );
  return names.map((name) => {
    const mark = rows.find((row) => row.name === name);
    if (!mark) throw new CheckpointMoved(`${name} has no checkpoint`);
    return { position: mark.position, id: mark.id };
  });
}

/** Returns the last of these events. */
export function latestOf(marks: ShardMarks): LogMark {
  return marks.reduce((last, mark) => (comparePositions(mark.position, last.position) > 0 ? mark : last), {
    position: START_POSITION,
    id: null,
  });
}

/** Returns the first of these events, up to which all shards contain their events. */
function earliestOf(marks: ShardMarks): LogMark {
  return marks.reduce((first, mark) => (comparePositions(mark.position, first.position) < 0 ? mark : first));
}

/** Returns true if tables with these shards contain the event. */
export function isContained(marks: ShardMarks, { stream, position }: Pick<RecordedEvent, 'stream' | 'position'>) {
  const mark = marks[shardOf(stream, marks.length)];
  return mark !== undefined && comparePositions(position, mark.position) <= 0;
}

/**
 * Sets the checkpoints of all shards of the live tables to the event `mark`, and deletes the stored changes of the
 * counts. If the projection has no shards, only deletes. The caller's transaction must hold the lock of
 * `lockCheckpoint`.
 */
export async function resetShards(
  client: PoolClient,
  projection: Projection,
  { position, id }: LogMark,
): Promise<void> {
  await dropShards(client, projection);
  if (shardCountOf(projection) === 1) return;
  await client.query(
    `insert into rm.checkpoints (name, version, position, event_id, event_position)
     select name, $2, $3, $4, $3 from unnest($1::text[]) as name`,
    [shardNamesOf(projection), projection.version, position, id],
  );
}

/** Deletes the checkpoints of the shards of a stored projection, and the changes of its counts. */
export async function dropShards(client: PoolClient, { name, tallies = [] }: Projection): Promise<void> {
  await client.query(`delete from rm.checkpoints where starts_with(name, $1)`, [shardNameOf({ name }, 0).slice(0, -1)]);
  await client.query('delete from rm.tally_changes where tally = any($1)', [tallies.map((tally) => tally.name)]);
}

/**
 * Thrown if another transaction, e.g. of a purge, has locked the tables of a projection. The shard must try again. It
 * must not wait in its transaction: the connections of all waiting shards could be the whole pool, and the other
 * transaction may need a further connection.
 */
class TablesLocked extends Error {
  override readonly name = 'TablesLocked';
}

/**
 * Repeats `work`, the transaction of a batch of a shard, until the tables are not locked. Holds no connection while it
 * waits. Returns null if `signal` aborts first.
 */
export async function whenUnlocked<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TablesLocked)) throw error;
    }
    await waitUnlessAborted(LOCKED_WAIT_ms, signal);
  }
  return null;
}

/**
 * Locks the checkpoint of a projection for a batch of a shard, inside the caller's transaction. Other shards can have
 * the same lock, and the checkpoint can move, but no process can exchange or rewrite the tables. The caller uses
 * `whenUnlocked`. Throws `CheckpointMoved` if the tables have another version.
 */
export async function lockForShard(client: PoolClient, { name, version }: Projection): Promise<void> {
  const { rowCount } = await client.query({
    name: 'checkpoint-share',
    text: 'select from rm.checkpoints where name = $1 and version = $2 for key share skip locked',
    values: [name, version],
  });
  if (rowCount === 1) return;
  const { rowCount: found } = await client.query('select from rm.checkpoints where name = $1 and version = $2', [
    name,
    version,
  ]);
  if (found === 1) throw new TablesLocked(`The tables of ${name} are locked`);
  throw new CheckpointMoved(`${name} has no tables of version ${version}`);
}

/** Moves the checkpoint of a shard. Throws `CheckpointMoved` if it is not at `from`. */
export async function moveShardCheckpoint(
  client: Pool | PoolClient,
  name: string,
  from: Position,
  to: LogMark,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'shard-move',
    text: `update rm.checkpoints set position = $3, event_id = $4, event_position = $3, updated_at = now()
             from (select set_config('synchronous_commit', 'off', true)) as commit_setting
            where name = $1 and position = $2`,
    values: [name, from, to.position, to.id],
  });
  if (rowCount !== 1) throw new CheckpointMoved(`Checkpoint of ${name} is not at ${from || 'the start'}`);
}

/**
 * Moves the checkpoint of a projection to the position of its slowest shard, and adds the changes of its counts to the
 * tables of counts. Readers that wait for a position therefore wait for the slowest shard. Every shard calls this after
 * its commit, so the last call uses the final positions of all shards. With `mergesAll`, the changes of the counts are
 * added even if the checkpoint does not move. Waits without a connection while another transaction has locked the
 * checkpoint, and returns early if `signal` aborts.
 */
export async function advanceProjection(
  pool: Pool,
  projection: Projection,
  { signal, mergesAll = false }: { readonly signal: AbortSignal; readonly mergesAll?: boolean },
): Promise<void> {
  do {
    const isBehind = await isBehindShards(pool, projection);
    if (!isBehind && !(mergesAll && (await hasTallyChanges(pool, projection)))) return;
    const isDone = await inReadModelTransaction(pool, (client) => tryToAdvance(client, projection));
    // The transaction that has the lock, or the next one, adds the changes of the counts.
    if (isDone || !isBehind) return;
    await waitUnlessAborted(LOCKED_WAIT_ms, signal);
  } while (!signal.aborted);
}

/** Returns true if the slowest shard of a projection is at a later position than its checkpoint. */
async function isBehindShards(pool: Pool, projection: Projection): Promise<boolean> {
  const { rows } = await pool.query<{ position: Position; slowest: Position | null }>({
    name: 'shards-slowest',
    text: `select position, (select min(s.position) from rm.checkpoints s where s.name = any($2)) as slowest
             from rm.checkpoints where name = $1 and version = $3`,
    values: [projection.name, shardNamesOf(projection), projection.version],
  });
  const [row] = rows;
  return row !== undefined && row.slowest !== null && comparePositions(row.slowest, row.position) > 0;
}

/** Returns false, and changes nothing, if another transaction has locked the checkpoint of the projection. */
async function tryToAdvance(client: PoolClient, projection: Projection): Promise<boolean> {
  const { rows } = await client.query<{ position: Position }>({
    name: 'checkpoint-advance',
    text: 'select position from rm.checkpoints where name = $1 and version = $2 for no key update skip locked',
    values: [projection.name, projection.version],
  });
  const [current] = rows;
  if (!current) return false;
  const marks = await readShardMarks(client, projection);
  if (!marks) return true;
  // The counts are read after the marks, so they contain all events up to the slowest shard.
  await mergeTallies(client, projection);
  const slowest = earliestOf(marks);
  if (comparePositions(slowest.position, current.position) > 0)
    await moveCheckpoint(client, projection.name, current.position, slowest);
  return true;
}
