import { START, type Position } from '@alpenglow/domain';
import { ADVANCED_CHANNEL } from '@alpenglow/infra';
import type { Pool, PoolClient } from '@alpenglow/infra';
import type { Parked } from './apply-batch.ts';

/** The checkpoint is not where this runner left it: another one is at work. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

export interface Checkpoint {
  readonly version: number;
  readonly position: Position;
}

/** Where `name` stands, or null before its first run. */
export async function readCheckpoint(client: Pool | PoolClient, name: string): Promise<Checkpoint | null> {
  const { rows } = await client.query<Checkpoint>('select version, position from rm.checkpoints where name = $1', [
    name,
  ]);
  return rows[0] ?? null;
}

/** Starts `name` at a position (the beginning unless said otherwise), or does nothing when it has a checkpoint. */
export async function startCheckpoint(
  client: Pool | PoolClient,
  name: string,
  version: number,
  position: Position = START,
): Promise<void> {
  await client.query(
    'insert into rm.checkpoints (name, version, position) values ($1, $2, $3) on conflict do nothing',
    [name, version, position],
  );
}

/**
 * Moves a checkpoint, inside the caller's transaction or as one of its own, and wakes whoever waits for it on commit, which does not wait
 * for the disk (`inReadModelTransaction`). Throws `CheckpointMoved` when it was not at `from`.
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
             update rm.checkpoints set position = $3, updated_at = now() from (select set_config('synchronous_commit', 'off', true)) as quick
              where name = $1 and position = $2 returning name)
           select pg_notify($4, $5) from moved`,
    values: [name, from, to, ADVANCED_CHANNEL, `${name}:${to}`],
  });
  if (rowCount !== 1) throw new CheckpointMoved(`Checkpoint of ${name} is not at ${from || 'the start'}`);
}

/** Records events that were set aside, inside the caller's transaction. */
export async function recordParked(
  client: Pool | PoolClient,
  projection: string,
  parked: readonly Parked[],
): Promise<void> {
  for (const { position, stream, revision, id, type, error } of parked) {
    await client.query(
      'insert into rm.parked_events (projection, position, stream, revision, event_id, event_type, error) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing',
      [projection, position, stream, revision, id, type, error],
    );
  }
}

/** Streams with an event set aside: their later events wait. */
export async function parkedStreamsOf(client: Pool | PoolClient, projection: string): Promise<Set<string>> {
  const { rows } = await client.query<{ stream: string }>(
    'select distinct stream from rm.parked_events where projection = $1',
    [projection],
  );
  return new Set(rows.map(({ stream }) => stream));
}
