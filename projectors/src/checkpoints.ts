import { START_POSITION, type Position, type StreamId } from '@alpenglow/domain';
import { CHECKPOINT_CHANNEL, type Pool, type PoolClient } from '@alpenglow/infra';
import type { ParkedEvent } from './apply-batch.ts';
import type { Projection } from './projection.ts';

/**
 * Thrown if a checkpoint is not at the expected position, because another process or a rebuild has moved the
 * checkpoint.
 */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

export interface Checkpoint {
  readonly version: number;
  readonly position: Position;
}

/**
 * Returns the checkpoint of the event consumer `name`, e.g. of a projection. Returns null before the first run of the
 * consumer.
 */
export async function readCheckpoint(client: Pool | PoolClient, name: string): Promise<Checkpoint | null> {
  const { rows } = await client.query<Checkpoint>('select version, position from rm.checkpoints where name = $1', [
    name,
  ]);
  return rows[0] ?? null;
}

/**
 * Locks the checkpoint of a projection until the caller's transaction ends. Until then, no process can apply events to
 * the live tables of the projection. Returns the checkpoint, or null before the first run of the projection.
 */
export async function lockCheckpoint(client: PoolClient, { name }: Projection): Promise<Checkpoint | null> {
  const { rows } = await client.query<Checkpoint>(
    'select version, position from rm.checkpoints where name = $1 for update',
    [name],
  );
  return rows[0] ?? null;
}

/**
 * Returns the position of the checkpoint `name`. If the checkpoint does not exist, the function creates it at the
 * position that `start` returns.
 */
export async function openCheckpoint(
  pool: Pool,
  name: string,
  start: () => Promise<Position> = () => Promise.resolve(START_POSITION),
): Promise<Position> {
  const existing = await readCheckpoint(pool, name);
  if (existing) return existing.position;
  await pool.query('insert into rm.checkpoints (name, version, position) values ($1, $2, $3) on conflict do nothing', [
    name,
    1,
    await start(),
  ]);
  const created = await readCheckpoint(pool, name);
  if (!created) throw new Error(`${name} has no checkpoint`);
  return created.position;
}

/**
 * Moves the checkpoint `name` from position `from` to position `to`. Runs in the caller's transaction, or in a separate
 * transaction if `client` is a pool. The commit notifies the processes that wait for the checkpoint. As in
 * `inReadModelTransaction`, the commit does not wait until the data is on disk. Throws `CheckpointMoved` if the
 * checkpoint is not at `from`.
 */
export async function moveCheckpoint(
  client: Pool | PoolClient,
  name: string,
  from: Position,
  to: Position,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'checkpoint-move',
    text: `with moved as (
             update rm.checkpoints set position = $3, updated_at = now()
               from (select set_config('synchronous_commit', 'off', true)) as quick
              where name = $1 and position = $2 returning name)
           select pg_notify($4, $5) from moved`,
    values: [name, from, to, CHECKPOINT_CHANNEL, `${name}:${to}`],
  });
  if (rowCount !== 1) throw new CheckpointMoved(`Checkpoint of ${name} is not at ${from || 'the start'}`);
}

/** Stores the events that a projection or another consumer has parked, inside the caller's transaction. */
export async function recordParkedEvents(
  client: Pool | PoolClient,
  projection: string,
  parked: readonly ParkedEvent[],
): Promise<void> {
  for (const { position, stream, revision, id, type, error } of parked) {
    await client.query(
      `insert into rm.parked_events (projection, position, stream, revision, event_id, event_type, error)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict do nothing`,
      [projection, position, stream, revision, id, type, error],
    );
  }
}

/**
 * Returns the event streams that have parked events of `projection`. Later events of these streams must be parked, too.
 */
export async function readParkedStreams(client: Pool | PoolClient, projection: string): Promise<Set<string>> {
  const { rows } = await client.query<{ stream: StreamId }>(
    'select distinct stream from rm.parked_events where projection = $1',
    [projection],
  );
  return new Set(rows.map(({ stream }) => stream));
}
