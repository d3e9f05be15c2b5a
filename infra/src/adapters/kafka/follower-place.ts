import type { LiveBatch, Position } from '@alpenglow/domain';
import type { KafkaMessage } from 'kafkajs';
import { fromRecord } from './live-record.ts';
import { createPartitionMerge, type PartitionMerge } from './partition-merge.ts';

/** The next offset to read of each partition. */
export type Offsets = ReadonlyMap<number, bigint>;

export interface Received {
  readonly partition: number;
  readonly messages: readonly KafkaMessage[];
  /** The offset after the last of them. */
  readonly next: bigint;
}

/** Where one follower is in the topic: the next offset of each partition, and what was read and is not told. Outlives its readers. */
export interface FollowerPlace {
  /** The places to go on from. Of another number of partitions than before, nothing that was read is of use. */
  offsets(partitions: number): Offsets;
  /** Takes in what was read; answers how many records were none of ours. Throws when the relay knows of more partitions. */
  receive(received: Received): number;
  /** True while so much of a partition waits that no more should be read of it. */
  isFull(partition: number): boolean;
  /** The next batch to tell, waited for. Null once the signal aborts. */
  next(signal: AbortSignal): Promise<LiveBatch | null>;
}

/** Messages in memory that wait for the follower, or for a partition that lags. */
const MAX_WAITING_messages = 12_000;

export function createFollowerPlace(): FollowerPlace {
  let merge: PartitionMerge | null = null;
  let partitionCount = 0;
  let told: Position | null = null;
  const offsets = new Map<number, bigint>();
  let ring: () => void = () => undefined;

  return {
    offsets(partitions) {
      if (partitions !== partitionCount) {
        merge = createPartitionMerge(partitions, told);
        partitionCount = partitions;
        offsets.clear();
      }
      return new Map(offsets);
    },
    receive({ partition, messages, next }) {
      let foreign = 0;
      for (const message of messages) {
        const record = fromRecord(message);
        if (record === null) {
          foreign += 1;
          continue;
        }
        if (record.partitions > partitionCount)
          throw new Error(
            `The topic has ${partitionCount} partitions here and ${record.partitions} where its relay is`,
          );
        // One that divided the streams among fewer says nothing of how they are divided now.
        if (record.partitions === partitionCount) merge?.add(partition, record);
      }
      offsets.set(partition, next);
      ring();
      return foreign;
    },
    isFull: (partition) => (merge?.waiting(partition) ?? 0) > MAX_WAITING_messages / partitionCount,
    async next(signal) {
      const wake = () => ring();
      signal.addEventListener('abort', wake);
      try {
        while (!signal.aborted) {
          const batch = merge?.take();
          if (batch) {
            told = batch.through;
            return batch;
          }
          await new Promise<void>((resolve) => {
            ring = resolve;
          });
        }
        return null;
      } finally {
        signal.removeEventListener('abort', wake);
      }
    },
  };
}
