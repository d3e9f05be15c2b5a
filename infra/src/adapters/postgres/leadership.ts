import { once, setMaxListeners } from 'node:events';
import type { Client, Pool, PoolClient } from 'pg';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { planDuties, type DutyLock, type DutyPlan } from './duty-shares.ts';
import { openLockSession } from './lock-session.ts';
import { takeProcessLock } from './process-locks.ts';

/**
 * A duty, which is background work that only one process of an installation performs at a time. It runs until `signal`
 * aborts. If it fails, it is started again after a wait.
 */
export interface Duty {
  readonly name: string;
  /** Until this resolves, the process does not take the duty. It is left to processes that can run it already. */
  readonly ready?: Promise<void>;
  /**
   * `setBusy` receives true when an end of the duty would discard much work. Until it receives false, the duty does not
   * move to another process only to share the duties evenly.
   */
  run(signal: AbortSignal, setBusy: (isBusy: boolean) => void): Promise<void>;
}

/**
 * The interval at which a process checks for duties that no process runs. Because each check is a query, it also
 * prevents a timeout of the Postgres session.
 */
const CHECK_INTERVAL_ms = 1_000;
/**
 * The interval of these checks while duties move between processes, so that they are not without a process for long.
 */
const MOVE_INTERVAL_ms = 100;
/** The time after which a process checks at the usual interval again, e.g. because a busy duty cannot move. */
const MOVE_LIMIT_ms = 10_000;
/**
 * The time for which a process does not announce a duty that failed in it, so that the duty does not return to it. The
 * time is limited, because the cause may have been temporary.
 */
const NOT_ANNOUNCED_ms = 60_000;
/** The time for which a stopping process waits for its duties to end. */
const END_LIMIT_ms = 4_000;

/**
 * Shares the duties (background work of one process each) with all other processes that run them, as `planDuties`
 * decides. All locks of a process are on one connection. A shared lock means that the process can run a duty. An
 * exclusive lock means that it runs the duty.
 *
 * A process that starts receives its share when the others have ended the duties beyond their own shares, usually
 * within two seconds. If a process is killed, processes that run fewer duties than their shares take over within about
 * one second, and the others within about three. If a process hangs, this takes about six seconds more.
 *
 * When a process loses its connection, it ends its duties, but another process may already have started them. The
 * writes of a duty must therefore tolerate two processes. For example, a process moves a checkpoint only if the stored
 * position is still the one that it has stored last.
 *
 * A process whose duty fails leaves it to the other processes first, and starts it again only if none of them does.
 *
 * `onError` receives failures. `onLead` receives the name of each started duty. `stop` takes at most 5 s.
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
   * The running duties. If a duty is still running after its connection was lost, it remains in this map, so that this
   * process does not start it a second time.
   */
  const running = new Map<string, Promise<void>>();
  /** The duties that this process cannot run yet. */
  const unready = new Set(duties.filter(({ ready }) => ready !== undefined).map(({ name }) => name));
  for (const { name, ready } of duties)
    ready?.then(
      () => unready.delete(name),
      (error: unknown) => onError(name, error),
    );
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
    const { client, lost, close } = await openLockSession(connectionString, 'alpenglow-leader');
    const closing = new AbortController();
    const signal = AbortSignal.any([stopped.signal, lost, closing.signal]);
    // Every duty adds a listener to the signal, so Node's warning about many listeners is disabled.
    setMaxListeners(0, signal);
    const announced = new Set<string>();
    /** For each running duty, the controller that ends only this duty. */
    const endings = new Map<string, AbortController>();
    /** The running duties whose end would discard much work. */
    const busy = new Set<string>();
    /**
     * The duties that have ended although the signal has not aborted. This process still has their locks.
     * `hasEndedByItself` is true if the duty failed or returned before this process ended it.
     */
    const ended = new Map<string, { readonly hasEndedByItself: boolean }>();
    /** The times at which duties ended by themselves here. Such a duty is not announced for NOT_ANNOUNCED_ms. */
    const failedAt_ms = new Map<string, number>();
    /**
     * For each duty, the last time at which this process found that any process runs it, and whether this process ran
     * it then. A duty that never ran has the time of the first check.
     */
    const lastRuns = new Map<string, { readonly at_ms: number; readonly wasHere: boolean }>();

    async function perform(duty: Duty, ending: AbortController): Promise<void> {
      const { name } = duty;
      const ends = AbortSignal.any([signal, ending.signal]);
      try {
        await duty.run(ends, (isBusy) => void (isBusy ? busy.add(name) : busy.delete(name)));
      } catch (error) {
        if (!ends.aborted) onError(name, error);
      }
      endings.delete(name);
      busy.delete(name);
      if (signal.aborted) running.delete(name);
      else ended.set(name, { hasEndedByItself: !ending.signal.aborted });
    }

    /** Releases the locks of ended duties, so that another process can take them over. */
    async function freeEnded(): Promise<void> {
      for (const [name, { hasEndedByItself }] of ended) {
        // Another process is preferred for a duty that has ended by itself, which is treated as a failure. During a
        // rolling update, that process may run a newer build in which the error is fixed.
        if (hasEndedByItself) {
          await withdraw(client, name);
          announced.delete(name);
          failedAt_ms.set(name, performance.now());
        }
        await freeLock(client, name);
        lastRuns.set(name, { at_ms: performance.now(), wasHere: true });
        ended.delete(name);
        running.delete(name);
      }
    }

    async function announceOnce(names: readonly string[]): Promise<void> {
      const added = names.filter((name) => !announced.has(name));
      await announce(client, added);
      for (const name of added) announced.add(name);
    }

    async function makePlan(): Promise<DutyPlan> {
      const names = duties.map(({ name }) => name);
      const { session, locks } = await readDutyLocks(client, names);
      const now_ms = performance.now();
      for (const name of names) if (!lastRuns.has(name)) lastRuns.set(name, { at_ms: now_ms, wasHere: false });
      for (const { duty, isHeld, session: holder } of locks)
        if (isHeld) lastRuns.set(duty, { at_ms: now_ms, wasHere: holder === session });
      return planDuties(locks, {
        session,
        duties: names.filter((name) => !unready.has(name)),
        freeFor_ms: new Map([...lastRuns].map(([name, { at_ms }]) => [name, now_ms - at_ms])),
        ranHere: new Set([...lastRuns].filter(([, { wasHere }]) => wasHere).map(([name]) => name)),
        busy,
      });
    }

    async function start(startable: readonly Duty[]): Promise<void> {
      const taken = await takeLocks(
        client,
        startable.map(({ name }) => name),
      );
      await announceOnce([...taken]);
      for (const duty of startable.filter(({ name }) => taken.has(name))) {
        failedAt_ms.delete(duty.name);
        onLead?.(duty.name);
        const ending = new AbortController();
        endings.set(duty.name, ending);
        running.set(duty.name, perform(duty, ending));
      }
    }

    try {
      let balancedAt_ms = performance.now();
      while (!signal.aborted) {
        await freeEnded();
        // A duty of an earlier connection that has not ended cannot be started here, so it is not announced.
        const open = duties.filter(({ name }) => !running.has(name) && !unready.has(name));
        const hasFailedLately = (name: string) =>
          performance.now() - (failedAt_ms.get(name) ?? -Infinity) < NOT_ANNOUNCED_ms;
        await announceOnce(open.map(({ name }) => name).filter((name) => !hasFailedLately(name)));
        const plan = await makePlan();
        for (const name of plan.giveUp) endings.get(name)?.abort();
        await start(open.filter(({ name }) => plan.take.includes(name)));
        const now_ms = performance.now();
        if (plan.isBalanced) balancedAt_ms = now_ms;
        const isMoving = !plan.isBalanced && now_ms - balancedAt_ms < MOVE_LIMIT_ms;
        await waitUnlessAborted(isMoving ? MOVE_INTERVAL_ms : CHECK_INTERVAL_ms, signal);
      }
      // A stopping process keeps its locks until its duties have ended, so that no other process starts them too early.
      if (!lost.aborted) await waitForDutiesToEnd();
    } finally {
      closing.abort();
      for (const name of ended.keys()) running.delete(name);
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
 * Runs `work` and returns its result. Returns null if another process is currently running the work with the same
 * `name`. When `signal` aborts, rejects at once and allows other processes to start the work, although `work` may still
 * be running here. If this process is lost or hangs, another process can start the work after about five seconds. In
 * rare cases, two processes therefore run the work at the same time, which must be harmless.
 */
export async function runInOneProcess<T>(
  pool: Pool,
  name: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | null> {
  const lock = await takeProcessLock(pool, 'alpenglow-duty', name);
  if (!lock) return null;
  try {
    return await unlessAborted(work, signal);
  } finally {
    const released = lock.release();
    // A process that stops does not wait for Postgres.
    if (!signal.aborted) await released;
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

/**
 * Tries to take the locks with these names, and returns the names of the locks that were free. If the list is empty,
 * the query only prevents a timeout of the session.
 */
async function takeLocks(client: Pick<Client, 'query'>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string; taken: boolean }>(
    `select name, pg_try_advisory_lock(hashtext('alpenglow-duty'), hashtext(name)) as taken
       from unnest($1::text[]) as name`,
    [names],
  );
  return new Set(rows.filter(({ taken }) => taken).map(({ name }) => name));
}

/** Announces that this session can run the duties. */
async function announce(client: Pick<Client, 'query'>, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query(
    `select pg_advisory_lock_shared(hashtext('alpenglow-candidate'), hashtext(name)) from unnest($1::text[]) as name`,
    [names],
  );
}

/** Ends the announcement of a duty. */
async function withdraw(client: Pick<Client, 'query'>, name: string): Promise<void> {
  await client.query(`select pg_advisory_unlock_shared(hashtext('alpenglow-candidate'), hashtext($1))`, [name]);
}

/**
 * Reads which sessions can run or run which duties. A duty that is not in `names` has a number as its name, because
 * only its hash is known.
 */
async function readDutyLocks(
  client: Pick<Client, 'query'>,
  names: readonly string[],
): Promise<{ readonly session: number; readonly locks: readonly DutyLock[] }> {
  // Postgres shows the keys of a lock as numbers without a sign.
  const unsigned = (text: string) => `(hashtext(${text})::bigint & 4294967295)`;
  const { rows } = await client.query<DutyLock & { own: number }>(
    `select pg_backend_pid() as own, l.pid as session, coalesce(n.name, l.objid::text) as duty,
            l.classid::bigint = ${unsigned(`'alpenglow-duty'`)} as "isHeld"
       from pg_locks l
       left join unnest($1::text[]) as n (name) on l.objid::bigint = ${unsigned('n.name')}
      where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())
        and l.classid::bigint in (${unsigned(`'alpenglow-duty'`)}, ${unsigned(`'alpenglow-candidate'`)})`,
    [names],
  );
  return { session: rows[0]?.own ?? 0, locks: rows };
}

/**
 * Returns true if no process runs the duty. Inside a transaction, no process can start it until the transaction ends.
 */
export async function isDutyFree(client: Pool | PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isFree: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('alpenglow-duty'), hashtext($1)) as "isFree"`,
    [name],
  );
  return rows[0]?.isFree === true;
}

async function freeLock(client: Pick<Client, 'query'>, duty: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(hashtext('alpenglow-duty'), hashtext($1))`, [duty]);
}
