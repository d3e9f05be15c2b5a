import { randomUUID } from 'node:crypto';
import type { Admin, Batch } from 'kafkajs';
import type { KafkaConfig } from '../../config.ts';
import { bounded, RETRY, type KafkaClient } from './client.ts';
import type { FollowerPlace, Offsets } from './follower-place.ts';
import { ensureTopic } from './topic.ts';

export interface TopicReader {
  /** Begins to hand over. */
  start(): Promise<void>;
  /** Goes on with partitions that were full and are no longer. */
  resumeDrained(): void;
  /** Rejects when reading has failed for good: open another reader. Never resolves. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** How much of the past a reader without a place of its own begins with. */
const RECENT_PAST_ms = 5 * 60_000;
/** A relay writes to every partition much more often than this. */
const SILENCE_ms = 40_000;
const LOOK_EVERY_ms = 5_000;
/** How long the broker holds a request open that it has nothing for. */
const LONG_POLL_ms = 500;
/** What one request brings of a partition at most: some 750 messages. */
const MAX_FETCH_bytes = 256 * 1024;
const DISCONNECT_LIMIT_ms = 2_000;

/**
 * Reads a whole topic, in a consumer group of its own and with nothing committed: it goes on from the place's offsets where the log still
 * has them, elsewhere some minutes back, at least with the last record. Closed, it has ended every connection of the client.
 */
export async function openTopicReader(
  { kafka, letGo }: KafkaClient,
  config: KafkaConfig,
  place: FollowerPlace,
): Promise<TopicReader> {
  const { topic } = config;
  const admin = kafka.admin();
  let begin: Offsets;
  try {
    await admin.connect();
    begin = await whereToBegin(admin, topic, place.offsets(await ensureTopic(admin, config)));
  } finally {
    await admin.disconnect();
  }
  const partitions = begin.size;
  const consumer = kafka.consumer({
    groupId: `${topic}.${randomUUID()}`,
    allowAutoTopicCreation: false,
    rebalanceTimeout: 10_000,
    maxWaitTimeInMs: LONG_POLL_ms,
    maxBytesPerPartition: MAX_FETCH_bytes,
    retry: { ...RETRY, restartOnFailure: () => Promise.resolve(false) },
  });
  const held = new Map<number, () => void>();
  const heard = new Map([...begin.keys()].map((partition) => [partition, performance.now()]));
  let isOpen = true;
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error));

  const watch = setInterval(() => {
    for (const [partition, at] of heard) {
      if (performance.now() - at > SILENCE_ms && !held.has(partition))
        fail(new Error(`Nothing was heard of partition ${partition} of ${topic} for ${SILENCE_ms} ms`));
    }
  }, LOOK_EVERY_ms);
  watch.unref();

  function take(batch: Batch, hold: () => () => void): void {
    const { partition, messages } = batch;
    if (!isOpen) return;
    try {
      if (!begin.has(partition)) throw new Error(`Topic ${topic} has more than ${partitions} partitions now`);
      place.receive({ partition, messages, next: BigInt(batch.lastOffset()) + 1n });
    } catch (error) {
      isOpen = false;
      fail(error as Error);
      return;
    }
    heard.set(partition, performance.now());
    if (place.isFull(partition)) held.set(partition, hold());
  }

  return {
    failed,
    async start() {
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      const running = consumer.run({
        autoCommit: false,
        partitionsConsumedConcurrently: partitions,
        eachBatch: async ({ batch, pause }) => take(batch, pause),
      });
      // Before the group is joined, so that nothing is fetched from elsewhere.
      for (const [partition, offset] of begin) consumer.seek({ topic, partition, offset: String(offset) });
      await running;
    },
    resumeDrained() {
      for (const [partition, release] of held) {
        if (place.isFull(partition)) continue;
        held.delete(partition);
        heard.set(partition, performance.now());
        release();
      }
    },
    async close() {
      isOpen = false;
      clearInterval(watch);
      await bounded(consumer.disconnect(), { limit_ms: DISCONNECT_LIMIT_ms }).catch(() => undefined);
      letGo();
    },
  };
}

async function whereToBegin(admin: Admin, topic: string, known: Offsets): Promise<Offsets> {
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
      const place = known.get(end.partition);
      if (place !== undefined && place >= low && place <= high) return [end.partition, place];
      const last = high > low ? high - 1n : high;
      const since = recent.get(end.partition) ?? last;
      return [end.partition, since < low ? low : since > last ? last : since];
    }),
  );
}
