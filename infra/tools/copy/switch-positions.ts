import { START, type Position } from '@alpenglow/domain';
import { putEventStoreInUse, type EventStoreKind, type Pool, type PoolClient } from '../../src/index.ts';
import { ToolError } from '../tool.ts';

/** Every place of the read models' database that holds a position of the event store. */
export interface KeptPositions {
  /** How far projections, reactors and the relay have come. */
  readonly checkpoints: readonly { readonly name: string; readonly position: Position }[];
  /** Events that were set aside. */
  readonly parked: readonly { readonly projection: string; readonly position: Position }[];
}

const CHAINED = ['audit.event_hashes', 'audit.log_entries', 'audit.daily_roots'] as const;
/** Set-aside events are mapped in memory; more than these say that something else has to be mended first. */
const MAX_PARKED = 100_000;

/** Throws `ToolError` when there are too many to be mapped. */
export async function readKeptPositions(client: Pool | PoolClient): Promise<KeptPositions> {
  const { rows: checkpoints } = await client.query<{ name: string; position: Position }>(
    'select name, position from rm.checkpoints order by name',
  );
  const { rows: parked } = await client.query<{ projection: string; position: Position }>(
    'select projection, position from rm.parked_events order by projection, position limit $1',
    [MAX_PARKED + 1],
  );
  if (parked.length > MAX_PARKED)
    throw new ToolError(`More than ${MAX_PARKED} events are set aside. Mend or rebuild the projections first.`);
  return { checkpoints, parked };
}

/**
 * Finds the events at kept positions in the old store, then the same events in the new one. Both are told every event of their
 * store, in order.
 */
export function createPositionMap({ checkpoints, parked }: KeptPositions) {
  const wanted = new Set(
    [...checkpoints, ...parked].map(({ position }) => position).filter((position) => position !== START),
  );
  const idOf = new Map<Position, string>();
  const newPositions = new Map<string, Position | null>();
  return {
    tellOld({ id, position }: { readonly id: string; readonly position: Position }): void {
      if (!wanted.has(position)) return;
      idOf.set(position, id);
      newPositions.set(id, null);
    },
    tellNew({ id, position }: { readonly id: string; readonly position: Position }): void {
      if (newPositions.has(id)) newPositions.set(id, position);
    },
    /** Where the event that was at `position` is now. Throws `ToolError` when there is none. */
    find(position: Position, whose: string): Position {
      if (position === START) return START;
      const id = idOf.get(position);
      const found = id === undefined ? undefined : newPositions.get(id);
      if (!found)
        throw new ToolError(
          `${whose} is at ${position}, where the source has no event. Was this database switched over already, or does it belong to another store? Nothing was changed.`,
        );
      return found;
    },
  };
}
export type PositionMap = ReturnType<typeof createPositionMap>;

export interface Switch {
  readonly kept: KeptPositions;
  readonly map: PositionMap;
  /** Where events are from now on. */
  readonly to: EventStoreKind;
  /** Throws when the switch must not be. */
  readonly mayGoOn: () => Promise<void>;
}

/**
 * Moves every kept position to the new store, and says that events are there from now on, in one transaction that is on the disk when this
 * returns. Throws `ToolError`, and changes nothing, when a position cannot be mapped, when one has moved since `kept` was read, or when
 * `mayGoOn` throws, which is asked last.
 */
export async function switchPositions(pool: Pool, { kept, map, to, mayGoOn }: Switch): Promise<void> {
  const checkpoints = kept.checkpoints.map(({ name, position }) => ({
    name,
    position: map.find(position, `Checkpoint ${name}`),
  }));
  const parked = kept.parked.map(({ projection, position }) => ({
    projection,
    from: position,
    to: map.find(position, `An event that ${projection} has set aside`),
  }));
  const client = await pool.connect();
  try {
    // A process that starts meanwhile waits to learn where events are.
    await client.query(
      'begin; lock table es.store_in_use, rm.checkpoints, rm.parked_events, rm.rebuilds, rm.previous_versions in access exclusive mode',
    );
    const now = await readKeptPositions(client);
    if (JSON.stringify(now) !== JSON.stringify(kept))
      throw new ToolError('The read models have moved on meanwhile. Stop all services first. Nothing was changed.');
    await client.query(
      `update rm.checkpoints c set position = new.position, updated_at = now()
         from jsonb_to_recordset($1::jsonb) as new (name text, position text) where c.name = new.name`,
      [JSON.stringify(checkpoints)],
    );
    await client.query(
      `create temporary table moved on commit drop as
         select new."to" as position, p.projection, p.stream, p.event_type, p.error, p.parked_at, p.event_id, p.revision
           from rm.parked_events p join jsonb_to_recordset($1::jsonb) as new (projection text, "from" text, "to" text)
             on p.projection = new.projection and p.position = new."from"`,
      [JSON.stringify(parked)],
    );
    // Anew, rather than changed in place: an old position may be another event's new one.
    await client.query('delete from rm.parked_events');
    await client.query(
      'insert into rm.parked_events (position, projection, stream, event_type, error, parked_at, event_id, revision) select * from moved',
    );
    // Tables beside the live ones stand at positions of the old store: a rebuild begins again, and there is no way back over the switch.
    await client.query(
      `update rm.rebuilds set position = null, table_oid = null, has_indexes = false, state = case state when 'paused' then state else 'running' end where state in ('running', 'paused', 'checking', 'ready', 'swapping')`,
    );
    await client.query('delete from rm.previous_versions');
    // Hashes are of events at their positions: the product chains the history anew, and comes to the same entries and roots.
    for (const table of CHAINED)
      await client.query(
        `alter table ${table} disable trigger user; delete from ${table}; alter table ${table} enable trigger user`,
      );
    await putEventStoreInUse(client, to);
    await mayGoOn();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release(true);
  }
}
