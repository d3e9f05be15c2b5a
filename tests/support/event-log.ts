import { START_POSITION, type RecordedEvent } from '@alpenglow/domain';
import { createLogger, createPositionTokens, loadSecrets, type Pool } from '@alpenglow/infra';
import { Client } from 'pg';
import { openEventStoreDb } from '../../infra/src/adapters/eventstoredb/event-store.ts';

export interface LoggedEvent {
  readonly position: bigint;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** The data as it is stored, with encrypted personal data. */
  readonly data: unknown;
}

/** The place of the events of a product. */
export type EventLogPlace =
  | { readonly kind: 'postgres'; readonly connectionString: string }
  | { readonly kind: 'eventstoredb'; readonly url: string; readonly streamPrefix: string };

const PAGE_events = 1_000;

/** Returns the place of the events of a product with these environment variables. */
export function findEventLog(env: Readonly<Record<string, string | undefined>>): EventLogPlace {
  const { DATABASE_URL = '', EVENTSTORE_URL, EVENTSTORE_STREAM_PREFIX = '' } = env;
  return EVENTSTORE_URL === undefined
    ? { kind: 'postgres', connectionString: DATABASE_URL }
    : { kind: 'eventstoredb', url: EVENTSTORE_URL, streamPrefix: EVENTSTORE_STREAM_PREFIX };
}

/** Converts a position of any event store to a number. The numbers have the order of the log. */
export function toOrder(position: string): bigint {
  const [commit = '', prepare] = position.split('/');
  return prepare === undefined ? BigInt(commit) : (BigInt(commit) << 64n) | BigInt(prepare);
}

/**
 * Returns all events of an event store in order of their positions. It reads Postgres directly, and EventStoreDB with
 * the adapter of the product, because the leader may change meanwhile. A text is the connection string of Postgres.
 */
export async function readEventLog(place: EventLogPlace | string): Promise<readonly LoggedEvent[]> {
  if (typeof place === 'string') return readPostgresLog(place);
  if (place.kind === 'postgres') return readPostgresLog(place.connectionString);
  return (await readEventStoreDbLog(place)).map((event) => ({ ...event, position: toOrder(event.position) }));
}

/** Returns all events of an EventStoreDB with encrypted personal data, in order. */
export async function readEventStoreDbLog({
  url,
  streamPrefix,
}: Extract<EventLogPlace, { kind: 'eventstoredb' }>): Promise<readonly RecordedEvent[]> {
  const store = await openEventStoreDb(url, { log: createLogger('silent'), streamPrefix });
  try {
    const events: RecordedEvent[] = [];
    for (let after = START_POSITION; ; ) {
      const page = await store.readAll({ after, limit: PAGE_events });
      events.push(...page);
      const last = page.at(-1);
      if (!last) return events;
      after = last.position;
    }
  } finally {
    await store.close();
  }
}

async function readPostgresLog(connectionString: string): Promise<readonly LoggedEvent[]> {
  const client = new Client({ connectionString });
  // The client emits an error event when the server ends. Without a listener, this event would end the test process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Omit<LoggedEvent, 'position'> & { position: string }>(
      'select position::text as position, id, stream, revision, type, data from es.events as e order by e.position',
    );
    return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
  } finally {
    await client.end();
  }
}

/** Returns the number of events in the log. */
export async function countEvents(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::integer as count from es.events');
  return rows[0]?.count ?? 0;
}

/**
 * Creates a function that returns the position in a token of a response or of a live message (decision 0060). It uses
 * the secrets of the product in `dataDir`.
 */
export async function createPositionReader(dataDir: string): Promise<(token: string) => bigint> {
  const tokens = createPositionTokens((await loadSecrets(dataDir)).accountIds);
  return (token) => {
    const [position] = tokens.openAll(token);
    if (position === undefined) throw new Error(`${token} is not a token of this product`);
    return toOrder(position);
  };
}

/** Returns the streams whose revisions are not 0, 1, 2 and so on. */
export function streamsWithGaps(log: readonly LoggedEvent[]): readonly string[] {
  const next = new Map<string, number>();
  const broken = new Set<string>();
  for (const { stream, revision } of log) {
    if (revision !== (next.get(stream) ?? 0)) broken.add(stream);
    next.set(stream, revision + 1);
  }
  return [...broken];
}

/** Returns the event types of each stream, in order. */
export function typesByStream(log: readonly LoggedEvent[]): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const { stream, type } of log) types.set(stream, [...(types.get(stream) ?? []), type]);
  return types;
}
