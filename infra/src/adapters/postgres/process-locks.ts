import { setMaxListeners } from 'node:events';
import type { Pool } from 'pg';
import { keepAlive, openLockSession } from './lock-session.ts';
import { onPoolEnd } from './pool.ts';

/** The kinds of locks, each with its own names. Processes of other builds use the same values. */
type LockKind = 'alpenglow-duty' | 'alpenglow-rebuild' | 'alpenglow-restore';

/** A lock that one process of an installation can have at a time. */
export interface ProcessLock {
  /** Aborts when the session of the lock ends. Another process may then have the lock. */
  readonly lost: AbortSignal;
  /** Releases the lock. Never rejects: if the statement fails, the session is closed, which releases the lock, too. */
  release(): Promise<void>;
}

/** The time after which a session without locks is closed. */
const UNUSED_LIMIT_ms = 10_000;
const CHECK_UNUSED_ms = 1_000;

const locksOfPools = new WeakMap<Pool, ReturnType<typeof createProcessLocks>>();

/**
 * Takes the lock `name`, and returns null if this or another process has it. All locks of the users of `pool` are in
 * one session next to the pool, so a lock uses no connection of the pool while its owner works. If the process is lost,
 * hangs, or cannot reach Postgres, Postgres releases its locks within about five seconds. Rejects with the driver's
 * error if Postgres cannot be reached.
 */
export function takeProcessLock(pool: Pool, kind: LockKind, name: string): Promise<ProcessLock | null> {
  let locks = locksOfPools.get(pool);
  if (!locks) {
    const { connectionString = '', application_name: applicationName = 'alpenglow' } = pool.options;
    locks = createProcessLocks(connectionString, applicationName);
    locksOfPools.set(pool, locks);
    onPoolEnd(pool, locks.close);
  }
  return locks.take(kind, name);
}

type OpenSession = Awaited<ReturnType<typeof openSession>>;

interface SharedSession {
  readonly opened: Promise<OpenSession>;
  /** The locks that the session has or is about to take. */
  readonly held: Set<string>;
}

async function openSession(connectionString: string, applicationName: string) {
  const session = await openLockSession(connectionString, applicationName);
  // The owner of each lock listens to the signal.
  setMaxListeners(0, session.lost);
  return { ...session, query: keepAlive(session) };
}

function createProcessLocks(connectionString: string, applicationName: string) {
  let current: SharedSession | null = null;
  let isClosed = false;

  function openShared(): SharedSession {
    const shared: SharedSession = { opened: openSession(connectionString, applicationName), held: new Set() };
    const forget = () => {
      if (current === shared) current = null;
    };
    shared.opened.then((session) => {
      if (session.lost.aborted) forget();
      else session.lost.addEventListener('abort', forget, { once: true });
      closeWhenUnused(shared, session);
    }, forget);
    return shared;
  }

  function closeWhenUnused({ held }: SharedSession, { lost, close }: OpenSession): void {
    let usedAt_ms = performance.now();
    const timer = setInterval(() => {
      if (held.size > 0) usedAt_ms = performance.now();
      else if (performance.now() - usedAt_ms > UNUSED_LIMIT_ms) void close();
    }, CHECK_UNUSED_ms);
    timer.unref();
    lost.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  /** Takes a lock in the session, and returns false if another session has it. */
  async function takeIn({ query, close }: OpenSession, kind: LockKind, name: string): Promise<boolean> {
    try {
      const [row] = await query<{ isTaken: boolean }>(
        'select pg_try_advisory_lock(hashtext($1), hashtext($2)) as "isTaken"',
        [kind, name],
      );
      return row?.isTaken === true;
    } catch (error) {
      // It is unknown whether the session has the lock.
      void close();
      throw error;
    }
  }

  return {
    async take(kind: LockKind, name: string): Promise<ProcessLock | null> {
      if (isClosed) throw new Error('Cannot use a pool after calling end on the pool');
      const { held, opened } = (current ??= openShared());
      const key = `${kind} ${name}`;
      // Postgres would give the lock to the same session a second time.
      if (held.has(key)) return null;
      held.add(key);
      let isTaken = false;
      try {
        const session = await opened;
        isTaken = await takeIn(session, kind, name);
        if (!isTaken) return null;
        const { query, lost, close } = session;
        return {
          lost,
          async release() {
            // The session runs its statements in order, so the lock can be taken again from now on.
            held.delete(key);
            if (lost.aborted) return;
            await query('select pg_advisory_unlock(hashtext($1), hashtext($2))', [kind, name]).catch(close);
          },
        };
      } finally {
        if (!isTaken) held.delete(key);
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      await current?.opened.then(({ close }) => close()).catch(() => undefined);
    },
  };
}
