import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Pool, type ClientConfig } from 'pg';

/** The driver's types, for those who are handed a pool; the driver itself is imported below adapters alone. */
export type { Pool, PoolClient } from 'pg';

const CONNECT_TIMEOUT_ms = 5_000;
const STATEMENT_TIMEOUT_ms = 15_000;
const IDLE_IN_TRANSACTION_TIMEOUT_ms = 60_000;
const IDLE_TIMEOUT_ms = 10_000;
const KEEP_ALIVE_AFTER_ms = 10_000;
const FIRST_RECONNECT_WAIT_ms = 50;
const LONGEST_RECONNECT_WAIT_ms = 2_000;

export interface ConnectionOptions {
  readonly connectionString: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** A statement that runs longer is cancelled. 15 seconds unless told; 0 for no limit. */
  readonly statementTimeout_ms?: number;
}

export interface PoolOptions extends ConnectionOptions {
  /** Most connections open at once. */
  readonly max: number;
  /** An unused connection is closed after this time. 10 seconds unless told; 0 keeps it. */
  readonly idleTimeout_ms?: number;
  /** Told when a connection nobody is using breaks. The pool replaces it by itself. */
  readonly onError?: (error: Error) => void;
}

/** Settings with which a connection gives up on a dead server or a hung statement instead of waiting for ever. */
export function connectionSettings({
  connectionString,
  applicationName,
  statementTimeout_ms = STATEMENT_TIMEOUT_ms,
}: ConnectionOptions): ClientConfig {
  return {
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_ms,
    statement_timeout: statementTimeout_ms,
    // The server's own timeout comes first; this one is for a server that no longer answers at all.
    ...(statementTimeout_ms > 0 && { query_timeout: statementTimeout_ms + CONNECT_TIMEOUT_ms }),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_ms,
  };
}

/** A pool of connections with `connectionSettings`. */
export function createPool({ max, idleTimeout_ms = IDLE_TIMEOUT_ms, onError, ...connection }: PoolOptions): Pool {
  const pool = new Pool({ ...connectionSettings(connection), max, idleTimeoutMillis: idleTimeout_ms });
  pool.on('error', (error) => onError?.(error));
  // A connection that breaks says so by an event, too, which ends the process where nobody listens. Whoever is given one cannot listen yet: that
  // the server ends it may stand in the same packet as the answer that made it free. What is asked of it next tells.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

export interface Listener {
  /** Stops listening and closes the connection. */
  close(): Promise<void>;
}

/**
 * Listens on Postgres notification channels over a connection of its own, and reconnects when that breaks.
 * Notifications are lost while it is broken: `onReconnect` is called whenever listening has begun (the first time too),
 * so that the caller can look for what it missed.
 */
export function listen(
  connectionString: string,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
  options: { readonly onReconnect?: () => void; readonly applicationName?: string } = {},
): Listener {
  const stopped = new AbortController();
  const finished = run();

  async function run(): Promise<void> {
    let wait_ms = FIRST_RECONNECT_WAIT_ms;
    while (!stopped.signal.aborted) {
      const client = new Client(
        connectionSettings({ connectionString, applicationName: options.applicationName ?? 'alpenglow-listen' }),
      );
      const over = new AbortController();
      const stopOrBreak = AbortSignal.any([stopped.signal, over.signal]);
      client.on('error', () => over.abort());
      client.on('end', () => over.abort());
      client.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
      try {
        await client.connect();
        for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
        wait_ms = FIRST_RECONNECT_WAIT_ms;
        if (!stopped.signal.aborted) options.onReconnect?.();
        if (!stopOrBreak.aborted) await once(stopOrBreak, 'abort');
      } catch {
        // Not reachable now; the next round tries again.
      }
      await client.end().catch(() => undefined);
      await pause(wait_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
      wait_ms = Math.min(wait_ms * 2, LONGEST_RECONNECT_WAIT_ms);
    }
  }

  return {
    async close() {
      stopped.abort();
      await finished;
    },
  };
}
