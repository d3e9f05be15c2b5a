import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { Logger } from '../../service/logger.ts';
import { createPrimaryWal } from './primary-wal.ts';
import { createReadReplica, type ReadReplica } from './read-replica.ts';
import { isOutage } from './errors.ts';
import { withStoredTables } from './read-model-tables.ts';

/** Runs statements that change nothing. A connection pool of Postgres has the same method. */
export interface ReadPool {
  /** Runs a statement that changes nothing. If servers fail, it may run up to three times. */
  query<Row extends QueryResultRow>(statement: string | QueryConfig<unknown[]>): Promise<QueryResult<Row>>;
}

/**
 * The time limit of a statement of a public read. It is far above the time of any such statement on a healthy server.
 */
export const READ_STATEMENT_LIMIT_ms = 5_000;
/** The maximum number of connections to each replica. */
const POOL_SIZE = 10;
const CHECK_EVERY_ms = 500;
/** The number of replicas that a read tries before it moves on to the primary server. */
const MAX_TRIES = 2;
/** The name of the primary server in `onRead`. */
export const PRIMARY_NAME = 'primary';

export interface ReadPoolOptions {
  /** The pool of the primary server. Statements use the same versions of read models as the statements of this pool. */
  readonly pool: Pool;
  /** Runs the reads of the primary server. */
  readonly primary: ReadPool;
  /** The addresses of the replicas. */
  readonly connectionStrings: readonly string[];
  readonly log: Logger;
  /** Called after each read with the name of the server that ran it. */
  readonly onRead?: (server: string) => void;
}

/**
 * Creates a pool that distributes reads over streaming replicas. A read contains everything that was visible on the
 * primary server when the read began: it first reads the end of the WAL of the primary server, and runs on a replica
 * that has replayed the WAL up to there (decision 0079). If no replica has, or if it fails, the read runs on the
 * primary server. Replicas are checked every 500 ms, and those that are late or unreachable are skipped.
 */
export function createReadPool({
  pool,
  primary: primaryReads,
  connectionStrings,
  log,
  onRead = () => undefined,
}: ReadPoolOptions) {
  const primary = createPrimaryWal(pool);
  const replicas = connectionStrings.map((connectionString) =>
    createReadReplica({
      connectionString,
      primary,
      log,
      max: POOL_SIZE,
      statementTimeout_ms: READ_STATEMENT_LIMIT_ms,
    }),
  );
  const stopped = new AbortController();
  let reads = 0;

  async function check(): Promise<void> {
    const end = await primary.readEnd();
    await primary.refreshMark();
    await Promise.all(replicas.map((replica) => replica.check(end)));
  }

  async function checkRepeatedly(): Promise<void> {
    let hasFailed = false;
    while (!stopped.signal.aborted) {
      // While the primary server is unreachable, nothing shows whether a replica is current, and no read needs one.
      await check().then(
        () => (hasFailed = false),
        (err: unknown) => {
          if (!hasFailed && !isOutage(err)) log.warn({ err }, 'read replicas cannot be checked, so they are not used');
          hasFailed = true;
        },
      );
      await pause(CHECK_EVERY_ms, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
    }
  }
  const checking = checkRepeatedly();

  /** Returns the usable replicas. Those with the fewest running reads are first. Equal ones take turns. */
  function findUsable(): readonly ReadReplica[] {
    reads += 1;
    const first = reads % replicas.length;
    return (
      [...replicas.slice(first), ...replicas.slice(0, first)]
        // A read would wait for a free connection of a busy replica, although another server could run it.
        .filter((replica) => replica.isUsable() && replica.countBusy() < POOL_SIZE)
        .toSorted((one, other) => one.countBusy() - other.countBusy())
        .slice(0, MAX_TRIES)
    );
  }

  async function readFromReplica<Row extends QueryResultRow>(
    statement: string | QueryConfig<unknown[]>,
  ): Promise<QueryResult<Row> | null> {
    const usable = findUsable();
    if (usable.length === 0) return null;
    const end = await primary.readEnd().catch(() => null);
    if (!end) return null;
    for (const replica of usable) {
      const result = await replica.read<Row>(end, withStoredTables(pool, statement));
      if (!result) continue;
      onRead(replica.name);
      return result;
    }
    return null;
  }

  return {
    async query<Row extends QueryResultRow>(statement: string | QueryConfig<unknown[]>): Promise<QueryResult<Row>> {
      const result = await readFromReplica<Row>(statement);
      if (result) return result;
      onRead(PRIMARY_NAME);
      return primaryReads.query<Row>(statement);
    },
    /** The names of all servers that run reads. */
    serverNames: [PRIMARY_NAME, ...replicas.map(({ name }) => name)] as readonly string[],
    /** Returns the lag of each replica in seconds. Replicas whose lag is unknown are omitted. */
    readLags: (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        replicas.flatMap((replica) => {
          const lag_s = replica.lag_s();
          return lag_s === null ? [] : [[replica.name, lag_s]];
        }),
      ),
    /** Returns 1 for each replica that serves reads, and 0 for the others. */
    readUsable: (): Readonly<Record<string, number>> =>
      Object.fromEntries(replicas.map((replica) => [replica.name, replica.isUsable() ? 1 : 0])),
    /** Ends the checks and closes the connections to the replicas. */
    async close(): Promise<void> {
      stopped.abort();
      await checking;
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}
