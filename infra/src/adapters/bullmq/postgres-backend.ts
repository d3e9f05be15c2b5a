import { EventEmitter } from 'node:events';
import {
  DEFAULT_SCHEMA,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  type PgPool,
  type PgQueryResult,
} from 'bullmq';
import { Client } from 'pg';
import { isBrokenConnection, isOutage } from '../postgres/errors.ts';
import { connectionSettings, createPool } from '../postgres/pool.ts';
import type { JobBackend } from './backend.ts';
import { pausingOnFailure } from './pausing.ts';

/** One that listens, one that asks; the second is closed between the looks of an idle worker. */
const MAX_CONNECTIONS = 2;
const APPLICATION_NAME = 'alpenglow-jobs';
const IDLE_TIMEOUT_ms = 2_000;
/** A new job is announced at once, and the connection that hears of it is watched. */
const IDLE_LOOK_s = 30;

/** BullMQ's own migrations. Safe to run from several processes, and again. Rejects within seconds when Postgres does not answer. */
export async function migrateJobs(connectionString: string): Promise<void> {
  const client = new Client(
    connectionSettings({ connectionString, applicationName: APPLICATION_NAME, statementTimeout_ms: 0 }),
  );
  // One that breaks between two questions says so by an event too; the next question tells.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

/** Jobs in the tables that `migrateJobs` makes. Rejects when Postgres cannot be reached, or they are not there. */
export async function openPostgresBackend(connectionString: string): Promise<JobBackend> {
  const pool = createPool({
    connectionString: withSearchPath(connectionString, DEFAULT_SCHEMA),
    max: MAX_CONNECTIONS,
    applicationName: APPLICATION_NAME,
    idleTimeout_ms: IDLE_TIMEOUT_ms,
  });
  // BullMQ describes the part of a pool it uses with looser types than node-postgres has.
  const bullPool = pool as unknown as PgPool;
  // One connection listens for all workers of this process, where BullMQ by itself would open one each.
  const connection = new SharedConnection(bullPool);
  try {
    await connection.waitUntilReady();
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    factory: (name, options, { withBlockingConnection = false } = {}) =>
      pausingOnFailure(
        new SharedBackend(connection, name, { ...options, connection: bullPool }, withBlockingConnection),
      ),
    idleLook_s: IDLE_LOOK_s,
    isOutage: (error) => isOutage(error) || isBrokenConnection(error),
    check: () => connection.waitUntilReady(),
    async close() {
      await connection.close();
      await pool.end();
    },
  };
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/** Workers of several kinds ask the connection they share to listen, all at once; a connection takes one question after the other. */
class SharedConnection extends PostgresConnection {
  readonly #inTurn = new WeakSet<ListenClient>();

  constructor(pool: PgPool) {
    super(pool);
    // Each queue and each worker hears of it: as many as there are kinds of jobs, which is no leak.
    this.setMaxListeners(0);
  }

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient();
    if (!this.#inTurn.has(client)) {
      this.#inTurn.add(client);
      if (client instanceof EventEmitter) client.setMaxListeners(0);
      const { query } = client;
      let last: Promise<unknown> = Promise.resolve();
      client.query = <R>(text: string, params?: readonly unknown[]) => {
        const asked = last.then(() => query.call(client, text, params) as Promise<PgQueryResult<R>>);
        last = asked.catch(() => undefined);
        return asked;
      };
    }
    return client;
  }
}

class SharedBackend extends PostgresQueueBackend {
  /** The connection is shared: it outlives any one queue or worker. */
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
