import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** The time after which a process gives up its session if Postgres does not respond. */
const RESPONSE_LIMIT_ms = 3_000;
const CONNECT_LIMIT_ms = 3_000;
/**
 * The time after which Postgres ends the session of a process that sends nothing, e.g. because it was stopped, hangs,
 * or runs on a machine that has failed.
 */
const SILENCE_LIMIT_ms = 5_000;
/** The interval of the statements that prevent this. */
const CHECK_INTERVAL_ms = 1_000;
const CLOSE_LIMIT_ms = 500;

/**
 * Settings of a session with locks. With these settings, Postgres detects within seconds that a process was lost.
 * Without them, it would keep the session and its locks for about two hours. A server supports only some of the
 * settings, depending on its version and operating system.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  idle_session_timeout: `${SILENCE_LIMIT_ms}ms`,
  idle_in_transaction_session_timeout: `${SILENCE_LIMIT_ms}ms`,
  tcp_keepalives_idle: '2s',
  tcp_keepalives_interval: '1s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: `${SILENCE_LIMIT_ms}ms`,
};

/**
 * The statement with which a transaction begins that locks something for which another process waits. If this process
 * hangs, Postgres ends the transaction when it takes the other duties from the process, too. A transaction must
 * therefore send a statement at least every second while it waits for something else.
 */
export const LIMIT_SILENCE_IN_TRANSACTION = `set local idle_in_transaction_session_timeout = ${SILENCE_LIMIT_ms}`;

/** A connection whose session may hold locks that must end with this process. */
export interface LockSession {
  readonly client: Client;
  /** A signal that aborts when the connection has ended for any reason. The locks are then lost. */
  readonly lost: AbortSignal;
  /** Closes the connection, which releases its locks. Waits at most 500 ms for the server. */
  close(): Promise<void>;
}

/** Runs a statement after the earlier ones, and returns its rows. Rejects with the driver's error. */
type QueryInOrder = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/**
 * Opens a session for locks. Postgres ends it within about five seconds if this process is lost. The caller must
 * therefore send a statement at least every second, or call `keepAlive`. Rejects with the driver's error if Postgres
 * cannot be reached.
 */
export async function openLockSession(connectionString: string, applicationName: string): Promise<LockSession> {
  const socket = new Socket();
  const lost = new AbortController();
  const client = new Client({
    connectionString,
    application_name: applicationName,
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_LIMIT_ms,
    query_timeout: RESPONSE_LIMIT_ms,
  });
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  const session: LockSession = {
    client,
    lost: lost.signal,
    async close() {
      lost.abort();
      await Promise.race([client.end().catch(() => undefined), pause(CLOSE_LIMIT_ms, undefined, { ref: false })]);
      socket.destroy();
    },
  };
  try {
    await client.connect();
    await limitSilence(client);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Makes Postgres end the session of `client` soon after its process was lost. */
export async function limitSilence(client: Pick<Client, 'query'>): Promise<void> {
  await client.query('select set_config(name, $1::jsonb ->> name, false) from pg_settings where $1::jsonb ? name', [
    JSON.stringify(SESSION_SETTINGS),
  ]);
}

/**
 * Sends a statement every second until the session ends, so that Postgres does not end it. Closes the session if
 * Postgres does not respond within three seconds. From now on, the caller must send its statements with the returned
 * function, because a connection runs only one statement at a time.
 */
export function keepAlive({ client, lost, close }: LockSession): QueryInOrder {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const query: QueryInOrder = async (text, values) => {
    waiting += 1;
    const result = last.then(() => client.query(text, [...values])).finally(() => (waiting -= 1));
    last = result.catch(() => undefined);
    return (await result).rows as never;
  };
  const timer = setInterval(() => {
    if (waiting === 0) query('select', []).catch(() => close());
  }, CHECK_INTERVAL_ms);
  timer.unref();
  if (lost.aborted) clearInterval(timer);
  else lost.addEventListener('abort', () => clearInterval(timer), { once: true });
  return query;
}
