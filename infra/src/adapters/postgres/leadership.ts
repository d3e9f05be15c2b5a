import { once, setMaxListeners } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Pool } from 'pg';

/** A duty one process at a time has. It works until `signal` aborts; when it fails it is taken up again after a wait. */
export interface Duty {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** How often a process looks for duties to take, and lets Postgres hear from it. */
const LOOK_EVERY_ms = 1_000;
/** A Postgres that does not answer for this long is lost to us, and with it our duties. */
const ANSWER_LIMIT_ms = 3_000;
const CONNECT_LIMIT_ms = 3_000;
/** A process that Postgres does not hear from for this long has lost its duties: it is stopped, hangs, or its machine is gone. */
const SILENCE_LIMIT_ms = 5_000;
/** Duties that have not ended by then are left behind when a process stops. */
const END_LIMIT_ms = 4_000;
const CLOSE_LIMIT_ms = 500;

/**
 * For the session that holds the locks. Which of them a server knows depends on its version and system; each only makes it notice sooner
 * that we are gone.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  idle_session_timeout: `${SILENCE_LIMIT_ms}ms`,
  tcp_keepalives_idle: '2s',
  tcp_keepalives_interval: '1s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: `${SILENCE_LIMIT_ms}ms`,
};

/**
 * Takes up each duty that no other process has, held by an advisory lock each on one connection of its own. When the process is killed or
 * that connection breaks, other processes take its duties within about a second; when it falls silent, within about six. A process that has
 * lost the connection ends its duties, but until it notices another may have begun them: what a duty writes must stand being
 * written by two (a checkpoint moves only from where its mover left it).
 * `onError` hears of failures; `onLead` of each duty taken. `stop` takes 5 s at most.
 */
export function leadDuties(
  connectionString: string,
  duties: readonly Duty[],
  {
    onError,
    onLead,
  }: { readonly onError: (duty: string, error: unknown) => void; readonly onLead?: (duty: string) => void },
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  /** Duties at work. One that does not end with the connection it was taken on is not begun a second time beside itself. */
  const running = new Map<string, Promise<void>>();
  let endBy_ms = Infinity;
  const finished = keepLeading();

  async function keepLeading(): Promise<void> {
    while (!stopped.signal.aborted) {
      await leadOverOneConnection().catch((error: unknown) => onError('leadership', error));
      await rest(LOOK_EVERY_ms, stopped.signal);
    }
    await untilEnded();
    for (const duty of running.keys()) onError(duty, new Error('It did not end when it was to, and is left behind'));
  }

  async function leadOverOneConnection(): Promise<void> {
    const { client, lost, close } = openSession(connectionString);
    const closing = new AbortController();
    const signal = AbortSignal.any([stopped.signal, lost, closing.signal]);
    // Every duty listens to it, however many there are.
    setMaxListeners(0, signal);
    /** Duties that ended by themselves, and whose locks are still ours. */
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
        // Free for a while for every process, before it is ours again: one of a newer build may manage what this one cannot.
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
        await rest(LOOK_EVERY_ms, signal);
      }
      // Told to stop: the locks are kept until the duties have ended.
      if (!lost.aborted) await untilEnded();
    } finally {
      closing.abort();
      for (const name of failed) running.delete(name);
      await close();
    }
  }

  async function untilEnded(): Promise<void> {
    const limit = new AbortController();
    await Promise.race([Promise.all(running.values()), rest(Math.max(0, endBy_ms - Date.now()), limit.signal)]);
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
 * Does `work` unless another process does it now: then it answers null. For work that is better not done twice at once, yet may be;
 * `name` is what the processes agree on. Takes one connection of the pool for as long as it works. When `signal` aborts it rejects at once,
 * and others may begin, whether or not `work` has ended.
 */
export async function unlessDoneElsewhere<T>(
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
    const result = await orAborted(work, signal);
    isFree = await freeLock(client, name).then(
      () => true,
      () => false,
    );
    return result;
  } finally {
    // A connection that may still hold the lock does not go back: closing it frees the lock.
    client.release(!isFree);
  }
}

async function orAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = once(signal, 'abort', { signal: over.signal }).then(() => signal.throwIfAborted());
  aborted.catch(() => undefined);
  try {
    return await Promise.race([work(), aborted as Promise<never>]);
  } finally {
    over.abort();
  }
}

interface Session {
  readonly client: Client;
  /** Aborts when the connection has ended, whoever ended it. */
  readonly lost: AbortSignal;
  /** Closes the connection; a server that is gone is not waited for. */
  close(): Promise<void>;
}

function openSession(connectionString: string): Session {
  const socket = new Socket();
  const lost = new AbortController();
  const client = new Client({
    connectionString,
    application_name: 'alpenglow-leader',
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_LIMIT_ms,
    query_timeout: ANSWER_LIMIT_ms,
  });
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  return {
    client,
    lost: lost.signal,
    async close() {
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

/** Those of the names whose lock is now ours. With no names it only lets Postgres hear from us. */
async function takeLocks(client: Pick<Client, 'query'>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string; taken: boolean }>(
    `select name, pg_try_advisory_lock(hashtext('alpenglow-duty'), hashtext(name)) as taken from unnest($1::text[]) as name`,
    [names],
  );
  return new Set(rows.filter(({ taken }) => taken).map(({ name }) => name));
}

async function freeLock(client: Pick<Client, 'query'>, duty: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(hashtext('alpenglow-duty'), hashtext($1))`, [duty]);
}

function rest(wait_ms: number, signal: AbortSignal): Promise<void> {
  return pause(wait_ms, undefined, { signal }).catch(() => undefined);
}
