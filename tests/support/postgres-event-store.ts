import type { EventStore, Position } from '@alpenglow/domain';
import { createPool, createPostgresEventStore } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { createMigratedDatabase } from './database.ts';

export interface PostgresEventStoreFixture {
  readonly store: EventStore;
  /** Opens another event store on the same database. By default, it has its own connections, as in another process. */
  openAnother(pool?: Pool): EventStore;
  /** Removes the events after a position, like a failover to a replica that lacks them. */
  rewindTo(position: Position): Promise<void>;
  close(): Promise<void>;
  readonly connectionString: string;
  /** Connection pool for the queries of the test. */
  readonly pool: Pool;
}

/** Creates a database and opens event stores on it. */
export async function openPostgresEventStore(): Promise<PostgresEventStoreFixture> {
  const { connectionString, drop } = await createMigratedDatabase();
  const stores: EventStore[] = [];
  const pools: Pool[] = [];

  function openPool(): Pool {
    const pool = createPool({ connectionString, max: 4, applicationName: 'test' });
    pools.push(pool);
    return pool;
  }

  function openAnother(pool: Pool = openPool()): EventStore {
    const store = createPostgresEventStore({ pool, connectionString });
    stores.push(store);
    return store;
  }

  return {
    connectionString,
    pool: openPool(),
    store: openAnother(),
    openAnother,
    rewindTo: (position) => removeEventsAfter(pools[0] as Pool, position),
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await Promise.all(pools.map((pool) => pool.end()));
      await drop();
    },
  };
}

/** Removes the events after a position, as if the database were replaced by an older copy of itself. */
async function removeEventsAfter(pool: Pool, position: Position): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin; alter table es.events disable trigger events_are_permanent');
    await client.query('delete from es.events where position > $1', [position || '0']);
    await client.query('alter table es.events enable trigger events_are_permanent; commit');
  } finally {
    client.release();
  }
}
