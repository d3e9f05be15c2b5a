import { once, setMaxListeners } from 'node:events';
import type { Client, Pool } from 'pg';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { createDutyAnnouncements } from './duty-announcements.ts';
import { freeLock, takeLocks } from './duty-locks.ts';
import { createDutyPlanner } from './duty-planner.ts';
import { openLockSession } from './lock-session.ts';
import { takeProcessLock } from './process-locks.ts';
import { createConnectionDuties, createRunningDuties, type ConnectionDuties, type Duty } from './running-duties.ts';

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
  const running = createRunningDuties();
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
    for (const duty of running.names()) onError(duty, new Error('The duty did not end in time, and is abandoned'));
  }

  async function leadOverOneConnection(): Promise<void> {
    const { client, lost, close } = await openLockSession(connectionString, 'alpenglow-leader');
    const closing = new AbortController();
    const signal = AbortSignal.any([stopped.signal, lost, closing.signal]);
    // Every duty adds a listener to the signal, so Node's warning about many listeners is disabled.
    setMaxListeners(0, signal);
    const started = createConnectionDuties({ running, signal, onError });
    try {
      await shareDuties({
        client,
        signal,
        duties,
        started,
        isReady: ({ name }) => !unready.has(name),
        isRunning: ({ name }) => running.has(name),
        onLead,
      });
      // A stopping process keeps its locks until its duties have ended, so that no other process starts them too early.
      if (!lost.aborted) await waitForDutiesToEnd();
    } finally {
      closing.abort();
      started.close();
      await close();
    }
  }

  function waitForDutiesToEnd(): Promise<void> {
    return running.waitForEnd(Math.max(0, endBy_ms - Date.now()));
  }

  return {
    async stop() {
      endBy_ms = Date.now() + END_LIMIT_ms;
      stopped.abort();
      await finished;
    },
  };
}

interface SharingOptions {
  /** The connection that has all locks of this process. */
  readonly client: Pick<Client, 'query'>;
  readonly signal: AbortSignal;
  readonly duties: readonly Duty[];
  readonly started: ConnectionDuties;
  readonly isReady: (duty: Duty) => boolean;
  readonly isRunning: (duty: Duty) => boolean;
  readonly onLead: ((duty: string) => void) | undefined;
}

/** Takes and gives up duties over one connection, until `signal` aborts or the connection fails. */
async function shareDuties(options: SharingOptions): Promise<void> {
  const { client, signal, duties, started, isReady, isRunning, onLead } = options;
  const announcements = createDutyAnnouncements(client);
  const planner = createDutyPlanner(client, duties.map(nameOf));

  /** Releases the locks of ended duties, so that another process can take them over. */
  async function freeEnded(): Promise<void> {
    for (const [name, { hasEndedByItself }] of started.ended) {
      // Another process is preferred for a duty that has ended by itself, which is treated as a failure. During a
      // rolling update, that process may run a newer build in which the error is fixed.
      if (hasEndedByItself) await announcements.withdrawFailed(name);
      await freeLock(client, name);
      planner.recordOwnRun(name);
      started.remove(name);
    }
  }

  async function start(startable: readonly Duty[]): Promise<void> {
    const taken = await takeLocks(client, startable.map(nameOf));
    await announcements.announceTaken(taken);
    for (const duty of startable.filter(({ name }) => taken.has(name))) {
      onLead?.(duty.name);
      started.start(duty);
    }
  }

  let balancedAt_ms = performance.now();
  while (!signal.aborted) {
    await freeEnded();
    // A duty of an earlier connection that has not ended cannot be started here, so it is not announced.
    const open = duties.filter((duty) => !isRunning(duty) && isReady(duty));
    await announcements.announceOpen(open.map(nameOf));
    const plan = await planner.makePlan({ ready: () => duties.filter(isReady).map(nameOf), busy: started.busy });
    for (const name of plan.giveUp) started.end(name);
    await start(open.filter(({ name }) => plan.take.includes(name)));
    const now_ms = performance.now();
    if (plan.isBalanced) balancedAt_ms = now_ms;
    const isMoving = !plan.isBalanced && now_ms - balancedAt_ms < MOVE_LIMIT_ms;
    await waitUnlessAborted(isMoving ? MOVE_INTERVAL_ms : CHECK_INTERVAL_ms, signal);
  }
}

const nameOf = ({ name }: Duty): string => name;

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
