import { once } from 'node:events';
import { Client, Pool, type ClientConfig, type PoolClient } from 'pg';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { keepAlive, openLockSession, type LockSession } from './lock-session.ts';

/**
 * The types of the Postgres driver, for modules that receive a connection pool. Only adapters import the driver itself.
 */
export type { Pool, PoolClient } from 'pg';

const CONNECT_TIMEOUT_ms = 5_000;
const STATEMENT_TIMEOUT_ms = 15_000;
const IDLE_IN_TRANSACTION_TIMEOUT_ms = 60_000;
const IDLE_TIMEOUT_ms = 10_000;
const KEEP_ALIVE_AFTER_ms = 10_000;
const CLOSE_TIMEOUT_ms = 1_000;
const FIRST_RECONNECT_WAIT_ms = 50;
const LONGEST_RECONNECT_WAIT_ms = 2_000;

export interface ConnectionOptions {
  readonly connectionString: string;
  /** The name of the connection in the view pg_stat_activity. */
  readonly applicationName: string;
  /** The time after which a statement is canceled. Defaults to 15 seconds. 0 means no limit. */
  readonly statementTimeout_ms?: number;
  /** The time to wait for a connection to the server, or for a free one of a pool. Defaults to 5 seconds. */
  readonly connectTimeout_ms?: number;
}

export interface PoolOptions extends ConnectionOptions {
  /** The maximum number of open connections. */
  readonly max: number;
  /** The time after which an unused connection is closed. Defaults to 10 seconds. With 0, the connection stays open. */
  readonly idleTimeout_ms?: number;
  /** Called when an unused connection breaks. The pool replaces the broken connection. */
  readonly onError?: (error: Error) => void;
}

/** Returns connection settings with time limits, so that no connection waits forever for a server or a statement. */
export function connectionSettings({
  connectionString,
  applicationName,
  statementTimeout_ms = STATEMENT_TIMEOUT_ms,
  connectTimeout_ms = CONNECT_TIMEOUT_ms,
}: ConnectionOptions): ClientConfig {
  return {
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeout_ms,
    statement_timeout: statementTimeout_ms,
    // The server applies `statement_timeout`. The longer `query_timeout` is for a server that does not respond at all.
    ...(statementTimeout_ms > 0 && { query_timeout: statementTimeout_ms + CONNECT_TIMEOUT_ms }),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_ms,
  };
}

/**
 * Opens a separate connection, runs `work` with it, and then closes it. Rejects with the driver's error if Postgres
 * cannot be reached.
 */
export async function withClient<T>(options: ConnectionOptions, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connectionSettings(options));
  // A connection that breaks between two queries emits an error event. The event is ignored, because the next query
  // rejects.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const closersOfPools = new WeakMap<Pool, (() => Promise<unknown>)[]>();

/** Registers a function that runs at the end of `pool`, before its connections are closed. */
export function onPoolEnd(pool: Pool, close: () => Promise<unknown>): void {
  closersOfPools.get(pool)?.push(close);
}

/**
 * Creates a pool of connections with the settings of `connectionSettings`. `end` resolves only when the server has
 * closed the connections. The server can then be stopped without an error on any connection.
 */
export function createPool({ max, idleTimeout_ms = IDLE_TIMEOUT_ms, onError, ...connection }: PoolOptions): Pool {
  const pool = new Pool({ ...connectionSettings(connection), max, idleTimeoutMillis: idleTimeout_ms });
  pool.on('error', (error) => onError?.(error));
  const open = new Set<PoolClient>();
  pool.on('connect', (client) => {
    open.add(client);
    // A broken connection emits an error event, which ends the process if there is no listener. The caller cannot
    // always listen in time, so the event is ignored here. The next query rejects with the error.
    client.on('error', () => undefined);
  });
  pool.on('remove', (client) => open.delete(client));
  const end = pool.end.bind(pool);
  const closers: (() => Promise<unknown>)[] = [];
  closersOfPools.set(pool, closers);
  return Object.assign(pool, {
    async end() {
      await Promise.all(closers.map((close) => close()));
      // The driver's `end` does not wait for the server, so the `remove` events of the connections are awaited.
      await end();
      const limit = AbortSignal.timeout(CLOSE_TIMEOUT_ms);
      while (open.size > 0 && !limit.aborted) await once(pool, 'remove', { signal: limit }).catch(() => undefined);
    },
  });
}

/**
 * Listens on Postgres notification channels over a separate connection, and reconnects when the connection breaks.
 * Notifications during the interruption are lost. `onReconnect` is called after each start of listening, including the
 * first one, so that the caller can check for missed changes. `prepare` is awaited after each connection, before the
 * start of listening. It may take locks, which Postgres releases within about five seconds if this process is lost.
 */
export function listen(
  connectionString: string,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
  options: {
    readonly onReconnect?: () => void;
    readonly prepare?: (client: Client) => Promise<void>;
    readonly applicationName?: string;
  } = {},
) {
  const stopped = new AbortController();
  const finished = run();

  async function open(): Promise<LockSession> {
    const applicationName = options.applicationName ?? 'alpenglow-listen';
    if (options.prepare) return openLockSession(connectionString, applicationName);
    const client = new Client(connectionSettings({ connectionString, applicationName }));
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    const close = () => client.end().catch(() => undefined);
    await client.connect().catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return { client, lost: lost.signal, close };
  }

  async function run(): Promise<void> {
    let wait_ms = FIRST_RECONNECT_WAIT_ms;
    while (!stopped.signal.aborted) {
      try {
        const session = await open();
        try {
          const { client, lost } = session;
          client.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
          await options.prepare?.(client);
          for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
          if (options.prepare) keepAlive(session);
          wait_ms = FIRST_RECONNECT_WAIT_ms;
          if (!stopped.signal.aborted) options.onReconnect?.();
          const stopOrBreak = AbortSignal.any([stopped.signal, lost]);
          if (!stopOrBreak.aborted) await once(stopOrBreak, 'abort');
        } finally {
          await session.close();
        }
      } catch {
        // Postgres cannot be reached, so the loop retries.
      }
      await waitUnlessAborted(wait_ms, stopped.signal);
      wait_ms = Math.min(wait_ms * 2, LONGEST_RECONNECT_WAIT_ms);
    }
  }

  return {
    /** Stops listening and closes the connection. */
    async close(): Promise<void> {
      stopped.abort();
      await finished;
    },
  };
}
