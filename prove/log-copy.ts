import { decodeOnce, type EventMeta, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import {
  counterToPosition,
  findKeyId,
  unsealEvents,
  type DataKeys,
  type Pool,
  type PoolClient,
} from '@alpenglow/infra';
import { readEventStoreDbLog, toOrder, type EventLogPlace } from '../tests/support/event-log.ts';

const PAGE_events = 2_000;

/** A decrypted event with its position as a number. */
export interface Entry {
  readonly event: RecordedEvent;
  readonly at: bigint;
}

/** The decrypted log, and what changed since the previous call. */
export interface LogChanges {
  readonly entries: readonly Entry[];
  /** True at the first call, and if the earlier entries are not valid any more, e.g. because commits were lost. */
  readonly isReplaced: boolean;
  /** The earlier entries whose key was destroyed or stored again, before and after it. */
  readonly changed: readonly { readonly before: RecordedEvent; readonly after: RecordedEvent }[];
}

/** Reads what has changed in the log since the previous call: new events, and events whose key has changed. */
export type ReadLogChanges = (client: PoolClient, keys: DataKeys) => Promise<LogChanges>;

/**
 * Creates a copy of the log. It reads the tables of Postgres with its own SQL, so that errors in the reads of the
 * product are found. A log in EventStoreDB is read as a whole at each call.
 */
export function createLogCopy(eventLog: EventLogPlace): ReadLogChanges {
  let entries: Entry[] = [];
  let keyIds: (string | null)[] = [];
  let keyById: ReadonlyMap<string, Buffer | null> = new Map();

  const open = async (sealed: readonly RecordedEvent[], keys: DataKeys) => {
    const events = await unsealEvents(sealed, keys);
    // Each event is converted once for all projections.
    for (const event of events) decodeOnce(event);
    return events;
  };

  return async (client, keys) => {
    const isReplaced = entries.length === 0 || eventLog.kind !== 'postgres' || !(await hasAll(client, entries));
    if (isReplaced) [entries, keyIds, keyById] = [[], [], new Map()];
    const added =
      eventLog.kind === 'postgres'
        ? await readSealedLog(client, entries.at(-1)?.at ?? 0n)
        : await readEventStoreDbLog(eventLog);
    const addedIds = added.map(findKeyId);
    const known = [...new Set([...keyIds, ...addedIds])].filter((id) => id !== null);
    // The keys are read after the snapshot of the log. Erasures that started meanwhile can have destroyed some of them.
    const current: ReadonlyMap<string, Buffer | null> = known.length === 0 ? new Map() : await keys.find(known);
    const differs = new Set(known.filter((id) => !isSame(keyById.get(id), current.get(id))));
    const indexes = [...keyIds.keys()].filter((index) => differs.has(keyIds[index] ?? ''));
    const reread = await open(
      await readAt(
        client,
        indexes.map((index) => entries[index]?.at ?? 0n),
      ),
      keys,
    );
    const changed = indexes.flatMap((index, n) => {
      const [entry, after] = [entries[index], reread[n]];
      if (!entry || !after) return [];
      entries[index] = { at: entry.at, event: after };
      return [{ before: entry.event, after }];
    });
    const opened = await open(added, keys);
    for (const event of opened) entries.push({ event, at: toOrder(event.position) });
    keyIds.push(...addedIds);
    keyById = current;
    return { entries: [...entries], isReplaced, changed };
  };
}

const isSame = (a: Buffer | null | undefined, b: Buffer | null | undefined) => a === b || (!!a && !!b && a.equals(b));

/** Checks whether the log still has all these entries. The product only appends, and a loss removes the last events. */
async function hasAll(client: PoolClient, entries: readonly Entry[]): Promise<boolean> {
  const last = entries.at(-1);
  const { rows } = await client.query<{ count: number; id: string | null }>(
    `select count(*)::integer as count, (select id::text from es.events l where l.position = $1) as id
       from es.events e where e.position <= $1`,
    [String(last?.at ?? 0n)],
  );
  return rows[0]?.count === entries.length && rows[0].id === last?.event.id;
}

interface SealedRow {
  readonly position: string;
  readonly stream: StreamId;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
  readonly meta: EventMeta;
}
const COLUMNS = 'position::text as position, stream, revision, id, type, version, data, meta';
const toRecorded = (row: SealedRow): RecordedEvent => ({ ...row, position: counterToPosition(row.position) });

async function readSealedLog(client: Pool | PoolClient, from: bigint): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = String(from); ; ) {
    const { rows } = await client.query<SealedRow>(
      `select ${COLUMNS} from es.events as e where e.position > $1 order by e.position limit $2`,
      [after, PAGE_events],
    );
    for (const row of rows) events.push(toRecorded(row));
    const last = rows.at(-1);
    if (!last) return events;
    after = last.position;
  }
}

/** Reads the events at these positions, which must be in order. */
async function readAt(client: PoolClient, positions: readonly bigint[]): Promise<readonly RecordedEvent[]> {
  if (positions.length === 0) return [];
  const { rows } = await client.query<SealedRow>(
    `select ${COLUMNS} from es.events as e where e.position = any($1::bigint[]) order by e.position`,
    [positions.map(String)],
  );
  return rows.map(toRecorded);
}
