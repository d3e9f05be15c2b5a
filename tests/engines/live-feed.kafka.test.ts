import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_CLOSE_CODES, type LiveFeed, type LivePublisher, toStreamId, listing } from '@alpenglow/domain';
import { createLogger, readConfig, type KafkaConfig } from '@alpenglow/infra';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKafkaClient } from '../../infra/src/adapters/kafka/client.ts';
import { createFollowerProgress } from '../../infra/src/adapters/kafka/follower-progress.ts';
import { openKafkaLiveFeed } from '../../infra/src/adapters/kafka/live-feed.ts';
import { openLivePublisher } from '../../infra/src/adapters/kafka/live-publisher.ts';
import { openTopicReader } from '../../infra/src/adapters/kafka/topic-reader.ts';
import { describeLiveFeed } from '../contract/live-feed.ts';
import { eventually } from '../support/eventually.ts';
import { uniqueName } from '../support/events.ts';
import { adIdOf } from '../support/live-ads.ts';
import { liveBatch, positionOf, serveLiveChannel } from '../support/live-channel.ts';
import { adsNamed, bump, follow } from '../support/live-events.ts';
import { connectLive } from '../support/live.ts';
import { createTopicName, openRelayedStore } from '../support/relayed-store.ts';
import { runWithRetries } from '../support/run-with-retries.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const log = createLogger('silent');

/** Warnings of the Kafka client. The list must stay empty, because every service logs such warnings. */
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));
afterAll(() => expect(warnings).toEqual([]));

const { kafka } = readConfig(process.env);
if (kafka === null) test.skip('Kafka: not run, KAFKA_BROKERS is not set');
else {
  describeLiveFeed('from Kafka, over a relay', () =>
    openLiveFeed({ ...kafka, topic: createTopicName(), partitions: 6 }),
  );
  describeLiveFeed('from Kafka, over a relay, in one partition', () =>
    openLiveFeed({ ...kafka, topic: createTopicName(), partitions: 1 }),
  );
  describe('the live topic', () => testTopics(kafka));
}

async function openLiveFeed(config: KafkaConfig) {
  const { store, feed, openAnotherFeed, close } = await openRelayedStore(config);
  return { store, feed, openAnother: openAnotherFeed, close };
}

function adminOf({ brokers }: Pick<KafkaConfig, 'brokers'>): { readonly client: Kafka; readonly admin: Admin } {
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  return { client, admin: client.admin() };
}

function testTopics(base: KafkaConfig): void {
  const { client, admin } = adminOf(base);
  const open: { close(): Promise<void> }[] = [];
  let config: KafkaConfig;

  beforeAll(() => admin.connect());
  afterAll(() => admin.disconnect());
  beforeEach(() => {
    config = { ...base, topic: createTopicName(), partitions: 6 };
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
    await admin.deleteTopics({ topics: [config.topic] }).catch(() => undefined);
  });

  async function openPublisher(options: { metadataAge_ms?: number } = {}): Promise<LivePublisher> {
    const publisher = await openLivePublisher(config, { log, ...options });
    open.push(publisher);
    return publisher;
  }
  async function openFeed(): Promise<LiveFeed> {
    // These tests publish without a run, so the feed reads nothing in the event store.
    const feed = openKafkaLiveFeed(config, { store: createMemoryEventStore(), log });
    open.push(feed);
    return feed;
  }
  /** Publishes messages with the numbers after `after` up to `through`. Each message belongs to one of 20 streams. */
  const publish = (publisher: LivePublisher, after: number, through: number) => {
    const batch = liveBatch(after, through);
    return publisher.publish({
      ...batch,
      messages: batch.messages.map((message, n) => ({
        stream: toStreamId(listing, String((after + n + 1) % 20)),
        message,
      })),
    });
  };
  const numbers = (messages: readonly { readonly seq: string }[]) => messages.map(({ seq }) => Number(seq));
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

  test('is created with the configured partitions and retention, and an existing topic is not changed', async () => {
    config = { ...config, partitions: 3, retention_h: 5 };
    await publish(await openPublisher(), 0, 5);
    expect((await admin.fetchTopicMetadata({ topics: [config.topic] })).topics[0]?.partitions).toHaveLength(3);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: config.topic }],
    });
    const settings = Object.fromEntries(
      resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]) ?? [],
    );
    expect(settings).toMatchObject({
      'retention.ms': String(5 * 3_600_000),
      'cleanup.policy': 'delete',
      'min.insync.replicas': '1',
    });
    config = { ...config, partitions: 9 };
    await publish(await openPublisher(), 5, 10);
    const follower = follow(await openFeed());
    await follower.waitForPosition(positionOf(10));
    expect(numbers(follower.messages)).toEqual(range(1, 10));
    await follower.stop();
  });

  test('stores a stream in one partition, with the stream as key and the position in a header', async () => {
    const publisher = await openPublisher();
    for (let n = 0; n < 10; n += 1) await publish(publisher, n * 20, n * 20 + 20);
    const consumer = client.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 200 });
    await consumer.connect();
    await consumer.subscribe({ topics: [config.topic], fromBeginning: true });
    const partitionsOf = new Map<string, Set<number>>();
    const positionsIn = new Map<number, string[]>();
    let received = 0;
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        if (message.value === null) return;
        received += 1;
        const key = message.key?.toString() ?? '';
        partitionsOf.set(key, (partitionsOf.get(key) ?? new Set()).add(partition));
        const position = message.headers?.['position']?.toString() ?? '';
        expect(position).toBe((JSON.parse(message.value.toString()) as { seq: string }).seq);
        positionsIn.set(partition, [...(positionsIn.get(partition) ?? []), position]);
      },
    });
    await eventually(() => expect(received).toBe(200));
    await consumer.disconnect();
    expect([...partitionsOf.keys()].sort()).toEqual(
      range(0, 19)
        .map((n) => `listing-${n}`)
        .sort(),
    );
    for (const partitions of partitionsOf.values()) expect(partitions.size).toBe(1);
    expect(positionsIn.size).toBeGreaterThan(3);
    for (const positions of positionsIn.values()) expect(positions).toEqual(positions.toSorted());
  });

  test('messages of restarted and parallel relays are delivered once', async () => {
    const [first, paused, third] = [await openPublisher(), await openPublisher(), await openPublisher()];
    const early = follow(await openFeed());
    await publish(first, 0, 0);
    await early.startPosition;
    await publish(first, 0, 10);
    await publish(first, 10, 20);
    // The third publisher repeats earlier messages, like a relay that starts from an older checkpoint.
    await publish(third, 5, 12);
    await publish(first, 20, 25);
    await publish(third, 12, 30);
    await publish(paused, 3, 4);
    await Promise.all([publish(first, 25, 40), publish(third, 30, 60), publish(paused, 4, 33)]);
    await publish(third, 60, 61);
    await early.waitForPosition(positionOf(61));
    expect(numbers(early.messages)).toEqual(range(1, 61));
    expect(early.gapPositions).toEqual([]);
    await early.stop();

    const late = follow(await openFeed());
    await late.waitForPosition(positionOf(61));
    expect(numbers(late.messages)).toEqual(range(Number(await late.startPosition) + 1, 61));
    await late.stop();
  });

  test('a follower starts with the recent past', async () => {
    const publisher = await openPublisher();
    await publish(publisher, 0, 100);
    const follower = follow(await openFeed());
    await follower.waitForPosition(positionOf(100));
    expect(await follower.startPosition).toBe(positionOf(0));
    expect(numbers(follower.messages)).toEqual(range(1, 100));
    await follower.stop();
  });

  test('a follower restarts after a gap in the log', async () => {
    const publisher = await openPublisher();
    const follower = follow(await openFeed());
    await publish(publisher, 0, 10);
    await follower.waitForPosition(positionOf(10));
    await publish(publisher, 15, 20);
    await follower.waitForPosition(positionOf(20));
    expect(follower.gapPositions).toEqual([positionOf(15)]);
    expect(numbers(follower.messages)).toEqual([...range(1, 10), ...range(16, 20)]);
    await follower.stop();
  });

  test('followers restart with new messages after the log was emptied or the topic was removed', async () => {
    const publisher = await openPublisher();
    const early = follow(await openFeed());
    await publish(publisher, 0, 10);
    await early.waitForPosition(positionOf(10));
    const ends = await admin.fetchTopicOffsets(config.topic);
    await admin.deleteTopicRecords({
      topic: config.topic,
      partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
    });
    const late = follow(await openFeed());
    await pause(1_000);
    expect(late.batches).toEqual([]);
    await publish(publisher, 10, 12);
    for (const follower of [early, late]) await follower.waitForPosition(positionOf(12));
    expect(numbers(early.messages)).toEqual(range(1, 12));
    expect(numbers(late.messages)).toEqual([11, 12]);
    await late.stop();

    await admin.deleteTopics({ topics: [config.topic] });
    const again = runWithRetries(
      async () => {
        await publish(publisher, 20, 25);
        await publish(publisher, 25, 25);
      },
      { retry_ms: 500 },
    );
    await early.waitForPosition(positionOf(25), 60_000);
    expect(early.gapPositions.at(-1)).toBe(positionOf(20));
    expect(numbers(early.messages)).toEqual([...range(1, 12), ...range(21, 25)]);
    await again.stop();
    await early.stop();
  });

  test('a topic with added partitions is written and read completely, also by older clients', async () => {
    const publisher = await openPublisher({ metadataAge_ms: 2_000 });
    const follower = follow(await openFeed());
    await publish(publisher, 0, 10);
    await follower.waitForPosition(positionOf(10));
    await admin.createPartitions({ topicPartitions: [{ topic: config.topic, count: 9 }] });
    const newPublisher = await openPublisher();
    await publish(newPublisher, 10, 10);
    await publish(newPublisher, 10, 40);
    const late = follow(await openFeed());
    for (const one of [late, follower]) await one.waitForPosition(positionOf(40));
    // Kafka rejects messages of the first relay until the relay has read the new metadata of the topic.
    const oldPublisher = runWithRetries(async () => publish(publisher, 40, 60), { retry_ms: 1_000 });
    for (const one of [late, follower]) await one.waitForPosition(positionOf(60), 60_000);
    await oldPublisher.stop();
    expect(numbers(follower.messages)).toEqual(range(1, 60));
    expect(follower.gapPositions).toEqual([]);
    expect(numbers(late.messages)).toEqual(range(Number(await late.startPosition) + 1, 60));
    for (const one of [late, follower]) await one.stop();
  });

  test('a follower that is far behind has limited memory and misses no message', async () => {
    const publisher = await openPublisher();
    const COUNT = 40_000;
    const batches: number[] = [];
    const follower = follow(await openFeed(), {
      onBatch: async ({ messages }) => {
        batches.push(messages.length);
        await pause(messages.length === 0 ? 0 : 1_500);
      },
    });
    for (let n = 0; n < COUNT; n += 1_000) await publish(publisher, n, n + 1_000);
    await follower.waitForPosition(positionOf(COUNT), 60_000);
    expect(numbers(follower.messages)).toEqual(range(1, COUNT));
    expect(Math.max(...batches)).toBeLessThan(18_000);
    await follower.stop();
  });

  test('a reader that joins its group again reads no record again', async () => {
    const publisher = await openPublisher();
    await publish(publisher, 0, 100);
    const progress = createFollowerProgress({ isInLog: () => Promise.resolve(true) });
    const received: string[] = [];
    const reader = await openTopicReader(await createKafkaClient(config, log), config, {
      ...progress,
      receive(records) {
        received.push(...records.messages.map(({ offset }) => `${records.partition}:${offset}`));
        return progress.receive(records);
      },
    });
    open.push(reader);
    await reader.start();
    const countStored = async () =>
      (await admin.fetchTopicOffsets(config.topic)).reduce((sum, { high }) => sum + Number(high), 0);
    await eventually(async () => expect(received).toHaveLength(await countStored()));
    const { groups } = await admin.listGroups();
    const groupId = groups.find((group) => group.groupId.startsWith(config.topic))?.groupId ?? '';
    // A second member takes some of the partitions and returns them, so the reader joins twice.
    const member = client.consumer({ groupId, maxWaitTimeInMs: 200 });
    const hasJoined = new Promise((resolve) => member.on(member.events.GROUP_JOIN, resolve));
    await member.connect();
    await member.subscribe({ topics: [config.topic] });
    await member.run({ autoCommit: false, eachBatch: () => Promise.resolve() });
    await hasJoined;
    await member.disconnect();
    await publish(publisher, 100, 120);
    await eventually(async () => expect(new Set(received).size).toBe(await countStored()));
    expect(received).toHaveLength(new Set(received).size);
  });

  test('followers skip records of other producers', async () => {
    const publisher = await openPublisher();
    const follower = follow(await openFeed());
    await publish(publisher, 0, 10);
    const producer = client.producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    await producer.send({
      topic: config.topic,
      messages: [{ value: 'not ours' }, { value: null, headers: { position: 'nor this' } }],
    });
    await producer.disconnect();
    await publish(publisher, 10, 20);
    await follower.waitForPosition(positionOf(20));
    expect(numbers(follower.messages)).toEqual(range(1, 20));
    await follower.stop();
  });

  test('followers receive each message once while relays start, stop and run in parallel', async () => {
    const relayedStore = await openRelayedStore(config);
    const followers = [follow(relayedStore.feed), follow(await relayedStore.openAnotherFeed())];
    for (const follower of followers) await follower.startPosition;
    const ads = adsNamed(uniqueName('ad'), 60);
    for (let n = 0; n < ads.length; n += 10) {
      const other = await relayedStore.startRelay();
      const last = await bump(relayedStore.store, ads.slice(n, n + 10));
      for (const follower of followers) await follower.waitForPosition(last);
      await other.stop();
    }
    for (const follower of followers) {
      expect(follower.messages.map(adIdOf)).toEqual(ads);
      expect(follower.gapPositions).toEqual([]);
      expect(follower.batches.filter(({ isLogReplaced }) => isLogReplaced)).toEqual([]);
      await follower.stop();
    }
    await relayedStore.close();
  });

  test.each([2, 5, 8])(
    'followers start again after the log has lost 5 events and received %i others',
    async (added) => {
      const relayedStore = await openRelayedStore(config);
      const follower = follow(relayedStore.feed);
      await follower.startPosition;
      const served = await serveLiveChannel({
        feed: await relayedStore.openAnotherFeed(),
        store: relayedStore.openAnother(),
      });
      const client = await connectLive(served.url);
      const [common, lost, later] = ['common', 'lost', 'later'].map((name) => adsNamed(uniqueName(name), 5));
      const commonEnd = await bump(relayedStore.store, common ?? []);
      const lostEnd = await bump(relayedStore.store, lost ?? []);
      await follower.waitForPosition(lostEnd);
      const lastLost = await client.next((message) => adIdOf(message) === lost?.at(-1));

      await relayedStore.rewindTo(commonEnd);
      const other = relayedStore.openAnother();
      const fresh = adsNamed(uniqueName('new'), added);
      await bump(other, fresh);

      const deliveredAgain = () => {
        const start = follower.batches.findLastIndex(({ isLogReplaced }) => isLogReplaced);
        return start === -1 ? [] : follower.batches.slice(start).flatMap(({ messages }) => messages.map(adIdOf));
      };
      await eventually(() => expect(deliveredAgain().slice(-added)).toEqual(fresh));
      expect(deliveredAgain().filter((ad) => lost?.includes(ad))).toEqual([]);
      expect(await client.closed).toBe(LIVE_CLOSE_CODES.tooOld);
      // A client that was not connected during the change recognizes it as well.
      const disconnected = await connectLive(served.url, { since: lastLost.seq });
      expect(await disconnected.closed).toBe(LIVE_CLOSE_CODES.tooOld);
      const reloaded = await connectLive(served.url);
      await bump(other, later ?? []);
      await reloaded.next((message) => adIdOf(message) === later?.at(-1));
      expect(reloaded.messages.map(adIdOf)).toEqual(later);
      reloaded.close();
      await follower.stop();
      await served.stop();
      await relayedStore.close();
    },
  );

  test('a client of the live channel resumes at another process without loss', async () => {
    const relayedStore = await openRelayedStore(config);
    const channels = [
      await serveLiveChannel({ feed: relayedStore.feed, store: relayedStore.store, waitForFeed_ms: 20_000 }),
      await serveLiveChannel({
        feed: await relayedStore.openAnotherFeed(),
        store: relayedStore.openAnother(),
        waitForFeed_ms: 20_000,
      }),
    ] as const;
    const received: string[] = [];
    const written: string[] = [];
    let since: string | null = null;
    for (let turn = 0; turn < 6; turn += 1) {
      const client = await connectLive(channels[turn % 2 === 0 ? 0 : 1].url, since === null ? {} : { since });
      const ads = adsNamed(uniqueName('ad'), 10);
      written.push(...ads);
      await bump(relayedStore.store, ads);
      // The client disconnects before it has received all messages. It must receive the remaining messages from the
      // other process.
      await client.next((message) => adIdOf(message) === ads[4]);
      client.close();
      received.push(...client.messages.map(adIdOf));
      since = client.messages.at(-1)?.seq ?? null;
    }
    const last = await connectLive(channels[0].url, { since: since ?? '' });
    const marker = uniqueName('last');
    await bump(relayedStore.store, [marker]);
    await last.next((message) => adIdOf(message) === marker);
    received.push(...last.messages.map(adIdOf));
    expect(received).toEqual([...written, marker]);
    last.close();
    for (const channel of channels) await channel.stop();
    await relayedStore.close();
  });
}
