import type { Pool, PoolClient } from 'pg';
import { ConfigurationError, type Config } from '../../service/config.ts';

/** The kind of event store of an installation. */
export type EventStoreKind = 'postgres' | 'eventstoredb';

/** The event store of an installation. It is stored in the table `es.store_in_use`. */
export interface EventStoreInUse {
  readonly kind: EventStoreKind;
  /** The beginning of the names of the streams of this installation in EventStoreDB. Empty for Postgres. */
  readonly streamPrefix: string;
}

const NAMES: Readonly<Record<EventStoreKind, string>> = { postgres: 'Postgres', eventstoredb: 'EventStoreDB' };

/** Returns the configured event store. Without a URL, it is Postgres. */
export function configuredEventStore({
  eventStoreUrl,
  eventStoreStreamPrefix,
}: Pick<Config, 'eventStoreUrl' | 'eventStoreStreamPrefix'>): EventStoreInUse {
  return eventStoreUrl === null
    ? { kind: 'postgres', streamPrefix: '' }
    : { kind: 'eventstoredb', streamPrefix: eventStoreStreamPrefix };
}

/**
 * Checks that this process uses the same event store as all other processes of its installation, with the same prefix
 * of streams. The first process stores both in the database. If they differ, throws a `ConfigurationError` that names
 * the environment variable, because processes with different stores do not share events. If the installation is being
 * moved to another store, waits for the end of the move.
 */
export async function ensureSameEventStore(pool: Pool, store: EventStoreInUse): Promise<void> {
  await pool.query('insert into es.store_in_use (kind, stream_prefix) values ($1, $2) on conflict do nothing', [
    store.kind,
    store.streamPrefix,
  ]);
  await requireSameEventStore(pool, store);
}

/**
 * Returns the stored event store. Returns null if none is stored, or if the table does not exist, as in the database of
 * an earlier version. A table without the column of the prefix has no prefix.
 */
export async function readEventStoreInUse(pool: Pool): Promise<EventStoreInUse | null> {
  const { rows: tables } = await pool.query<{ found: boolean }>(
    `select to_regclass('es.store_in_use') is not null as found`,
  );
  if (tables[0]?.found !== true) return null;
  const { rows } = await pool.query<EventStoreInUse>(
    `select kind, coalesce(to_jsonb(s) ->> 'stream_prefix', '') as "streamPrefix" from es.store_in_use s`,
  );
  return rows[0] ?? null;
}

/**
 * Checks that `store` equals the stored event store. Unlike `ensureSameEventStore`, never stores one, so it suits
 * processes that only read. Throws a `ConfigurationError` if they differ. The check passes if none is stored.
 */
export async function requireSameEventStore(pool: Pool, { kind, streamPrefix }: EventStoreInUse): Promise<void> {
  const inUse = await readEventStoreInUse(pool);
  if (!inUse) return;
  if (inUse.kind !== kind) {
    const correction = inUse.kind === 'postgres' ? 'must not be set' : 'must be set';
    throw new ConfigurationError(
      `EVENTSTORE_URL: ${correction}, as this installation keeps its events in ${NAMES[inUse.kind]}, ` +
        `not in ${NAMES[kind]} (npm run migrate:store moves them)`,
    );
  }
  if (inUse.streamPrefix !== streamPrefix)
    throw new ConfigurationError(
      `EVENTSTORE_STREAM_PREFIX: must be ${JSON.stringify(inUse.streamPrefix)}, as the streams of this installation ` +
        'have this prefix',
    );
}

/**
 * Stores the event store of the installation. If `client` is in a transaction, the change takes effect when the
 * transaction commits.
 */
export async function storeEventStoreInUse(
  client: Pool | PoolClient,
  { kind, streamPrefix }: EventStoreInUse,
): Promise<void> {
  await client.query(
    `insert into es.store_in_use (kind, stream_prefix) values ($1, $2)
     on conflict (is_only_row) do update set kind = excluded.kind, stream_prefix = excluded.stream_prefix`,
    [kind, streamPrefix],
  );
}
