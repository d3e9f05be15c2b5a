import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { bytesOf, MARK_QUERY, type PrimaryWal, type WalEnd } from './primary-wal.ts';

/** The maximum time for which a read waits until the replica has replayed the WAL of the primary server. */
const REPLAY_WAIT_ms = 30;
/** If a read has waited in vain, other reads do not wait for the replica during this time. */
const NO_WAIT_ms = 100;

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

export type ReplicaProgress = ReturnType<typeof createReplicaProgress>;

/**
 * Owns what is known about the server of each connection: whether it follows the primary server, and up to which
 * position. Invariant: a position counts only if the server has the mark of the run of the primary server.
 */
export function createReplicaProgress(primary: Pick<PrimaryWal, 'markOf'>) {
  const knowledge = new WeakMap<PoolClient, Knowledge>();
  let noWaitUntil_ms = 0;

  function findKnowledge(client: PoolClient): Knowledge {
    const known = knowledge.get(client) ?? { follows: null, replayed: 0n };
    knowledge.set(client, known);
    return known;
  }

  async function inspect(client: PoolClient): Promise<Inspection> {
    const { rows } = await client.query<{ lsn: string; isStandby: boolean }>({
      name: 'replica-wal',
      text: `select ${bytesOf('pg_last_wal_replay_lsn()')} as lsn, pg_is_in_recovery() as "isStandby"`,
    });
    const replayed = BigInt(rows[0]?.lsn ?? 0);
    const known = findKnowledge(client);
    if (replayed > known.replayed) known.replayed = replayed;
    return { replayed, isStandby: rows[0]?.isStandby === true };
  }

  /** Checks whether the server has the mark of the run `server` of the primary server, and stores the result. */
  async function hasMark(client: PoolClient, server: string): Promise<boolean> {
    const known = findKnowledge(client);
    if (known.follows === server) return true;
    const mark = primary.markOf(server);
    if (!mark) return false;
    const { rows } = await client.query<{ value: string }>(MARK_QUERY);
    if (!mark.values.includes(rows[0]?.value ?? '')) return false;
    known.follows = server;
    return true;
  }

  /** Resolves to true when the server has replayed the WAL up to `end`. Waits at most 30 ms, then resolves to false. */
  async function reach(client: PoolClient, end: WalEnd): Promise<boolean> {
    const known = findKnowledge(client);
    if (!(await hasMark(client, end.server))) return false;
    if (known.replayed >= end.lsn) return true;
    const start_ms = performance.now();
    const deadline_ms = start_ms < noWaitUntil_ms ? start_ms : start_ms + REPLAY_WAIT_ms;
    for (let wait_ms = 1; ; wait_ms *= 2) {
      const { replayed, isStandby } = await inspect(client);
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

  return { inspect, hasMark, reach };
}
