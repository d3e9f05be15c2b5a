import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger, readConfig, type KafkaConfig } from '@alpenglow/infra';
import { afterAll, describe, expect, test } from 'vitest';
import { BackingServiceUnavailable, type BackingService } from '../../launcher/engines/engine.mjs';
import { createKafka } from '../../launcher/engines/kafka.mjs';
import { openLivePublisher } from '../../infra/src/adapters/kafka/live-publisher.ts';
import { eventually } from '../support/eventually.ts';
import { uniqueName } from '../support/events.ts';
import { adIdOf } from '../support/live-ads.ts';
import { positionOf } from '../support/live-channel.ts';
import { adsNamed, bump, follow } from '../support/live-events.ts';
import { createTopicName, openRelayedStore } from '../support/relayed-store.ts';
import { openTcpLink, type TcpLink } from '../support/tcp-link.ts';

const log = createLogger('silent');

/** Warnings of the Kafka client. The list must stay empty, because every service logs such warnings. */
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));
afterAll(() => expect(warnings).toEqual([]));

/** Network link to a separate broker, because other tests use the shared broker. */
let link: TcpLink;
const ownBroker = await createKafka({
  dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-kafka-')),
  advertise: async (port) => {
    link = await openTcpLink(port);
    return link.port;
  },
}).catch((error: unknown) => {
  if (error instanceof BackingServiceUnavailable) return error;
  throw error;
});
if (ownBroker instanceof BackingServiceUnavailable) test.skip(`Kafka outages: not run, ${ownBroker.message}`);
else describe('a failing Kafka', () => testFailingBroker(ownBroker));

function testFailingBroker(broker: BackingService): void {
  const config = (): KafkaConfig => {
    const { kafka: kafkaConfig } = readConfig({
      KAFKA_BROKERS: broker.env['KAFKA_BROKERS'],
      KAFKA_TOPIC: createTopicName(),
    });
    if (kafkaConfig === null) throw new Error('The environment contains no brokers');
    return kafkaConfig;
  };
  afterAll(async () => {
    await broker.dispose();
    await link.close();
  });

  test('may be unavailable when the relay and the followers start', async () => {
    const settings = config();
    const publisher = await openLivePublisher(settings, { log });
    await expect(publisher.publish({ after: positionOf(1), messages: [], through: positionOf(1) })).rejects.toThrow(
      'The live topic cannot be written',
    );
    await publisher.close();

    const relayedStore = await openRelayedStore(settings);
    const follower = follow(relayedStore.feed);
    await pause(2_000);
    expect(follower.batches).toEqual([]);
    await broker.start();
    await follower.startPosition;
    const ads = adsNamed(uniqueName('ad'), 10);
    await follower.waitForPosition(await bump(relayedStore.store, ads), 30_000);
    expect(follower.messages.map(adIdOf)).toEqual(ads);
    await follower.stop();
    await relayedStore.close();
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'is stopped with %s and restarted several times: two followers of two relays get each message once, in order',
    async (signal) => {
      const relayedStore = await openRelayedStore(config());
      const other = await relayedStore.startRelay();
      const followers = [follow(relayedStore.feed), follow(await relayedStore.openAnotherFeed())];
      for (const follower of followers) await follower.startPosition;
      const writing = new AbortController();
      const written: string[] = [];
      const writers = [1, 2, 3].map(async () => {
        while (!writing.signal.aborted) {
          const ad = uniqueName('ad');
          await bump(relayedStore.store, [ad]);
          written.push(ad);
          await pause(5);
        }
      });
      for (let round = 0; round < 3; round += 1) {
        await pause(1_000);
        await broker.stop(signal);
        await pause(round * 1_500);
        await broker.start();
      }
      await pause(1_000);
      writing.abort();
      await Promise.all(writers);
      const last = await bump(relayedStore.store, [uniqueName('last')]);
      const recorded: string[] = [];
      for (let after = await (followers[0]?.startPosition ?? Promise.reject(new Error('none'))); ; ) {
        const page = await relayedStore.store.readAll({ after });
        if (page.length === 0) break;
        recorded.push(...page.map(({ data }) => (data as { adId: string }).adId));
        after = page.at(-1)?.position ?? after;
      }
      for (const follower of followers) {
        await follower.waitForPosition(last, 60_000);
        expect(follower.gapPositions).toEqual([]);
        expect(follower.messages.map(adIdOf)).toEqual(recorded.slice(-follower.messages.length));
        expect(follower.messages.length).toBeGreaterThan(written.length - 20);
        await follower.stop();
      }
      await other.stop();
      await relayedStore.close();
    },
  );

  test('does not delay the shutdown if it is unavailable', async () => {
    const relayedStore = await openRelayedStore(config());
    const follower = follow(relayedStore.feed);
    await follower.startPosition;
    await broker.stop('SIGKILL');
    await bump(relayedStore.store, [uniqueName('ad')]);
    await pause(500);
    await follower.stop();
    await relayedStore.close();
    await broker.start();
  });

  test('stops responding with all connections open, and delivers all messages afterwards', async () => {
    const relayedStore = await openRelayedStore(config());
    const follower = follow(relayedStore.feed);
    await follower.startPosition;
    await follower.waitForPosition(await bump(relayedStore.store, adsNamed(uniqueName('ad'), 5)));
    link.discardData();
    const missed = adsNamed(uniqueName('ad'), 5);
    await bump(relayedStore.store, missed);
    await pause(12_000);
    expect(follower.messages).toHaveLength(5);
    link.restore();
    await follower.waitForPosition(await relayedStore.store.readHead(), 60_000);
    expect(follower.messages.slice(5).map(adIdOf)).toEqual(missed);
    expect(follower.gapPositions).toEqual([]);
    await follower.stop();
    await relayedStore.close();
  });

  test('responds to a relay after its time limit: the producer is closed anyway', async () => {
    const settings = config();
    const before = link.connections();
    const publisher = await openLivePublisher(settings, { log });
    // Every single response arrives within its time limit, but the whole publication takes longer than its limit.
    link.delayData(2_500);
    const error = await publisher.publish({ after: positionOf(1), messages: [], through: positionOf(1) }).then(
      () => null,
      (error: unknown) => error as Error,
    );
    expect(String(error?.cause)).toContain('did not respond within');
    expect(link.connections()).toBeGreaterThan(before);
    const expectConnectionsClosed = async () => {
      expect(link.connections()).toBe(before);
      // The producer may connect after the connection that creates the topic is closed. The number of connections is
      // therefore checked again.
      await pause(4_000);
      expect(link.connections()).toBe(before);
    };
    await eventually(expectConnectionsClosed);
    link.restore();
    await publisher.close();
  });
}
