import { createLogger, createStoreLiveFeed } from '@alpenglow/infra';
import type { EventStore, LiveFeed } from '@alpenglow/domain';
import { EventStoreUnavailable } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { adIdOf } from '../support/live-ads.ts';
import { adsNamed, bump, follow } from '../support/live-events.ts';
import { openPostgresEventStore } from '../support/postgres-event-store.ts';
import { describeLiveFeed } from './live-feed.ts';

const log = createLogger('silent');

describeLiveFeed('straight from the event store', async () => {
  const events = await openPostgresEventStore();
  const feeds: LiveFeed[] = [];
  const open = (store: EventStore) => {
    const feed = createStoreLiveFeed({ store, log });
    feeds.push(feed);
    return feed;
  };
  return {
    store: events.store,
    feed: open(events.store),
    openAnother: async () => open(events.openAnother()),
    async close() {
      await Promise.all(feeds.map((feed) => feed.close()));
      await events.close();
    },
  };
});

test('a store that is away at first, and a subscription that breaks, are outlived', async () => {
  const events = await openPostgresEventStore();
  let faults = 2;
  const failing = (): void => {
    if (faults > 0) {
      faults -= 1;
      throw new EventStoreUnavailable('away');
    }
  };
  const store: EventStore = {
    ...events.store,
    head: async () => {
      failing();
      const head = await events.store.head();
      faults = 1;
      return head;
    },
    async *subscribeAll(options) {
      failing();
      yield* events.store.subscribeAll(options);
    },
  };
  const feed = createStoreLiveFeed({ store, log });
  const follower = follow(feed);
  await follower.begun;
  const ads = adsNamed('outage', 3);
  await follower.reached(await bump(events.store, ads));
  expect(follower.messages.map(adIdOf)).toEqual(ads);
  expect(faults).toBe(0);
  await follower.leave();
  await events.close();
});
