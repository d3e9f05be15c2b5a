import { EventEmitter } from 'node:events';
import {
  DEFAULT_SCHEMA,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  type PgPool,
  type PgQueryResult,
} from 'bullmq';
import { isBrokenConnection, isOutage } from '../postgres/errors.ts';
import { createPool, withClient } from '../postgres/pool.ts';
import type { JobBackend } from './job-backend.ts';
import { pauseOnFailure } from './pause-on-failure.ts';

/**
 * The maximum number of connections to Postgres. The first connection listens for notifications, and the second one
 * runs queries. While a worker is idle, the second connection is closed between the checks for jobs.
 */
const MAX_CONNECTIONS = 2;
const APPLICATION_NAME = 'alpenglow-jobs';
const IDLE_TIMEOUT_ms = 2_000;
/**
 * The interval at which an idle worker checks for jobs. It is long, because Postgres also notifies workers of new jobs.
 */
const IDLE_CHECK_s = 30;

/**
 * Creates or updates the tables in which BullMQ stores jobs. Idempotent, and safe to run from several processes.
 * Rejects within seconds if Postgres does not respond.
 */
export async function migrateJobs(connectionString: string): Promise<void> {
  await withClient({ connectionString, applicationName: APPLICATION_NAME, statementTimeout_ms: 0 }, (client) =>
    runMigrations(client),
  );
}

/**
 * Opens the storage of background jobs in the Postgres tables that `migrateJobs` creates. Rejects if Postgres cannot be
 * reached or if the tables are missing.
 */
export async function openPostgresBackend(connectionString: string): Promise<JobBackend> {
  const pool = createPool({
    connectionString: withSearchPath(connectionString, DEFAULT_SCHEMA),
    max: MAX_CONNECTIONS,
    applicationName: APPLICATION_NAME,
    idleTimeout_ms: IDLE_TIMEOUT_ms,
  });
  // BullMQ's type of a connection pool differs from the type of node-postgres, so a type cast is needed.
  const bullPool = pool as unknown as PgPool;
  // All workers of this process share one listening connection. By default, BullMQ opens one for each worker.
  const connection = new SharedConnection(bullPool);
  try {
    await connection.waitUntilReady();
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    factory: (name, options, { withBlockingConnection = false } = {}) =>
      pauseOnFailure(new SharedBackend(connection, name, { ...options, connection: bullPool }, withBlockingConnection)),
    idleCheck_s: IDLE_CHECK_s,
    isOutage: (error) => isOutage(error) || isBrokenConnection(error),
    check: () => connection.waitUntilReady(),
    async close() {
      await connection.close();
      await pool.end();
    },
  };
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/**
 * A Postgres connection that several workers share. The workers may call `listen` at the same time, but a connection
 * runs only one query at a time. This class therefore runs their queries one after the other.
 */
class SharedConnection extends PostgresConnection {
  readonly #serializedClients = new WeakSet<ListenClient>();

  constructor(pool: PgPool) {
    super(pool);
    // Every queue and worker adds a listener, so Node's warning about many listeners is disabled.
    this.setMaxListeners(0);
  }

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient();
    if (!this.#serializedClients.has(client)) {
      this.#serializedClients.add(client);
      if (client instanceof EventEmitter) client.setMaxListeners(0);
      const { query } = client;
      let last: Promise<unknown> = Promise.resolve();
      client.query = <R>(text: string, params?: readonly unknown[]) => {
        const result = last.then(() => query.call(client, text, params) as Promise<PgQueryResult<R>>);
        last = result.catch(() => undefined);
        return result;
      };
    }
    return client;
  }
}

class SharedBackend extends PostgresQueueBackend {
  /** Does nothing, because other queues and workers still use the shared connection. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

function withSearchPath(connectionString: string, schema: string): string {
  const url = new URL(connectionString);
  const options = url.searchParams.get('options');
  url.searchParams.set('options', [options, `-c search_path=${schema}`].filter(Boolean).join(' '));
  return url.href;
}
