import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_SCHEMA, PostgresConnection, PostgresQueueBackend, runMigrations, type BackendFactory, type PgPool, type PostgresConnectionOptions } from 'bullmq';
import { Client } from 'pg';
import { createPool } from '../postgres/pool.ts';

/** Where BullMQ keeps its jobs. Everything beside this file is the same for every backend. */
export interface JobBackend {
  readonly connection: PostgresConnectionOptions;
  readonly factory: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions>;
  /** Closes the connections. Queues and workers on them are closed first. */
  close(): Promise<void>;
}

/** One that listens, one that asks; the second is closed between the looks of an idle worker. */
const MAX_CONNECTIONS = 2;
const IDLE_TIMEOUT_ms = 2_000;
const RETRY_WAIT_ms = 1_000;

/** BullMQ's own migrations, for the backend a connection string names. Safe to run from several processes, and again. */
export async function migrateJobs(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

/**
 * Connects to the backend a connection string names. `postgres:` is the one there is; `redis:` belongs here.
 * Throws when it cannot be reached or `migrateJobs` has not run: a worker on an unmigrated schema would spin.
 */
export async function openJobBackend({ connectionString }: { connectionString: string }): Promise<JobBackend> {
  const { protocol } = new URL(connectionString);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') throw new TypeError(`No jobs on ${protocol}`);

  const pool = createPool({
    connectionString: withSearchPath(connectionString, DEFAULT_SCHEMA),
    max: MAX_CONNECTIONS,
    applicationName: 'alpenglow-jobs',
    idleTimeout_ms: IDLE_TIMEOUT_ms,
  });
  // BullMQ describes the part of a pool it uses with looser types than node-postgres has.
  const bullPool = pool as unknown as PgPool;
  // One connection listens for all workers of this process, where BullMQ by itself would open one each.
  const connection = new PostgresConnection(bullPool);
  try {
    await connection.waitUntilReady();
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    connection: bullPool,
    factory: (name, options, { withBlockingConnection = false } = {}) => new SharedBackend(connection, name, options, withBlockingConnection),
    async close() {
      await connection.close();
      await pool.end();
    },
  };
}

class SharedBackend extends PostgresQueueBackend {
  /** The connection is shared: it outlives any one queue or worker. */
  override close(): Promise<void> {
    return Promise.resolve();
  }

  /** BullMQ asks again at once when claiming a job fails, which would keep a processor busy for as long as Postgres is unwell. */
  override async moveToActive(token: string, name?: string): ReturnType<PostgresQueueBackend['moveToActive']> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await pause(RETRY_WAIT_ms);
      throw error;
    }
  }
}

function withSearchPath(connectionString: string, schema: string): string {
  const url = new URL(connectionString);
  const options = url.searchParams.get('options');
  url.searchParams.set('options', [options, `-c search_path=${schema}`].filter(Boolean).join(' '));
  return url.href;
}
