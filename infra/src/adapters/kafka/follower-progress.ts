import type { LiveBatch, LogMark, Position } from '@alpenglow/domain';
import type { KafkaMessage } from 'kafkajs';
import { parseRecord } from './live-record.ts';
import { createPartitionMerge, type LiveRecord, type PartitionMerge } from './partition-merge.ts';
import { createRelayRuns, type RelayRuns } from './relay-runs.ts';

/** The offset of the next Kafka record to read, by partition number. */
export type Offsets = ReadonlyMap<number, bigint>;

interface Received {
  readonly partition: number;
  readonly messages: readonly KafkaMessage[];
  /** The offset of the Kafka record after the last message. */
  readonly next: bigint;
}

/**
 * The progress of one follower. A follower reads all live messages of the Kafka topic. Its progress consists of the
 * next offset of each partition, and of the messages that were read but not yet delivered to the follower. When a Kafka
 * connection fails, the next connection resumes from this progress.
 */
export type FollowerProgress = ReturnType<typeof createFollowerProgress>;

/**
 * The maximum number of messages in memory. They wait for the follower to take them, or for messages from a slower
 * partition.
 */
const MAX_WAITING_messages = 12_000;

interface FollowerProgressOptions {
  /** Returns true if the event log still contains the event. Returns null if the signal aborts first. */
  readonly isInLog: (event: LogMark, signal: AbortSignal) => Promise<boolean | null>;
}

/**
 * Creates the progress of a new follower. When a run of the relay begins, the follower checks that the event log still
 * contains the last event that it has read. If so, it drops the messages that the new run repeats. Otherwise, the log
 * was replaced by an older state (decision 0070), and delivery starts again with the first message of the new run.
 */
export function createFollowerProgress({ isInLog }: FollowerProgressOptions) {
  let merge: PartitionMerge | null = null;
  let runs: RelayRuns | null = null;
  let partitionCount = 0;
  let delivered: Position | null = null;
  /** The last event that was read and whose id is known, even if it is not delivered yet. */
  let lastEvent: LogMark | null = null;
  /** True until a batch has reported that the log was replaced. */
  let isLogReplaced = false;
  const offsets = new Map<number, bigint>();
  let notify: () => void = () => undefined;

  function accept(partition: number, record: LiveRecord): void {
    merge?.add(partition, record);
    const { position, id = null } = record;
    if (id !== null && (lastEvent === null || position > lastEvent.position)) lastEvent = { position, id };
  }

  /** Starts a run of the relay, unless the signal aborts before the log is checked. */
  async function startRun(run: string, signal: AbortSignal): Promise<void> {
    const checked = runs;
    const isSameLog = lastEvent === null || (await isInLog(lastEvent, signal));
    // While the log was checked, all progress may have been discarded, because partitions were added.
    if (isSameLog === null || checked === null || checked !== runs) return;
    if (!isSameLog) {
      merge = createPartitionMerge(partitionCount);
      isLogReplaced ||= delivered !== null;
      delivered = lastEvent = null;
    }
    checked.start(run, { isNewLog: !isSameLog });
  }

  /** Waits until records arrive, or until the wait of a new run for the other partitions ends. */
  async function waitForRecords(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit_ms = runs?.timeLeft_ms() ?? null;
    await new Promise<void>((resolve) => {
      notify = resolve;
      if (limit_ms !== null) timer = setTimeout(resolve, limit_ms);
    });
    clearTimeout(timer);
  }

  return {
    /**
     * Returns the offsets from which reading resumes. If the number of partitions has changed, discards all progress.
     */
    offsets(partitions: number): Offsets {
      if (partitions !== partitionCount) {
        merge = createPartitionMerge(partitions, delivered);
        runs = createRelayRuns(partitions, { accept, firstRun: runs?.firstRun() ?? null });
        partitionCount = partitions;
        offsets.clear();
      }
      return new Map(offsets);
    },
    /**
     * Adds records that were read from a partition. Returns how many of them are foreign, which means that our relay
     * (the program that fills the topic) did not write them. Throws if the relay uses more partitions than this
     * follower.
     */
    receive({ partition, messages, next }: Received): number {
      let foreign = 0;
      for (const message of messages) {
        const record = parseRecord(message);
        if (record === null) {
          foreign += 1;
          continue;
        }
        if (record.partitions > partitionCount)
          throw new Error(`The topic has ${partitionCount} partitions here, and ${record.partitions} for its relay`);
        // A relay with fewer partitions assigns the streams to other partitions, so its records are ignored.
        if (record.partitions === partitionCount) runs?.add(partition, record);
      }
      offsets.set(partition, next);
      notify();
      return foreign;
    },
    /** Returns true while reading of the partition must stop, because too many messages are waiting. */
    isFull: (partition: number): boolean =>
      (merge?.waitingCount(partition) ?? 0) + (runs?.waitingCount(partition) ?? 0) >
      MAX_WAITING_messages / partitionCount,
    /**
     * Waits for the next batch of live messages, and returns it. Returns null once the signal aborts. Calls `onTaken`
     * after messages were removed from the memory, because partitions may then be read again.
     */
    async next(signal: AbortSignal, onTaken: () => void): Promise<LiveBatch | null> {
      const onAbort = () => notify();
      signal.addEventListener('abort', onAbort);
      try {
        while (!signal.aborted) {
          const run = runs?.nextRun() ?? null;
          if (run !== null) {
            await startRun(run, signal);
            onTaken();
            continue;
          }
          const batch = merge?.takeBatch();
          if (batch) {
            onTaken();
            delivered = batch.through;
            if (!isLogReplaced) return batch;
            isLogReplaced = false;
            return { ...batch, isLogReplaced: true };
          }
          await waitForRecords();
        }
        return null;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
