import type { EventStore, LogMark, Position } from '@alpenglow/domain';
import type { Pool, PoolClient } from '@alpenglow/infra';
import type { Checkpoint } from './checkpoints.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';

/** The number of days for which earlier positions of a checkpoint are stored. */
const RETENTION_days = 7;

/**
 * Stores the event of a checkpoint, so that its consumer can return to it. Deletes the marks of the same consumer that
 * are too old.
 */
export async function recordMark(client: PoolClient, name: string, { position, id }: LogMark): Promise<void> {
  await client.query(
    `insert into rm.checkpoint_marks (name, position, event_id) values ($1, $2, $3)
     on conflict (name, position) do update set event_id = excluded.event_id, reached_at = now()`,
    [name, position, id],
  );
  await client.query(
    `delete from rm.checkpoint_marks where name = $1 and reached_at < now() - make_interval(days => $2)`,
    [name, RETENTION_days],
  );
}

/**
 * Moves the checkpoint `name` back, after the log was replaced by an older state without its event. The new position is
 * that of the newest stored mark whose event the log still contains. Without such a mark, it is the position that
 * `start` returns. Deletes later marks and parked events, because their events may no longer exist. Returns the new
 * position.
 */
export async function rewindCheckpoint(
  { store, pool }: { readonly store: Pick<EventStore, 'findEventId'>; readonly pool: Pool },
  name: string,
  { position: from }: Checkpoint,
  start: () => Promise<Position>,
): Promise<Position> {
  const { rows: marks } = await pool.query<LogMark>(
    'select position, event_id as id from rm.checkpoint_marks where name = $1 and position < $2 order by position',
    [name, from],
  );
  const contained = await countContained(store, marks);
  const to = marks[contained - 1]?.position ?? (await start());
  await inReadModelTransaction(pool, async (client) => {
    await client.query(
      `update rm.checkpoints set position = $3, event_id = null, event_position = null,
              updated_at = greatest(updated_at, now())
        where name = $1 and position = $2`,
      [name, from, to],
    );
    await client.query('delete from rm.checkpoint_marks where name = $1 and position > $2', [name, to]);
    await client.query('delete from rm.parked_events where projection = $1 and position > $2', [name, to]);
  });
  return to;
}

/**
 * Returns how many of the marks, which are in the order of the log, the log still contains. If it contains an event, it
 * also contains all earlier events, so a binary search finds the number. A store whose nodes may be behind confirms
 * each lost mark, which takes 2 s. At most 14 of these reads are needed for the marks of seven days.
 */
async function countContained(store: Pick<EventStore, 'findEventId'>, marks: readonly LogMark[]): Promise<number> {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const mark = marks[middle - 1];
    if (mark && (await store.findEventId(mark.position, mark.id)) === mark.id) low = middle;
    else high = middle - 1;
  }
  return low;
}
