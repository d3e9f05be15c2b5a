import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { Logger } from '../../service/logger.ts';
import { unlessAborted } from '../../service/polling-and-slots.ts';
import { sqlStateOf } from './errors.ts';
import { createPool } from './pool.ts';
import { readClusterId, type PrimaryWal, type WalEnd } from './primary-wal.ts';
import { withConnection } from './replica-connection.ts';
import { createReplicaProgress, type ReplicaProgress } from './replica-progress.ts';
import { createReplicaLag, createReplicaState, type ReplicaState } from './replica-state.ts';

/** Above this lag, a replica serves no reads. It serves reads again when its lag is at most a quarter of this time. */
const MAX_LAG_ms = 2_000;
const CHECK_LIMIT_ms = 1_500;
const QUERY_CANCELED = '57014';

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
  const state = createReplicaState(name, log);
  const lag = createReplicaLag();
  const progress = createReplicaProgress(primary);
  const findState = createCheck({ primary, progress, state, lag });
  let busy = 0;

  return {
    name,
    isUsable: (): boolean => state.current() === 'current',
    /** Returns the number of reads that are running or waiting for a connection. */
    countBusy: (): number => busy,
    /** Returns the age of the oldest WAL that the replica had not replayed at the last check. Null if it is unknown. */
    lag_s: (): number | null =>
      state.current() === 'current' || state.current() === 'behind' ? lag.current_ms() / 1_000 : null,
    /** Checks the server, and logs if the state of the replica changes. Ends after at most 1.5 s. Never rejects. */
    async check(end: WalEnd): Promise<void> {
      const limit = AbortSignal.timeout(CHECK_LIMIT_ms);
      const checking = withConnection(monitor, limit, (client) => findState(client, end)).catch(() => null);
      state.set((await unlessAborted(checking, limit)) ?? 'unreachable');
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
      const signal = state.outageSignal();
      try {
        return await unlessAborted(
          withConnection(pool, signal, async (client) =>
            (await progress.reach(client, end)) ? client.query<Row>(statement) : null,
          ),
          signal,
        );
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

interface CheckOptions {
  readonly primary: PrimaryWal;
  readonly progress: ReplicaProgress;
  readonly state: Pick<ReturnType<typeof createReplicaState>, 'current'>;
  readonly lag: ReturnType<typeof createReplicaLag>;
}

/** Creates the function that compares a replica with the end of the WAL of the primary server. */
function createCheck({ primary, progress, state, lag }: CheckOptions) {
  return async (client: PoolClient, end: WalEnd): Promise<ReplicaState> => {
    const { replayed, isStandby } = await progress.inspect(client);
    if (!isStandby) return 'not a replica';
    lag.record(replayed, end);
    // Without the mark, the positions may belong to another history.
    if (!(await progress.hasMark(client, end.server).catch(() => false))) {
      const [own, primaryId] = await Promise.all([readClusterId(client), primary.clusterId()]);
      if (own !== null && primaryId !== null && own !== primaryId) return 'another cluster';
      const mark = primary.markOf(end.server);
      if (mark && replayed >= mark.lsn) return 'another history';
      // The replica has not replayed the mark yet. This is normal after the start of this process, so it is not logged.
      return state.current() === 'unknown' && lag.current_ms() < MAX_LAG_ms ? state.current() : 'behind';
    }
    return lag.current_ms() > (state.current() === 'current' ? MAX_LAG_ms : MAX_LAG_ms / 4) ? 'behind' : 'current';
  };
}
