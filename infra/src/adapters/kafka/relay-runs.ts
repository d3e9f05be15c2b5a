import type { LiveRecord } from './partition-merge.ts';

/**
 * Separates the records of a new run of the relay from the records before it, because the event log may have been
 * replaced by an older state before the run began.
 */
export type RelayRuns = ReturnType<typeof createRelayRuns>;

/**
 * The maximum time for which the records of a new run wait for the other partitions. A run begins with a record in
 * every partition, so this time passes only if such a record is missing.
 */
const WAIT_FOR_PARTITIONS_ms = 15_000;

/**
 * Creates the separation of runs. `accept` receives the records in the order of their partition. A record of a new run,
 * and everything after it in its partition, waits until the new run has begun in every partition. The caller then knows
 * all messages that were published before the run, and decides whether the log is still the same. Records of earlier
 * runs in the same log are accepted, because two relays may run for a moment. Records before `firstRun`, the first run
 * in the current log, are ignored. A record without a run is from an earlier build and is accepted.
 */
export function createRelayRuns(
  partitions: number,
  {
    accept,
    firstRun = null,
    now = () => performance.now(),
  }: {
    readonly accept: (partition: number, record: LiveRecord) => void;
    readonly firstRun?: string | null;
    readonly now?: () => number;
  },
) {
  const waiting: LiveRecord[][] = Array.from({ length: partitions }, () => []);
  let lowestRun = firstRun;
  let currentRun: string | null = null;
  let waitingSince_ms: number | null = null;

  const isNew = ({ run = null }: LiveRecord) => run !== null && (currentRun === null || run > currentRun);
  const isLost = ({ run = null }: LiveRecord) => run !== null && lowestRun !== null && run < lowestRun;

  /** Returns the runs for which partitions wait. */
  const nextRuns = (): readonly string[] => waiting.flatMap(([record]) => record?.run ?? []);

  const timeLeft_ms = (): number | null =>
    waitingSince_ms === null ? null : Math.max(0, waitingSince_ms + WAIT_FOR_PARTITIONS_ms - now());

  return {
    add(partition: number, record: LiveRecord): void {
      const queue = waiting[partition];
      if (queue === undefined) throw new RangeError(`Partition ${partition} is not one of ${partitions}`);
      if (isLost(record)) return;
      if (queue.length === 0 && !isNew(record)) {
        accept(partition, record);
        return;
      }
      queue.push(record);
      waitingSince_ms ??= now();
    },

    /** Returns the time in ms until the next run begins at the latest. Returns null if no partition waits. */
    timeLeft_ms,

    /** Returns the next run if it has begun in every partition or the time limit has passed. Otherwise returns null. */
    nextRun(): string | null {
      const runs = nextRuns().toSorted();
      const isDue = runs.length === partitions || timeLeft_ms() === 0;
      return isDue ? (runs[0] ?? null) : null;
    },

    /**
     * Accepts the records of a run, until another run begins. With `isNewLog`, ignores the records of earlier runs from
     * then on.
     */
    start(run: string, { isNewLog }: { readonly isNewLog: boolean }): void {
      currentRun = run;
      if (isNewLog) lowestRun = run;
      for (const [partition, queue] of waiting.entries()) {
        const end = queue.findIndex(isNew);
        for (const record of queue.splice(0, end === -1 ? queue.length : end)) {
          if (!isLost(record)) accept(partition, record);
        }
      }
      waitingSince_ms = nextRuns().length > 0 ? now() : null;
    },

    /** Returns the first run in the current log. Null if the log was not replaced. */
    firstRun: (): string | null => lowestRun,

    /** Returns the number of records of a partition that wait for the other partitions. */
    waitingCount: (partition: number): number => waiting[partition]?.length ?? 0,
  };
}
