import { once, setMaxListeners } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';

/**
 * Background work that one process at a time performs. It runs until `signal` aborts. If it fails, it is started again
 * after a wait.
 */
export interface Duty {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * The interval at which a process checks for duties that no process runs. The check also prevents a timeout of its
 * Postgres session.
 */
const CHECK_INTERVAL_ms = 1_000;
/** If Postgres does not respond for this time, the process gives up its connection and its duties. */
const RESPONSE_LIMIT_ms = 3_000;
const CONNECT_LIMIT_ms = 3_000;
/**
 * If a process sends nothing to Postgres for this time, it loses its duties. It was stopped, it hangs, or its machine
 * has failed.
 */
const SILENCE_LIMIT_ms = 5_000;
/** The time after which a stopping process abandons duties that have not ended. */
const END_LIMIT_ms = 4_000;
const CLOSE_LIMIT_ms = 500;

/**
 * Settings of the session that holds the locks. They let Postgres detect a lost process sooner. Which settings exist
 * depends on the version and the system of the server.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  idle_session_timeout: `${SILENCE_LIMIT_ms}ms`,
  tcp_keepalives_idle: '2s',
  tcp_keepalives_interval: '1s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: `${SILENCE_LIMIT_ms}ms`,
};

/**
 * Runs each duty that no other process runs. A process holds an advisory lock for each of its duties, all on one
 * connection. Other processes take over the duties of a killed process within about one second. For a hanging process,
 * this takes about six seconds. A process that has lost its connection ends its duties, but another process may start
 * them earlier. The writes of a duty must therefore tolerate two processes. For example, a checkpoint moves only from
 * the position that the process has stored. `onError` receives failures, and `onLead` each duty that this process
 * starts. `stop` takes at most 5 s.
 */
export function runDuties(
  connectionString: string,
  duties: readonly Duty[],
  {
    onError,
    onLead,
  }: { readonly onError: (duty: string, error: unknown) => void; readonly onLead?: (duty: string) => void },
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  /**
   * The running duties. A duty that has not ended after its connection was lost stays here, so that it is not started a
   * second time.
   */
  const running = new Map<string, Promise<void>>();
  let endBy_ms = Infinity;
  const finished = leadUntilStopped();

  async function leadUntilStopped(): Promise<void> {
    while (!stopped.signal.aborted) {
      await leadOverOneConnection().catch((error: unknown) => onError('leadership', error));
      await waitUnlessAborted(CHECK_INTERVAL_ms, stopped.signal);
    }
    await waitForDutiesToEnd();
    for (const duty of running.keys()) onError(duty, new Error('The duty did not end in time, and is abandoned'));
  }

  async function leadOverOneConnection(): Promise<void> {
    const { client, lost, close } = openSession(connectionString);
    const closing = new AbortController();
    const signal = AbortSignal.any([stopped.signal, lost, closing.signal]);
    // Every duty adds a listener to the signal, so Node's warning about many listeners is disabled.
    setMaxListeners(0, signal);
    /** Duties that have ended or failed before the signal aborted. This process still holds their locks. */
    const failed = new Set<string>();
    const perform = async (duty: Duty): Promise<void> => {
      const { name } = duty;
      try {
        await duty.run(signal);
      } catch (error) {
        if (!signal.aborted) onError(name, error);
      }
      if (signal.aborted) running.delete(name);
      else failed.add(name);
    };
    try {
      await client.connect();
      await prepareSession(client);
      while (!signal.aborted) {
        const open = duties.filter(({ name }) => !running.has(name));
        // The locks of failed duties are released until the next check. Another process, perhaps of a newer build, may
        // then run the duty successfully.
        for (const name of failed) {
          await freeLock(client, name);
          failed.delete(name);
          running.delete(name);
        }
        const taken = await takeLocks(
          client,
          open.map(({ name }) => name),
        );
        for (const duty of open.filter(({ name }) => taken.has(name))) {
          onLead?.(duty.name);
          running.set(duty.name, perform(duty));
        }
        await waitUnlessAborted(CHECK_INTERVAL_ms, signal);
      }
      // A stopping process holds the locks until its duties have ended.
      if (!lost.aborted) await waitForDutiesToEnd();
    } finally {
      closing.abort();
      for (const name of failed) running.delete(name);
      await close();
    }
  }

  async function waitForDutiesToEnd(): Promise<void> {
    const limit = new AbortController();
    await Promise.race([
      Promise.all(running.values()),
      waitUnlessAborted(Math.max(0, endBy_ms - Date.now()), limit.signal),
    ]);
    limit.abort();
  }

  return {
    async stop() {
      endBy_ms = Date.now() + END_LIMIT_ms;
      stopped.abort();
      await finished;
    },
  };
}

/**
 * Runs `work` and returns its result. Returns null if another process is running the same work now. `name` identifies
 * the work in all processes. Uses one connection of the pool while `work` runs. When `signal` aborts, this rejects at
 * once, and other processes may start the work even if it has not ended here. Two processes may therefore run the work
 * at the same time in rare cases, which must be harmless.
 */
export async function runInOneProcess<T>(
  pool: Pool,
  name: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | null> {
  const client = await pool.connect();
  let isFree = false;
  try {
    isFree = !(await takeLocks(client, [name])).has(name);
    if (isFree) return null;
    const result = await unlessAborted(work, signal);
    isFree = await freeLock(client, name).then(
      () => true,
      () => false,
    );
    return result;
  } finally {
    // A connection that may still hold the lock is closed, which releases the lock. Other connections return to the
    // pool.
    client.release(!isFree);
  }
}

async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const finished = new AbortController();
  const aborted = once(signal, 'abort', { signal: finished.signal }).then(() => signal.throwIfAborted());
  aborted.catch(() => undefined);
  try {
    return await Promise.race([work(), aborted as Promise<never>]);
  } finally {
    finished.abort();
  }
}

function openSession(connectionString: string) {
  const socket = new Socket();
  const lost = new AbortController();
  const client = new Client({
    connectionString,
    application_name: 'alpenglow-leader',
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_LIMIT_ms,
    query_timeout: RESPONSE_LIMIT_ms,
  });
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  return {
    client,
    /** A signal that aborts when the connection has ended for any reason. */
    lost: lost.signal,
    /** Closes the connection. Waits at most 500 ms for the server. */
    async close(): Promise<void> {
      lost.abort();
      await Promise.race([client.end().catch(() => undefined), pause(CLOSE_LIMIT_ms, undefined, { ref: false })]);
      socket.destroy();
    },
  };
}

async function prepareSession(client: Client): Promise<void> {
  await client.query('select set_config(name, $1::jsonb ->> name, false) from pg_settings where $1::jsonb ? name', [
    JSON.stringify(SESSION_SETTINGS),
  ]);
}

/**
 * Tries to take the locks of these names, and returns the names whose locks were free. With an empty list, the query
 * only prevents a timeout of the session.
 */
async function takeLocks(client: Pick<Client, 'query'>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string; taken: boolean }>(
    `select name, pg_try_advisory_lock(hashtext('alpenglow-duty'), hashtext(name)) as taken
       from unnest($1::text[]) as name`,
    [names],
  );
  return new Set(rows.filter(({ taken }) => taken).map(({ name }) => name));
}

async function freeLock(client: Pick<Client, 'query'>, duty: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(hashtext('alpenglow-duty'), hashtext($1))`, [duty]);
}
