import type { LiveBatch, Position } from '@alpenglow/domain';
import type { KafkaMessage } from 'kafkajs';
import { parseRecord } from './live-record.ts';
import { createPartitionMerge, type PartitionMerge } from './partition-merge.ts';

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

export function createFollowerProgress() {
  let merge: PartitionMerge | null = null;
  let partitionCount = 0;
  let delivered: Position | null = null;
  const offsets = new Map<number, bigint>();
  let notify: () => void = () => undefined;

  return {
    /**
     * Returns the offsets from which reading resumes. If the number of partitions has changed, discards all progress.
     */
    offsets(partitions: number): Offsets {
      if (partitions !== partitionCount) {
        merge = createPartitionMerge(partitions, delivered);
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
        if (record.partitions === partitionCount) merge?.add(partition, record);
      }
      offsets.set(partition, next);
      notify();
      return foreign;
    },
    /** Returns true while reading of the partition must stop, because too many messages are waiting. */
    isFull: (partition: number): boolean =>
      (merge?.waitingCount(partition) ?? 0) > MAX_WAITING_messages / partitionCount,
    /** Waits for the next batch of live messages, and returns it. Returns null once the signal aborts. */
    async next(signal: AbortSignal): Promise<LiveBatch | null> {
      const onAbort = () => notify();
      signal.addEventListener('abort', onAbort);
      try {
        while (!signal.aborted) {
          const batch = merge?.takeBatch();
          if (batch) {
            delivered = batch.through;
            return batch;
          }
          await new Promise<void>((resolve) => {
            notify = resolve;
          });
        }
        return null;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
