import { START_POSITION, type Position } from '@alpenglow/domain';
import {
  ACCOUNT_STREAMS,
  storeEventStoreInUse,
  type EventStoreInUse,
  type Pool,
  type PoolClient,
} from '@alpenglow/infra';
import { ToolError } from '../tool.ts';

/** The positions in the event store that the database of the read models contains. */
export interface StoredPositions {
  /**
   * The positions up to which background consumers of events, such as projections and reactors, have handled events.
   */
  readonly checkpoints: readonly { readonly name: string; readonly position: Position }[];
  readonly parked: readonly { readonly projection: string; readonly position: Position }[];
}

/**
 * Maximum number of parked events, i.e. of events that a projection could not handle. All their positions are in
 * memory. If there are more parked events, there is a problem that must be solved first.
 */
const MAX_PARKED = 100_000;

/** Reads the stored positions from the database. Throws `ToolError` if there are too many parked events. */
export async function readStoredPositions(client: Pool | PoolClient): Promise<StoredPositions> {
  const { rows: checkpoints } = await client.query<{ name: string; position: Position }>(
    'select name, position from rm.checkpoints order by name',
  );
  const { rows: parked } = await client.query<{ projection: string; position: Position }>(
    'select projection, position from rm.parked_events order by projection, position limit $1',
    [MAX_PARKED + 1],
  );
  if (parked.length > MAX_PARKED)
    throw new ToolError(`More than ${MAX_PARKED} events are parked. Repair or rebuild the projections first.`);
  return { checkpoints, parked };
}

/**
 * Creates a map from positions in the old store to positions of the same events in the new store. First pass all events
 * of the old store to `addOldEvent`. Then pass all events of the new store to `addNewEvent`.
 */
export function createPositionMap({ checkpoints, parked }: StoredPositions) {
  const wanted = new Set(
    [...checkpoints, ...parked].map(({ position }) => position).filter((position) => position !== START_POSITION),
  );
  const idOf = new Map<Position, string>();
  const newPositions = new Map<string, Position | null>();
  return {
    addOldEvent({ id, position }: { readonly id: string; readonly position: Position }): void {
      if (!wanted.has(position)) return;
      idOf.set(position, id);
      newPositions.set(id, null);
    },
    addNewEvent({ id, position }: { readonly id: string; readonly position: Position }): void {
      if (newPositions.has(id)) newPositions.set(id, position);
    },
    /**
     * Takes the `position` of an event in the old store, and returns the position of the same event in the new store.
     * Throws `ToolError` if there is no such event.
     */
    find(position: Position, label: string): Position {
      if (position === START_POSITION) return START_POSITION;
      const id = idOf.get(position);
      const newPosition = id === undefined ? undefined : newPositions.get(id);
      if (!newPosition)
        throw new ToolError(
          `${label} is at ${position}, where the source has no event. ` +
            'Was this database switched over already, or does it belong to another store? Nothing was changed.',
        );
      return newPosition;
    },
  };
}
export type PositionMap = ReturnType<typeof createPositionMap>;

export interface PositionSwitch {
  readonly storedPositions: StoredPositions;
  readonly map: PositionMap;
  readonly to: EventStoreInUse;
  /** Throws an error if the switch is not allowed. It is called last, before the changes are committed. */
  readonly checkAllowed: () => Promise<void>;
}

/**
 * Replaces all stored positions with positions in the new store, and stores which store is in use. When this
 * function returns, the transaction is on the disk. Throws `ToolError` without any change if a position is unknown or
 * has changed since it was read, or if the audit chain is stopped. An error of `checkAllowed` also prevents all
 * changes.
 */
export async function switchPositions(
  pool: Pool,
  { storedPositions, map, to, checkAllowed }: PositionSwitch,
): Promise<void> {
  const checkpoints = storedPositions.checkpoints.map(({ name, position }) => ({
    name,
    position: map.find(position, `Checkpoint ${name}`),
  }));
  const parked = storedPositions.parked.map(({ projection, position }) => ({
    projection,
    from: position,
    to: map.find(position, `An event that ${projection} has parked`),
  }));
  const client = await pool.connect();
  try {
    // A process that starts during the switch must wait for these locks. It therefore reads the new event store.
    await client.query(
      `begin;
       lock table es.store_in_use, rm.checkpoints, rm.parked_events, rm.rebuilds, rm.previous_versions
         in access exclusive mode`,
    );
    const current = await readStoredPositions(client);
    if (JSON.stringify(current) !== JSON.stringify(storedPositions))
      throw new ToolError(
        'The read models have advanced in the meantime. Stop all services first. Nothing was changed.',
      );
    await client.query(
      `update rm.checkpoints c set position = new.position, updated_at = now()
         from jsonb_to_recordset($1::jsonb) as new (name text, position text) where c.name = new.name`,
      [JSON.stringify(checkpoints)],
    );
    // Earlier positions of checkpoints belong to the old store.
    await client.query('delete from rm.checkpoint_marks');
    // The index of streams contains positions of the old store. The product builds it again in the background.
    await client.query('delete from rm.account_streams');
    await client.query('delete from rm.checkpoints where name = $1', [ACCOUNT_STREAMS]);
    // The index of requests contains positions of the old store, too. It begins again with the next event.
    await client.query('delete from ops.request_events');
    await client.query(
      `create temporary table moved on commit drop as
         select new."to" as position, p.projection, p.stream, p.event_type, p.error, p.parked_at, p.event_id, p.revision
           from rm.parked_events p join jsonb_to_recordset($1::jsonb) as new (projection text, "from" text, "to" text)
             on p.projection = new.projection and p.position = new."from"`,
      [JSON.stringify(parked)],
    );
    // The rows are not updated in place, because the new position of one event may equal the old position of another
    // event.
    await client.query('delete from rm.parked_events');
    await client.query(
      `insert into rm.parked_events (position, projection, stream, event_type, error, parked_at, event_id, revision)
       select * from moved`,
    );
    // Rebuilds of read models start again, because their positions belong to the old store. For the same reason, the
    // previous versions of read models are deleted. An admin can therefore not revert to them after the switch.
    await client.query(
      `update rm.rebuilds set position = null, table_oid = null, has_indexes = false,
              state = case state when 'paused' then state else 'running' end
        where state in ('running', 'paused', 'checking', 'ready', 'swapping')`,
    );
    await client.query('delete from rm.previous_versions');
    await rejectIfChainStopped(client);
    // These hashes are deleted, because they include the positions of events. The product computes them again from the
    // new positions. Log entries and daily roots include no positions, and stay: the events alone do not result in the
    // entries of a continuation, and published roots must not change.
    await client.query(
      `alter table audit.event_hashes disable trigger user;
       delete from audit.event_hashes;
       alter table audit.event_hashes enable trigger user`,
    );
    await storeEventStoreInUse(client, to);
    await checkAllowed();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release(true);
  }
}

/** Throws `ToolError` if the audit chain is stopped, because the hashes of the lost events would be deleted. */
async function rejectIfChainStopped(client: PoolClient): Promise<void> {
  const { rowCount } = await client.query('select from ops.audit_chain_stop');
  if (rowCount !== 0)
    throw new ToolError(
      'The audit chain is stopped, because the event log has lost events of a past day. First continue it with ' +
        'npm run audit -- continue, or restore the lost events and start the product once. Nothing was changed.',
    );
}
