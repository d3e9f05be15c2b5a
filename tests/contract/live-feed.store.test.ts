import { createLogger, createStoreLiveFeed } from '@alpenglow/infra';
import type { EventStore, LiveFeed } from '@alpenglow/domain';
import { EventStoreUnavailable } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { adIdOf } from '../support/live-ads.ts';
import { adsNamed, bump, follow } from '../support/live-events.ts';
import { openPostgresEventStore } from '../support/postgres-event-store.ts';
import { describeLiveFeed } from './live-feed.ts';

const log = createLogger('silent');

describeLiveFeed('directly from the event store', async () => {
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

test('continues after an unavailable store at the start and a broken subscription', async () => {
  const events = await openPostgresEventStore();
  let failures = 2;
  const failIfDue = (): void => {
    if (failures > 0) {
      failures -= 1;
      throw new EventStoreUnavailable('unavailable');
    }
  };
  const store: EventStore = {
    ...events.store,
    readHead: async () => {
      failIfDue();
      const head = await events.store.readHead();
      failures = 1;
      return head;
    },
    async *subscribeAll(options) {
      failIfDue();
      yield* events.store.subscribeAll(options);
    },
  };
  const feed = createStoreLiveFeed({ store, log });
  const follower = follow(feed);
  await follower.startPosition;
  const ads = adsNamed('outage', 3);
  await follower.waitForPosition(await bump(events.store, ads));
  expect(follower.messages.map(adIdOf)).toEqual(ads);
  expect(failures).toBe(0);
  await follower.stop();
  await events.close();
});
