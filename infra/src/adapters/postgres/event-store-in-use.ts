import type { Pool, PoolClient } from 'pg';
import { ConfigurationError } from '../../config.ts';

/** What kind of store events are in, as `es.store_in_use` says it. */
export type EventStoreKind = 'postgres' | 'eventstoredb';

const NAMES: Readonly<Record<EventStoreKind, string>> = { postgres: 'Postgres', eventstoredb: 'EventStoreDB' };

/** Null, as in `Config`, stands for Postgres. */
export function eventStoreKind(eventStoreUrl: string | null): EventStoreKind {
  return eventStoreUrl === null ? 'postgres' : 'eventstoredb';
}

/**
 * Makes sure that this process keeps events where the others of its installation do: the first one says in the database where that is.
 * Throws `ConfigurationError`, naming the variable, where they are elsewhere: what it wrote would be in a store that nobody reads. Waits
 * for a switch to another store that is under way.
 */
export async function agreeOnEventStore(pool: Pool, kind: EventStoreKind): Promise<void> {
  await pool.query('insert into es.store_in_use (kind) values ($1) on conflict do nothing', [kind]);
  await refuseOtherEventStore(pool, kind);
}

/** As `agreeOnEventStore`, without saying anything where nothing was said yet: for those who only read. The tables may be of an earlier version. */
export async function refuseOtherEventStore(pool: Pool, kind: EventStoreKind): Promise<void> {
  const { rows: tables } = await pool.query<{ found: boolean }>(
    `select to_regclass('es.store_in_use') is not null as found`,
  );
  if (tables[0]?.found !== true) return;
  const { rows } = await pool.query<{ kind: EventStoreKind }>('select kind from es.store_in_use');
  const used = rows[0]?.kind ?? kind;
  if (used === kind) return;
  const remedy = used === 'postgres' ? 'must not be set' : 'must be set';
  throw new ConfigurationError(
    `EVENTSTORE_URL: ${remedy}, as this installation keeps its events in ${NAMES[used]}, not in ${NAMES[kind]} (npm run migrate:store moves them)`,
  );
}

/** From now on, or from the end of the transaction that `client` is in, the installation keeps its events there. */
export async function putEventStoreInUse(client: Pool | PoolClient, kind: EventStoreKind): Promise<void> {
  await client.query(
    'insert into es.store_in_use (kind) values ($1) on conflict (is_only_row) do update set kind = excluded.kind',
    [kind],
  );
}
