import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DatabaseError,
  type Client,
  type Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import type { Logger } from '../../service/logger.ts';
import { unlessAborted } from '../../service/polling-and-slots.ts';
import { isBrokenConnection, sqlStateOf } from './errors.ts';
import { createPool } from './pool.ts';
import { bytesOf, MARK_QUERY, readClusterId, type PrimaryWal, type WalEnd } from './primary-wal.ts';

/**
 * The state of a replica. Only a `current` one serves reads. `unknown` is the state before the first check. With
 * `another history`, the server has WAL that the primary server does not have, e.g. after a promotion.
 */
type ReplicaState =
  | 'unknown'
  | 'current'
  | 'behind'
  | 'unreachable'
  | 'not a replica'
  | 'another cluster'
  | 'another history';

/** The maximum time for which a read waits until the replica has replayed the WAL of the primary server. */
const REPLAY_WAIT_ms = 30;
/** If a read has waited in vain, other reads do not wait for the replica during this time. */
const NO_WAIT_ms = 100;
/** Above this lag, a replica serves no reads. It serves reads again when its lag is at most a quarter of this time. */
const MAX_LAG_ms = 2_000;
const CHECK_LIMIT_ms = 1_500;
const MAX_SAMPLES = 240;
const QUERY_CANCELED = '57014';

/**
 * The state of the server of one connection. It is valid only while the connection exists, because a server that has
 * crashed replays earlier changes a second time.
 */
interface Knowledge {
  /** The run of the primary server whose history the server follows. Null if this is not proven. */
  follows: string | null;
  /** The position up to which it has replayed the WAL. */
  replayed: bigint;
}

interface Inspection {
  readonly replayed: bigint;
  readonly isStandby: boolean;
}

export interface ReadReplicaOptions {
  readonly connectionString: string;
  readonly primary: PrimaryWal;
  readonly log: Logger;
  /** The maximum number of open connections for reads. */
  readonly max: number;
  /** The time after which a read is canceled. */
  readonly statementTimeout_ms: number;
}

export type ReadReplica = ReturnType<typeof createReadReplica>;

/** Returns a name of a Postgres server without its credentials, for logs and metrics. */
function nameOf(connectionString: string): string {
  const { host, pathname, searchParams } = new URL(connectionString);
  return `${searchParams.get('host') ?? host}${pathname}`;
}

/**
 * Creates the access to a streaming replica. A read runs on it only if the replica contains everything that the primary
 * server contained when the read began. The replica is unused until the first call of `check`.
 */
export function createReadReplica({ connectionString, primary, log, max, statementTimeout_ms }: ReadReplicaOptions) {
  const name = nameOf(connectionString);
  const ignoreError = () => undefined;
  const pool = createPool({
    connectionString,
    max,
    applicationName: 'alpenglow-reads',
    statementTimeout_ms,
    onError: ignoreError,
  });
  const monitor = createPool({
    connectionString,
    max: 1,
    applicationName: 'alpenglow-replica-check',
    statementTimeout_ms: CHECK_LIMIT_ms,
    idleTimeout_ms: 0,
    onError: ignoreError,
  });
  const knowledge = new WeakMap<PoolClient, Knowledge>();
  let state: ReplicaState = 'unknown';
  /** Ends of the WAL that the replica has not reached at the last check, with the times at which they were read. */
  let samples: readonly { readonly end: WalEnd; readonly at_ms: number }[] = [];
  let lag_ms = 0;
  let busy = 0;
  let noWaitUntil_ms = 0;
  /** Ends the reads that are running when the replica becomes unreachable. */
  let outage = createOutage();

  function setState(next: ReplicaState): void {
    if (next === state) return;
    state = next;
    if (next === 'current') log.info({ replica: name, state: next }, 'the replica serves reads');
    else log.warn({ replica: name, state: next }, 'the replica serves no reads');
    if (next !== 'unreachable') return;
    outage.abort();
    outage = createOutage();
  }

  function findKnowledge(client: PoolClient): Knowledge {
    const known = knowledge.get(client) ?? { follows: null, replayed: 0n };
    knowledge.set(client, known);
    return known;
  }

  async function inspect(client: PoolClient, known: Knowledge): Promise<Inspection> {
    const { rows } = await client.query<{ lsn: string; isStandby: boolean }>({
      name: 'replica-wal',
      text: `select ${bytesOf('pg_last_wal_replay_lsn()')} as lsn, pg_is_in_recovery() as "isStandby"`,
    });
    const replayed = BigInt(rows[0]?.lsn ?? 0);
    if (replayed > known.replayed) known.replayed = replayed;
    return { replayed, isStandby: rows[0]?.isStandby === true };
  }

  /** Checks whether the server has the mark of the run `server` of the primary server, and stores the result. */
  async function hasMark(client: PoolClient, known: Knowledge, server: string): Promise<boolean> {
    if (known.follows === server) return true;
    const mark = primary.markOf(server);
    if (!mark) return false;
    const { rows } = await client.query<{ value: string }>(MARK_QUERY);
    if (!mark.values.includes(rows[0]?.value ?? '')) return false;
    known.follows = server;
    return true;
  }

  /** Resolves to true when the server has replayed the WAL up to `end`. Waits only for a moment. */
  async function reach(client: PoolClient, end: WalEnd): Promise<boolean> {
    const known = findKnowledge(client);
    if (!(await hasMark(client, known, end.server))) return false;
    if (known.replayed >= end.lsn) return true;
    const start_ms = performance.now();
    const deadline_ms = start_ms < noWaitUntil_ms ? start_ms : start_ms + REPLAY_WAIT_ms;
    for (let wait_ms = 1; ; wait_ms *= 2) {
      const { replayed, isStandby } = await inspect(client, known);
      if (!isStandby) return false;
      if (replayed >= end.lsn) return true;
      const now_ms = performance.now();
      if (now_ms + wait_ms > deadline_ms) {
        noWaitUntil_ms = Math.max(noWaitUntil_ms, now_ms + NO_WAIT_ms);
        return false;
      }
      await pause(wait_ms);
    }
  }

  async function runStatement<Row extends QueryResultRow>(
    end: WalEnd,
    statement: string | QueryConfig<unknown[]>,
    signal: AbortSignal,
  ): Promise<QueryResult<Row> | null> {
    return withConnection(pool, signal, async (client) =>
      (await reach(client, end)) ? client.query<Row>(statement) : null,
    );
  }

  async function findState(client: PoolClient, end: WalEnd): Promise<ReplicaState> {
    const known = findKnowledge(client);
    const { replayed, isStandby } = await inspect(client, known);
    return isStandby ? compare(client, known, replayed, end) : 'not a replica';
  }

  async function compare(client: PoolClient, known: Knowledge, replayed: bigint, end: WalEnd): Promise<ReplicaState> {
    const now_ms = performance.now();
    samples = [...samples, { end, at_ms: now_ms }].filter(
      (sample) => sample.end.server === end.server && sample.end.lsn > replayed,
    );
    // The oldest sample, which determines the lag, remains.
    if (samples.length > MAX_SAMPLES) samples = samples.filter((_, index) => index % 2 === 0);
    lag_ms = samples[0] ? now_ms - samples[0].at_ms : 0;
    // Without the mark, the positions may belong to another history.
    if (!(await hasMark(client, known, end.server).catch(() => false))) {
      const [own, primaryId] = await Promise.all([readClusterId(client), primary.clusterId()]);
      if (own !== null && primaryId !== null && own !== primaryId) return 'another cluster';
      const mark = primary.markOf(end.server);
      if (mark && replayed >= mark.lsn) return 'another history';
      // The replica has not replayed the mark yet. This is normal after the start of this process, so it is not logged.
      return state === 'unknown' && lag_ms < MAX_LAG_ms ? state : 'behind';
    }
    return lag_ms > (state === 'current' ? MAX_LAG_ms : MAX_LAG_ms / 4) ? 'behind' : 'current';
  }

  return {
    name,
    isUsable: (): boolean => state === 'current',
    /** Returns the number of reads that are running or waiting for a connection. */
    countBusy: (): number => busy,
    /** Returns the age of the oldest WAL that the replica had not replayed at the last check. Null if it is unknown. */
    lag_s: (): number | null => (state === 'current' || state === 'behind' ? lag_ms / 1_000 : null),
    /** Checks the server, and logs if the state of the replica changes. Ends after at most 1.5 s. Never rejects. */
    async check(end: WalEnd): Promise<void> {
      const limit = AbortSignal.timeout(CHECK_LIMIT_ms);
      const checking = withConnection(monitor, limit, (client) => findState(client, end)).catch(() => null);
      setState((await unlessAborted(checking, limit)) ?? 'unreachable');
    },
    /**
     * Runs a reading statement. Resolves to null if another server must run it, because this replica is behind `end` or
     * has failed. Rejects only if the statement took too long.
     */
    async read<Row extends QueryResultRow>(
      end: WalEnd,
      statement: string | QueryConfig<unknown[]>,
    ): Promise<QueryResult<Row> | null> {
      busy += 1;
      const { signal } = outage;
      try {
        return await unlessAborted(runStatement<Row>(end, statement, signal), signal);
      } catch (error) {
        // The statement would also be slow on the primary server.
        if (sqlStateOf(error) === QUERY_CANCELED) throw error;
        // The replica is unreachable, or has canceled the statement because replayed changes conflict with it. If
        // the statement itself is wrong, the primary server reports this.
        return null;
      } finally {
        busy -= 1;
      }
    },
    async close(): Promise<void> {
      await Promise.all([pool.end(), monitor.end()]);
    },
  };
}

/** Creates the controller that ends running reads. Each of them listens to its signal. */
function createOutage(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Runs `work` with a connection of the pool. If `signal` aborts, the connection ends at once, and `work` fails. */
async function withConnection<T>(
  pool: Pool,
  signal: AbortSignal,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const disconnect = () => void (client as unknown as Client).end().catch(() => undefined);
  signal.addEventListener('abort', disconnect, { once: true });
  let isBroken = true;
  try {
    signal.throwIfAborted();
    const result = await work(client);
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = !(error instanceof DatabaseError) || isBrokenConnection(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', disconnect);
    client.release(isBroken);
  }
}
