import { randomUUID } from 'node:crypto';
import type { LiveFeed } from '@alpenglow/domain';
import { createLogger, type KafkaConfig } from '@alpenglow/infra';
import { runLiveRelay } from '@alpenglow/projectors';
import { openKafkaLiveFeed } from '../../infra/src/adapters/kafka/live-feed.ts';
import { openLivePublisher } from '../../infra/src/adapters/kafka/live-publisher.ts';
import { anEvent, uniqueName } from './events.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from './postgres-event-store.ts';
import { runWithRetries } from './run-with-retries.ts';

const log = createLogger('silent');
/**
 * Time after which an idle relay publishes its position. It is short, so that a follower of a new topic starts soon.
 */
const IDLE_ms = 300;

/** Returns the name of a topic that no other test uses. */
export function createTopicName(): string {
  return `test.${randomUUID()}`;
}

export interface RelayedStore extends PostgresEventStoreFixture {
  readonly feed: LiveFeed;
  openAnotherFeed(): Promise<LiveFeed>;
  /** Starts a second relay, as in another process. */
  startRelay(): Promise<{ readonly failures: readonly Error[]; stop(): Promise<void> }>;
}

/** Creates an event store with a relay that publishes its events to a topic. The feeds read this topic. */
export async function openRelayedStore(config: KafkaConfig): Promise<RelayedStore> {
  const events = await openPostgresEventStore();
  // As in an installation, the log is not empty. After a loss of later events, the relay can return to this one.
  await events.store.append(uniqueName('first'), [anEvent()], { expectedRevision: 'no-stream' });
  const feeds: LiveFeed[] = [];
  const stops: (() => Promise<void>)[] = [];
  async function openFeed(): Promise<LiveFeed> {
    const feed = openKafkaLiveFeed(config, { store: events.openAnother(), log });
    feeds.push(feed);
    return feed;
  }
  async function startRelay() {
    const publisher = await openLivePublisher(config, { log });
    const running = runWithRetries((signal) =>
      runLiveRelay({ store: events.openAnother(), pool: events.pool, publisher, log, idle_ms: IDLE_ms }, signal),
    );
    const stop = async () => {
      await running.stop();
      await publisher.close();
    };
    stops.push(stop);
    return { failures: running.failures, stop };
  }
  await startRelay();
  return {
    ...events,
    feed: await openFeed(),
    openAnotherFeed: openFeed,
    startRelay,
    async close() {
      await Promise.all(feeds.map((feed) => feed.close()));
      await Promise.all(stops.map((stop) => stop()));
      await events.close();
    },
  };
}
