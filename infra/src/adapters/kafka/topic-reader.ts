import { randomUUID } from 'node:crypto';
import type { Admin, Batch } from 'kafkajs';
import type { KafkaConfig } from '../../service/config.ts';
import { withLimits, KAFKA_RETRY, type KafkaClient } from './client.ts';
import type { FollowerProgress, Offsets } from './follower-progress.ts';
import { ensureTopic } from './topic.ts';

export type TopicReader = Awaited<ReturnType<typeof openTopicReader>>;

/** A reader without stored offsets starts with records of this age. */
const RECENT_PAST_ms = 5 * 60_000;
/**
 * The maximum time without a record in a partition. The relay, which fills the topic, writes to every partition more
 * often, so a longer silence means a failure.
 */
const SILENCE_ms = 40_000;
const CHECK_INTERVAL_ms = 5_000;
/** The time for which the Kafka broker waits for new records before it responds to a read request. */
const LONG_POLL_ms = 500;
/** The maximum size of the data of one partition in a response, which is enough for about 750 messages. */
const MAX_FETCH_bytes = 256 * 1024;
const DISCONNECT_LIMIT_ms = 2_000;

/**
 * Opens a reader of a whole Kafka topic. It has its own consumer group, and does not commit offsets to Kafka. Reading
 * resumes at the offsets in `place`. In a partition without a valid offset, reading starts with the records of the last
 * five minutes, or with the last record if that is older. `close` also closes every connection of the client.
 */
export async function openTopicReader(
  { kafka, closeConnections }: KafkaClient,
  config: KafkaConfig,
  place: FollowerProgress,
) {
  const { topic } = config;
  const admin = kafka.admin();
  let starts: Offsets;
  try {
    await admin.connect();
    starts = await startOffsets(admin, topic, place.offsets(await ensureTopic(admin, config)));
  } finally {
    await admin.disconnect();
  }
  const partitions = starts.size;
  /** The next offset of each partition. `place` is not used for this: its offsets may be of a removed topic. */
  const nextOffsets = new Map(starts);
  const consumer = kafka.consumer({
    groupId: `${topic}.${randomUUID()}`,
    allowAutoTopicCreation: false,
    rebalanceTimeout: 10_000,
    maxWaitTimeInMs: LONG_POLL_ms,
    maxBytesPerPartition: MAX_FETCH_bytes,
    retry: { ...KAFKA_RETRY, restartOnFailure: () => Promise.resolve(false) },
  });
  const paused = new Map<number, () => void>();
  const lastReceivedAt = new Map([...starts.keys()].map((partition) => [partition, performance.now()]));
  let isOpen = true;
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error));
  // Kafka stores no offsets of this group. Without this, the consumer would begin at the first record of the topic
  // whenever it joins its group again, e.g. after a slow heartbeat. The event comes before the first read after a join.
  consumer.on(consumer.events.GROUP_JOIN, () => {
    for (const [partition, offset] of nextOffsets) consumer.seek({ topic, partition, offset: String(offset) });
  });

  const watch = setInterval(() => {
    for (const [partition, at] of lastReceivedAt) {
      if (performance.now() - at > SILENCE_ms && !paused.has(partition))
        fail(new Error(`Nothing was received of partition ${partition} of ${topic} for ${SILENCE_ms} ms`));
    }
  }, CHECK_INTERVAL_ms);
  watch.unref();

  function receive(batch: Batch, pausePartition: () => () => void): void {
    const { partition, messages } = batch;
    if (!isOpen) return;
    try {
      if (!starts.has(partition)) throw new Error(`Topic ${topic} has more than ${partitions} partitions now`);
      const next = BigInt(batch.lastOffset()) + 1n;
      place.receive({ partition, messages, next });
      nextOffsets.set(partition, next);
    } catch (error) {
      isOpen = false;
      fail(error as Error);
      return;
    }
    lastReceivedAt.set(partition, performance.now());
    if (place.isFull(partition)) paused.set(partition, pausePartition());
  }

  return {
    /** Rejects when this reader has failed permanently, so that the caller opens another reader. Never resolves. */
    failed,
    async start(): Promise<void> {
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        partitionsConsumedConcurrently: partitions,
        eachBatch: async ({ batch, pause }) => receive(batch, pause),
      });
    },
    /** Resumes reading of the paused partitions whose waiting messages are below the limit again. */
    resumePartitions(): void {
      for (const [partition, resume] of paused) {
        if (place.isFull(partition)) continue;
        paused.delete(partition);
        lastReceivedAt.set(partition, performance.now());
        resume();
      }
    },
    async close(): Promise<void> {
      isOpen = false;
      clearInterval(watch);
      await withLimits(consumer.disconnect(), { limit_ms: DISCONNECT_LIMIT_ms }).catch(() => undefined);
      closeConnections();
    },
  };
}

async function startOffsets(admin: Admin, topic: string, known: Offsets): Promise<Offsets> {
  const recent = new Map(
    (await admin.fetchTopicOffsetsByTimestamp(topic, Date.now() - RECENT_PAST_ms)).map(({ partition, offset }) => [
      partition,
      BigInt(offset),
    ]),
  );
  const ends = await admin.fetchTopicOffsets(topic);
  return new Map(
    ends.map((end) => {
      const [low, high] = [BigInt(end.low), BigInt(end.high)];
      const stored = known.get(end.partition);
      if (stored !== undefined && stored >= low && stored <= high) return [end.partition, stored];
      const last = high > low ? high - 1n : high;
      const since = recent.get(end.partition) ?? last;
      return [end.partition, since < low ? low : since > last ? last : since];
    }),
  );
}
