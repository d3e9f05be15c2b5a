import { START_POSITION, type EventStore, type LogMark, type Position, type StreamId } from '@alpenglow/domain';
import {
  CHECKPOINT_CHANNEL,
  CHECKPOINT_EVENT_CHANNEL,
  createBatcher,
  type Pool,
  type PoolClient,
} from '@alpenglow/infra';
import type { ParkedEvent } from '../apply-batch.ts';
import type { Projection } from '../projection.ts';

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
  /** The id of the event at `position`. Null at the start, and after a process of an earlier build has moved it. */
  readonly eventId: string | null;
  /**
   * The position at which the log had lost the event of the checkpoint. Until a rebuilt version takes over, the tables
   * contain effects of lost events. Otherwise null.
   */
  readonly lostPosition: Position | null;
}

const COLUMNS = `version, position, case when event_position = position then event_id end as "eventId",
  lost_position as "lostPosition"`;

/**
 * Returns the checkpoint of the event consumer `name`, e.g. of a projection. Returns null before the first run of the
 * consumer.
 */
export async function readCheckpoint(client: Pool | PoolClient, name: string): Promise<Checkpoint | null> {
  const { rows } = await client.query<Checkpoint>(`select ${COLUMNS} from rm.checkpoints where name = $1`, [name]);
  return rows[0] ?? null;
}

/**
 * Locks the checkpoint of a projection until the caller's transaction ends. Until then, no process can apply events to
 * the live tables of the projection. Returns the checkpoint, or null before the first run of the projection.
 */
export async function lockCheckpoint(client: PoolClient, { name }: Projection): Promise<Checkpoint | null> {
  const { rows } = await client.query<Checkpoint>(`select ${COLUMNS} from rm.checkpoints where name = $1 for update`, [
    name,
  ]);
  return rows[0] ?? null;
}

/**
 * Returns the checkpoint `name`. If the checkpoint does not exist, the function creates it at the position that `start`
 * returns.
 */
export async function openCheckpoint(pool: Pool, name: string, start: () => Promise<Position>): Promise<Checkpoint> {
  const existing = await readCheckpoint(pool, name);
  if (existing) return existing;
  await pool.query('insert into rm.checkpoints (name, version, position) values ($1, $2, $3) on conflict do nothing', [
    name,
    1,
    await start(),
  ]);
  const created = await readCheckpoint(pool, name);
  if (!created) throw new Error(`${name} has no checkpoint`);
  return created;
}

/**
 * Checks that the log still contains the event of a checkpoint, and returns its position and id. Stores the id if the
 * checkpoint has none. Returns null if the log was replaced by an older state without this event. Rejects if the store
 * or the database fails.
 */
export async function findCheckpointEvent(
  { store, pool }: { readonly store: Pick<EventStore, 'findEventId'>; readonly pool: Pool },
  name: string,
  { position, eventId }: Checkpoint,
): Promise<LogMark | null> {
  if (position === START_POSITION) return { position, id: null };
  const id = await store.findEventId(position, eventId);
  if (id === null || id !== (eventId ?? id)) return null;
  if (eventId === null)
    await pool.query('update rm.checkpoints set event_id = $3, event_position = $2 where name = $1 and position = $2', [
      name,
      position,
      id,
    ]);
  return { position, id };
}

/**
 * Records that the tables of a projection contain effects of events that the log has lost. The read model is then not
 * current until `swapTables` replaces its tables. Processes that wait for the checkpoint are notified, so that none of
 * them takes the lost position for progress. Returns false and changes nothing if the checkpoint has moved in the
 * meantime.
 */
export async function recordLoss(pool: Pool, name: string, { position }: Checkpoint): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with lost as (
       update rm.checkpoints
          set lost_position = coalesce(lost_position, position),
              updated_at = case when lost_position is null then now() else updated_at end
        where name = $1 and position = $2 returning name)
     select pg_notify($3, $4) from lost`,
    [name, position, CHECKPOINT_CHANNEL, `${name}:${START_POSITION}`],
  );
  return rowCount === 1;
}

/**
 * Moves the checkpoint `name` from position `from` to the event `to`. Its time never goes back, because names of runs
 * of the live relay are derived from it. Runs in the caller's transaction, or in a separate transaction if `client` is
 * a pool. The commit notifies the processes that wait for the checkpoint. The id of the event is in a separate
 * notification, because processes of earlier builds read only the position. As in `inReadModelTransaction`, the commit
 * does not wait until the data is on disk. Throws `CheckpointMoved` if the checkpoint is not at `from`.
 */
export async function moveCheckpoint(
  client: Pool | PoolClient,
  name: string,
  from: Position,
  to: LogMark,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'checkpoint-move',
    text: `with updated as (
             update rm.checkpoints
                set position = $3, event_id = $6, event_position = $3, updated_at = greatest(updated_at, now())
               from (select set_config('synchronous_commit', 'off', true)) as commit_setting
              where name = $1 and position = $2 returning name)
           select pg_notify($7, $8), pg_notify($4, $5) from updated`,
    values: [
      name,
      from,
      to.position,
      CHECKPOINT_CHANNEL,
      `${name}:${to.position}`,
      to.id,
      CHECKPOINT_EVENT_CHANNEL,
      `${name}:${to.position}:${to.id ?? ''}`,
    ],
  });
  if (rowCount !== 1) throw new CheckpointMoved(`Checkpoint of ${name} is not at ${from || 'the start'}`);
}

interface Move {
  readonly name: string;
  readonly from: Position;
  readonly to: LogMark;
}

const moversByPool = new WeakMap<Pool, (move: Move) => Promise<boolean>>();

function findMover(pool: Pool): (move: Move) => Promise<boolean> {
  const known = moversByPool.get(pool);
  if (known) return known;
  const mover = createBatcher((moves: readonly Move[]) => moveUnlockedCheckpoints(pool, moves));
  moversByPool.set(pool, mover);
  return mover;
}

/**
 * Moves the checkpoints that no other transaction has locked and that are at `from`, in one transaction. Returns for
 * each move whether it was made. Waiting for a locked checkpoint would delay the others and could cause a
 * deadlock. If several moves have the same checkpoint, at most one of them is made.
 */
async function moveUnlockedCheckpoints(pool: Pool, moves: readonly Move[]): Promise<readonly boolean[]> {
  const { rows } = await pool.query<{ name: string; before: Position; after: Position }>({
    name: 'checkpoints-move',
    text: `with moves as (
             select * from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) as m (name, before, after, event_id)),
           unlocked as (
             select name from rm.checkpoints c join moves using (name)
              where c.position = moves.before for no key update of c skip locked),
           updated as (
             update rm.checkpoints c
                set position = m.after, event_id = m.event_id, event_position = m.after,
                    updated_at = greatest(c.updated_at, now())
               from moves m join unlocked using (name),
                    (select set_config('synchronous_commit', 'off', true)) as commit_setting
              where c.name = m.name and c.position = m.before returning c.name, m.before, m.after, m.event_id)
           select name, before, after, pg_notify($5, concat_ws(':', name, after, coalesce(event_id::text, ''))),
                  pg_notify($6, concat_ws(':', name, after))
             from updated`,
    values: [
      moves.map(({ name }) => name),
      moves.map(({ from }) => from),
      moves.map(({ to }) => to.position),
      moves.map(({ to }) => to.id),
      CHECKPOINT_EVENT_CHANNEL,
      CHECKPOINT_CHANNEL,
    ],
  });
  const textOf = (name: string, before: Position, after: Position) => JSON.stringify([name, before, after]);
  const made = new Set(rows.map(({ name, before, after }) => textOf(name, before, after)));
  // `delete` returns true only for the first of several equal moves.
  return moves.map(({ name, from, to }) => made.delete(textOf(name, from, to.position)));
}

/**
 * Moves a checkpoint as `moveCheckpoint` does, in a transaction without other changes of the caller. All consumers of a
 * process receive new events at the same time, so one statement moves all checkpoints whose consumers have nothing else
 * to write. If this statement fails or skips the checkpoint, a separate statement moves it, so that a broken connection
 * does not end all consumers. Throws `CheckpointMoved` if the checkpoint is not at `from`.
 */
export async function moveCheckpointInOwnTransaction(
  pool: Pool,
  name: string,
  from: Position,
  to: LogMark,
): Promise<void> {
  const isMoved = await findMover(pool)({ name, from, to }).catch(() => false);
  if (!isMoved) await moveCheckpoint(pool, name, from, to);
}

/** Stores the events that a projection or another consumer has parked, inside the caller's transaction. */
export async function recordParkedEvents(
  client: Pool | PoolClient,
  projection: string,
  parked: readonly ParkedEvent[],
): Promise<void> {
  if (parked.length === 0) return;
  const columns = ['position', 'stream', 'revision', 'id', 'type', 'error'] as const;
  await client.query(
    `insert into rm.parked_events (projection, position, stream, revision, event_id, event_type, error)
     select $1, * from unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[])
     on conflict do nothing`,
    [projection, ...columns.map((column) => parked.map((event) => event[column]))],
  );
}

/**
 * Returns the event streams that have parked events of `projection`. Later events of these streams must be parked, too.
 */
export async function readParkedStreams(client: Pool | PoolClient, projection: string): Promise<Set<string>> {
  const { rows } = await client.query<{ stream: StreamId }>({
    name: 'parked-streams',
    text: 'select distinct stream from rm.parked_events where projection = $1',
    values: [projection],
  });
  return new Set(rows.map(({ stream }) => stream));
}
