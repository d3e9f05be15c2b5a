import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LiveFeed, LivePublisher } from '@alpenglow/domain';
import { createLogger, readConfig, type KafkaConfig } from '@alpenglow/infra';
import { runRelay } from '@alpenglow/projectors';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EngineUnavailable, type Engine } from '../../infra/engines/engine.mjs';
import { createKafka } from '../../infra/engines/kafka.mjs';
import { openKafkaLiveFeed } from '../../infra/src/adapters/kafka/live-feed.ts';
import { openLivePublisher } from '../../infra/src/adapters/kafka/live-publisher.ts';
import { describeLiveFeed } from '../contract/live-feed.ts';
import { eventually } from '../support/eventually.ts';
import { uniqueName } from '../support/events.ts';
import { keepTrying } from '../support/keep-trying.ts';
import { adIdOf } from '../support/live-ads.ts';
import { liveBatch, positionOf, serveLiveChannel } from '../support/live-channel.ts';
import { adsNamed, bump, follow } from '../support/live-events.ts';
import { connectLive } from '../support/live.ts';
import { openTcpLink, type TcpLink } from '../support/tcp-link.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';

const log = createLogger('silent');
/** Short, so that a follower of a new topic begins soon. */
const IDLE_ms = 300;

/** What the client of Kafka has to say of its surroundings would stand in the log of every service. */
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));
afterAll(() => expect(warnings).toEqual([]));

const { kafka } = readConfig(process.env);
if (kafka === null) test.skip('Kafka: not run, KAFKA_BROKERS is not set');
else {
  describeLiveFeed('from Kafka, over a relay', () => openRelayed({ ...kafka, topic: aTopic(), partitions: 6 }));
  describeLiveFeed('from Kafka, over a relay, in one partition', () =>
    openRelayed({ ...kafka, topic: aTopic(), partitions: 1 }),
  );
  describe('the live topic', () => onTopics(kafka));
}

/** Outages are made on a broker of our own, behind a link. */
let link: TcpLink;
const own = await createKafka({
  dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-kafka-')),
  advertise: async (port) => {
    link = await openTcpLink(port);
    return link.port;
  },
}).catch((error: unknown) => {
  if (error instanceof EngineUnavailable) return error;
  throw error;
});
if (own instanceof EngineUnavailable) test.skip(`Kafka outages: not run, ${own.message}`);
else describe('a Kafka that fails', () => thatFails(own));

function aTopic(): string {
  return `test.${randomUUID()}`;
}

interface Relayed extends PostgresEventStoreFixture {
  readonly feed: LiveFeed;
  openAnotherFeed(): Promise<LiveFeed>;
  /** A relay as another process has it, beside the first. */
  relay(): Promise<{ readonly failures: readonly Error[]; stop(): Promise<void> }>;
}

/** An event store whose events are relayed to a topic, and feeds from there. */
async function relayed(config: KafkaConfig): Promise<Relayed> {
  const events = await openPostgresEventStore();
  const feeds: LiveFeed[] = [];
  const stops: (() => Promise<void>)[] = [];
  async function openFeed(): Promise<LiveFeed> {
    const feed = openKafkaLiveFeed(config, { log });
    feeds.push(feed);
    return feed;
  }
  async function relay() {
    const publisher = await openLivePublisher(config, { log });
    const running = keepTrying((signal) =>
      runRelay({ store: events.openAnother(), pool: events.pool, publisher, log, idle_ms: IDLE_ms }, signal),
    );
    const stop = async () => {
      await running.stop();
      await publisher.close();
    };
    stops.push(stop);
    return { failures: running.failures, stop };
  }
  await relay();
  return {
    ...events,
    feed: await openFeed(),
    openAnotherFeed: openFeed,
    relay,
    async close() {
      await Promise.all(feeds.map((feed) => feed.close()));
      await Promise.all(stops.map((stop) => stop()));
      await events.close();
    },
  };
}

async function openRelayed(config: KafkaConfig) {
  const { store, feed, openAnotherFeed, close } = await relayed(config);
  return { store, feed, openAnother: openAnotherFeed, close };
}

function adminOf({ brokers }: Pick<KafkaConfig, 'brokers'>): { readonly client: Kafka; readonly admin: Admin } {
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  return { client, admin: client.admin() };
}

function onTopics(base: KafkaConfig): void {
  const { client, admin } = adminOf(base);
  const open: { close(): Promise<void> }[] = [];
  let config: KafkaConfig;

  beforeAll(() => admin.connect());
  afterAll(() => admin.disconnect());
  beforeEach(() => {
    config = { ...base, topic: aTopic(), partitions: 6 };
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
    const feed = openKafkaLiveFeed(config, { log });
    open.push(feed);
    return feed;
  }
  /** Publishes the events after one and up to another, each of a stream named by its number modulo 20. */
  const publish = (publisher: LivePublisher, after: number, through: number) => {
    const batch = liveBatch(after, through);
    return publisher.publish({
      ...batch,
      messages: batch.messages.map((message, n) => ({ stream: `listing-${(after + n + 1) % 20}`, message })),
    });
  };
  const numbers = (messages: readonly { readonly seq: string }[]) => messages.map(({ seq }) => Number(seq));
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

  test('is made with the partitions and the retention asked for, and taken as it is when it is there', async () => {
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
    await follower.reached(positionOf(10));
    expect(numbers(follower.messages)).toEqual(range(1, 10));
    await follower.leave();
  });

  test('keeps a stream in one partition, its key the stream, its position in a header', async () => {
    const publisher = await openPublisher();
    for (let n = 0; n < 10; n += 1) await publish(publisher, n * 20, n * 20 + 20);
    const consumer = client.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 200 });
    await consumer.connect();
    await consumer.subscribe({ topics: [config.topic], fromBeginning: true });
    const partitionsOf = new Map<string, Set<number>>();
    const positionsIn = new Map<number, string[]>();
    let seen = 0;
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        if (message.value === null) return;
        seen += 1;
        const key = message.key?.toString() ?? '';
        partitionsOf.set(key, (partitionsOf.get(key) ?? new Set()).add(partition));
        const position = message.headers?.['position']?.toString() ?? '';
        expect(position).toBe((JSON.parse(message.value.toString()) as { seq: string }).seq);
        positionsIn.set(partition, [...(positionsIn.get(partition) ?? []), position]);
      },
    });
    await eventually(() => expect(seen).toBe(200));
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

  test('a relay started again from before, and one that was thought dead, are told once', async () => {
    const [first, zombie, third] = [await openPublisher(), await openPublisher(), await openPublisher()];
    const early = follow(await openFeed());
    await publish(first, 0, 0);
    await early.begun;
    await publish(first, 0, 10);
    await publish(first, 10, 20);
    // Another took over from an older checkpoint; the first one goes on, too.
    await publish(third, 5, 12);
    await publish(first, 20, 25);
    await publish(third, 12, 30);
    await publish(zombie, 3, 4);
    await Promise.all([publish(first, 25, 40), publish(third, 30, 60), publish(zombie, 4, 33)]);
    await publish(third, 60, 61);
    await early.reached(positionOf(61));
    expect(numbers(early.messages)).toEqual(range(1, 61));
    expect(early.anew).toEqual([]);
    await early.leave();

    const late = follow(await openFeed());
    await late.reached(positionOf(61));
    expect(numbers(late.messages)).toEqual(range(Number(await late.begun) + 1, 61));
    await late.leave();
  });

  test('a follower begins with the recent past', async () => {
    const publisher = await openPublisher();
    await publish(publisher, 0, 100);
    const follower = follow(await openFeed());
    await follower.reached(positionOf(100));
    expect(await follower.begun).toBe(positionOf(0));
    expect(numbers(follower.messages)).toEqual(range(1, 100));
    await follower.leave();
  });

  test('where the log leaves something out, telling begins anew after it', async () => {
    const publisher = await openPublisher();
    const follower = follow(await openFeed());
    await publish(publisher, 0, 10);
    await follower.reached(positionOf(10));
    await publish(publisher, 15, 20);
    await follower.reached(positionOf(20));
    expect(follower.anew).toEqual([positionOf(15)]);
    expect(numbers(follower.messages)).toEqual([...range(1, 10), ...range(16, 20)]);
    await follower.leave();
  });

  test('a log that was emptied, and a topic that was removed, are begun anew with what comes', async () => {
    const publisher = await openPublisher();
    const staying = follow(await openFeed());
    await publish(publisher, 0, 10);
    await staying.reached(positionOf(10));
    const ends = await admin.fetchTopicOffsets(config.topic);
    await admin.deleteTopicRecords({
      topic: config.topic,
      partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
    });
    const late = follow(await openFeed());
    await pause(1_000);
    expect(late.batches).toEqual([]);
    await publish(publisher, 10, 12);
    for (const follower of [staying, late]) await follower.reached(positionOf(12));
    expect(numbers(staying.messages)).toEqual(range(1, 12));
    expect(numbers(late.messages)).toEqual([11, 12]);
    await late.leave();

    await admin.deleteTopics({ topics: [config.topic] });
    const again = keepTrying(
      async () => {
        await publish(publisher, 20, 25);
        await publish(publisher, 25, 25);
      },
      { retry_ms: 500 },
    );
    await staying.reached(positionOf(25), 60_000);
    expect(staying.anew.at(-1)).toBe(positionOf(20));
    expect(numbers(staying.messages)).toEqual([...range(1, 12), ...range(21, 25)]);
    await again.stop();
    await staying.leave();
  });

  test('a topic that was given more partitions is written and read whole, by those who knew of fewer, too', async () => {
    const publisher = await openPublisher({ metadataAge_ms: 2_000 });
    const follower = follow(await openFeed());
    await publish(publisher, 0, 10);
    await follower.reached(positionOf(10));
    await admin.createPartitions({ topicPartitions: [{ topic: config.topic, count: 9 }] });
    const newer = await openPublisher();
    await publish(newer, 10, 10);
    await publish(newer, 10, 40);
    const late = follow(await openFeed());
    for (const one of [late, follower]) await one.reached(positionOf(40));
    // The first relay notices, and is refused until it has.
    const older = keepTrying(async () => publish(publisher, 40, 60), { retry_ms: 1_000 });
    for (const one of [late, follower]) await one.reached(positionOf(60), 60_000);
    await older.stop();
    expect(numbers(follower.messages)).toEqual(range(1, 60));
    expect(follower.anew).toEqual([]);
    expect(numbers(late.messages)).toEqual(range(Number(await late.begun) + 1, 60));
    for (const one of [late, follower]) await one.leave();
  });

  test('a follower that lags far behind does not fill memory, and misses nothing', async () => {
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
    await follower.reached(positionOf(COUNT), 60_000);
    expect(numbers(follower.messages)).toEqual(range(1, COUNT));
    expect(Math.max(...batches)).toBeLessThan(18_000);
    await follower.leave();
  });

  test('records of somebody else are passed over', async () => {
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
    await follower.reached(positionOf(20));
    expect(numbers(follower.messages)).toEqual(range(1, 20));
    await follower.leave();
  });

  test('a client of the live channel goes on at another process where it was', async () => {
    const here = await relayed(config);
    const channels = [
      await serveLiveChannel({ feed: here.feed, store: here.store, waitForFeed_ms: 20_000 }),
      await serveLiveChannel({ feed: await here.openAnotherFeed(), store: here.openAnother(), waitForFeed_ms: 20_000 }),
    ] as const;
    const told: string[] = [];
    const written: string[] = [];
    let since: string | null = null;
    for (let turn = 0; turn < 6; turn += 1) {
      const client = await connectLive(channels[turn % 2 === 0 ? 0 : 1].url, since === null ? {} : { since });
      const ads = adsNamed(uniqueName('ad'), 10);
      written.push(...ads);
      await bump(here.store, ads);
      // It leaves in the midst of them.
      await client.next((message) => adIdOf(message) === ads[4]);
      client.close();
      told.push(...client.messages.map(adIdOf));
      since = client.messages.at(-1)?.seq ?? null;
    }
    const last = await connectLive(channels[0].url, { since: since ?? '' });
    const marker = uniqueName('last');
    await bump(here.store, [marker]);
    await last.next((message) => adIdOf(message) === marker);
    told.push(...last.messages.map(adIdOf));
    expect(told).toEqual([...written, marker]);
    last.close();
    for (const channel of channels) await channel.stop();
    await here.close();
  });
}

function thatFails(engine: Engine): void {
  const config = (): KafkaConfig => {
    const { kafka: found } = readConfig({ KAFKA_BROKERS: engine.env['KAFKA_BROKERS'], KAFKA_TOPIC: aTopic() });
    if (found === null) throw new Error('No brokers');
    return found;
  };
  afterAll(async () => {
    await engine.dispose();
    await link.close();
  });

  test('may be away when everything starts', async () => {
    const settings = config();
    const publisher = await openLivePublisher(settings, { log });
    await expect(publisher.publish({ after: positionOf(1), messages: [], through: positionOf(1) })).rejects.toThrow(
      'The live topic cannot be written',
    );
    await publisher.close();

    const here = await relayed(settings);
    const follower = follow(here.feed);
    await pause(2_000);
    expect(follower.batches).toEqual([]);
    await engine.start();
    await follower.begun;
    const ads = adsNamed(uniqueName('ad'), 10);
    await follower.reached(await bump(here.store, ads), 30_000);
    expect(follower.messages.map(adIdOf)).toEqual(ads);
    await follower.leave();
    await here.close();
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'is stopped with %s and comes back, several times, while two relays and two followers are at work: everything is told once, in order',
    async (signal) => {
      const here = await relayed(config());
      const other = await here.relay();
      const followers = [follow(here.feed), follow(await here.openAnotherFeed())];
      for (const follower of followers) await follower.begun;
      const writing = new AbortController();
      const written: string[] = [];
      const writers = [1, 2, 3].map(async () => {
        while (!writing.signal.aborted) {
          const ad = uniqueName('ad');
          await bump(here.store, [ad]);
          written.push(ad);
          await pause(5);
        }
      });
      for (let round = 0; round < 3; round += 1) {
        await pause(1_000);
        await engine.stop(signal);
        await pause(round * 1_500);
        await engine.start();
      }
      await pause(1_000);
      writing.abort();
      await Promise.all(writers);
      const last = await bump(here.store, [uniqueName('last')]);
      const recorded: string[] = [];
      for (let after = await (followers[0]?.begun ?? Promise.reject(new Error('none'))); ; ) {
        const page = await here.store.readAll({ after });
        if (page.length === 0) break;
        recorded.push(...page.map(({ data }) => (data as { adId: string }).adId));
        after = page.at(-1)?.position ?? after;
      }
      for (const follower of followers) {
        await follower.reached(last, 60_000);
        expect(follower.anew).toEqual([]);
        expect(follower.messages.map(adIdOf)).toEqual(recorded.slice(-follower.messages.length));
        expect(follower.messages.length).toBeGreaterThan(written.length - 20);
        await follower.leave();
      }
      await other.stop();
      await here.close();
    },
  );

  test('is no reason to wait when everything ends', async () => {
    const here = await relayed(config());
    const follower = follow(here.feed);
    await follower.begun;
    await engine.stop('SIGKILL');
    await bump(here.store, [uniqueName('ad')]);
    await pause(500);
    await follower.leave();
    await here.close();
    await engine.start();
  });

  test('falls silent, with every connection still open, and is heard again', async () => {
    const here = await relayed(config());
    const follower = follow(here.feed);
    await follower.begun;
    await follower.reached(await bump(here.store, adsNamed(uniqueName('ad'), 5)));
    link.fallSilent();
    const missed = adsNamed(uniqueName('ad'), 5);
    await bump(here.store, missed);
    await pause(12_000);
    expect(follower.messages).toHaveLength(5);
    link.mend();
    await follower.reached(await here.store.head(), 60_000);
    expect(follower.messages.slice(5).map(adIdOf)).toEqual(missed);
    expect(follower.anew).toEqual([]);
    await follower.leave();
    await here.close();
  });

  test('answers a relay that has given up meanwhile: its producer is closed all the same', async () => {
    const settings = config();
    const before = link.connections();
    const publisher = await openLivePublisher(settings, { log });
    // Each answer comes in time, all of them together do not.
    link.slowDown(2_500);
    const refusal = await publisher.publish({ after: positionOf(1), messages: [], through: positionOf(1) }).then(
      () => null,
      (error: unknown) => error as Error,
    );
    expect(String(refusal?.cause)).toContain('did not answer within');
    expect(link.connections()).toBeGreaterThan(before);
    const areClosed = async () => {
      expect(link.connections()).toBe(before);
      // The producer connects a moment after the connection that made the topic is closed.
      await pause(4_000);
      expect(link.connections()).toBe(before);
    };
    await eventually(areClosed);
    link.mend();
    await publisher.close();
  });
}
