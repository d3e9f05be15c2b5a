import type { Pool, PoolClient } from 'pg';
import { ConfigurationError } from '../../service/config.ts';

/** The kind of event store of an installation. It is stored in the table `es.store_in_use`. */
export type EventStoreKind = 'postgres' | 'eventstoredb';

const NAMES: Readonly<Record<EventStoreKind, string>> = { postgres: 'Postgres', eventstoredb: 'EventStoreDB' };

/** Returns the kind of event store for the configured URL. Null means Postgres. */
export function eventStoreKind(eventStoreUrl: string | null): EventStoreKind {
  return eventStoreUrl === null ? 'postgres' : 'eventstoredb';
}

/**
 * Checks that this process uses the same kind of event store as all other processes of its installation. The first
 * process stores the kind in the database. If the kinds differ, throws a `ConfigurationError` that names the
 * environment variable, because processes with different stores do not share events. If the installation is being moved
 * to another store, waits for the end of the move.
 */
export async function ensureSameEventStore(pool: Pool, kind: EventStoreKind): Promise<void> {
  await pool.query('insert into es.store_in_use (kind) values ($1) on conflict do nothing', [kind]);
  await requireSameEventStore(pool, kind);
}

/**
 * Checks that `kind` equals the stored kind of event store. Unlike `ensureSameEventStore`, never stores a kind, so it
 * suits processes that only read. Throws a `ConfigurationError` if the kinds differ. The check passes if the table does
 * not exist, as in the database of an earlier version.
 */
export async function requireSameEventStore(pool: Pool, kind: EventStoreKind): Promise<void> {
  const { rows: tables } = await pool.query<{ found: boolean }>(
    `select to_regclass('es.store_in_use') is not null as found`,
  );
  if (tables[0]?.found !== true) return;
  const { rows } = await pool.query<{ kind: EventStoreKind }>('select kind from es.store_in_use');
  const kindInUse = rows[0]?.kind ?? kind;
  if (kindInUse === kind) return;
  const correction = kindInUse === 'postgres' ? 'must not be set' : 'must be set';
  throw new ConfigurationError(
    `EVENTSTORE_URL: ${correction}, as this installation keeps its events in ${NAMES[kindInUse]}, ` +
      `not in ${NAMES[kind]} (npm run migrate:store moves them)`,
  );
}

/**
 * Stores the kind of event store of the installation. If `client` is in a transaction, the change takes effect when the
 * transaction commits.
 */
export async function storeEventStoreKind(client: Pool | PoolClient, kind: EventStoreKind): Promise<void> {
  await client.query(
    'insert into es.store_in_use (kind) values ($1) on conflict (is_only_row) do update set kind = excluded.kind',
    [kind],
  );
}
