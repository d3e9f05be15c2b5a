import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreUnavailable, LIVE_CLOSE_CODES, type EventStore, type LiveMessage } from '@alpenglow/domain';
import { createMemoryEventStore } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive, type LiveClient } from '../support/live.ts';
import {
  createManualFeed,
  liveBatch,
  positionOf,
  serveLiveChannel,
  type ServedChannel,
} from '../support/live-channel.ts';
import { adsNamed, bump } from '../support/live-events.ts';

const rejectAsStopped = () => Promise.reject(new EventStoreUnavailable('stopped'));
const stoppedStore = {
  ...createMemoryEventStore(),
  readHead: vi.fn(rejectAsStopped),
  readAll: vi.fn(rejectAsStopped),
} satisfies EventStore;
const ads = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `ad-${from + n}`);
const about = (n: number) => (message: LiveMessage) => adIdOf(message) === `ad-${n}`;
const receivedAds = (client: LiveClient) => client.messages.map(adIdOf);

let feed: ReturnType<typeof createManualFeed>;
let served: ServedChannel;

/** Serves a live channel that has already received the events at the positions 6 to 10. */
async function serve(store: EventStore = stoppedStore): Promise<void> {
  feed = createManualFeed();
  served = await serveLiveChannel({ feed, store });
  feed.give(liveBatch(5, 10));
  await connectLive(served.url).then((client) => client.close());
}
const connect = (query: Record<string, string> = {}) => connectLive(served.url, query);

afterEach(() => served.stop());

describe('the live channel with a stopped event store', () => {
  beforeEach(() => serve());
  afterEach(() => {
    stoppedStore.readHead.mockClear();
    stoppedStore.readAll.mockClear();
  });

  test('sends new messages to a client, and stored messages to a client that resumes', async () => {
    const fresh = await connect();
    const resumed = await connect({ since: positionOf(7) });
    const atEdge = await connect({ since: positionOf(5) });
    feed.give(liveBatch(10, 12));
    for (const client of [fresh, resumed, atEdge]) await client.next(about(12));
    expect(receivedAds(fresh)).toEqual(ads(11, 12));
    expect(receivedAds(resumed)).toEqual(ads(8, 12));
    expect(receivedAds(atEdge)).toEqual(ads(6, 12));
    expect(stoppedStore.readHead).not.toHaveBeenCalled();
    expect(stoppedStore.readAll).not.toHaveBeenCalled();
  });

  test('closes a client with 1011 if its position is before the buffer, so that it reconnects from there', async () => {
    expect(await (await connect({ since: positionOf(2) })).closed).toBe(1011);
  });

  test('sends only newer messages to a client that is ahead of the channel', async () => {
    const ahead = await connect({ since: positionOf(12) });
    const furtherAhead = await connect({ since: positionOf(14) });
    feed.give(liveBatch(10, 13));
    await ahead.next(about(13));
    feed.give(liveBatch(13, 16));
    for (const client of [ahead, furtherAhead]) await client.next(about(16));
    expect(receivedAds(ahead)).toEqual(ads(13, 16));
    expect(receivedAds(furtherAhead)).toEqual(ads(15, 16));
  });

  test('closes all clients with 1012 when the feed restarts, and clears its buffer', async () => {
    const clients = [
      await connect(),
      await connect({ since: positionOf(8) }),
      await connect({ since: positionOf(30) }),
    ];
    feed.give(liveBatch(20, 22));
    for (const client of clients) expect(await client.closed).toBe(1012);
    const resumed = await connect({ since: positionOf(21) });
    await resumed.next(about(22));
    expect(receivedAds(resumed)).toEqual(['ad-22']);
    expect(await (await connect({ since: positionOf(10) })).closed).toBe(1011);
  });

  test('advances through a batch without messages', async () => {
    feed.give({ after: positionOf(10), messages: [], through: positionOf(40) });
    const client = await connect({ since: positionOf(40) });
    feed.give(liveBatch(40, 41));
    await client.next(about(41));
    expect(receivedAds(client)).toEqual(['ad-41']);
  });

  test('closes a client that reads nothing without delaying other clients', async () => {
    const slow = await connect();
    const quick = await connect();
    slow.pause();
    const padding = 'x'.repeat(100_000);
    for (let n = 10; n < 200; n += 1) {
      const {
        messages: [message],
        ...batch
      } = liveBatch(n, n + 1);
      if (message) feed.give({ ...batch, messages: [{ ...message, at: padding }] });
      await quick.next(about(n + 1));
    }
    slow.resume();
    expect(await slow.closed).toBe(LIVE_CLOSE_CODES.tooSlow);
    expect(receivedAds(quick)).toEqual(ads(11, 200));
  });
});

test('does not close a reading client after a large batch', async () => {
  await serve();
  const client = await connect();
  const { messages, ...batch } = liveBatch(10, 5_010);
  feed.give({ ...batch, messages: messages.map((message) => ({ ...message, at: 'x'.repeat(1_000) })) });
  await client.next(about(5_010));
  expect(receivedAds(client)).toEqual(ads(11, 5_010));
});

test('rejects a position beyond the head of the store, unless the feed delivers it in the meantime', async () => {
  const store = createMemoryEventStore();
  await bump(store, adsNamed('ad', 12));
  await serve(store);
  const client = await connect({ since: positionOf(12) });
  const beyond = await connect({ since: positionOf(13) });
  expect(await beyond.closed).toBe(LIVE_CLOSE_CODES.tooOld);
  feed.give(liveBatch(10, 13));
  await client.next(about(13));
  expect(receivedAds(client)).toEqual(['ad-13']);
});

test('sends messages from the store, then from the buffer, then new ones', async () => {
  const store = createMemoryEventStore();
  await bump(
    store,
    Array.from({ length: 10 }, (_, n) => `ad-${n + 1}`),
  );
  await serve(store);
  const client = await connect({ since: positionOf(1) });
  await client.next(about(10));
  feed.give(liveBatch(10, 11));
  await client.next(about(11));
  expect(receivedAds(client)).toEqual(ads(2, 11));
});

test('reads the store once for several clients that resume from the same position', async () => {
  const store = createMemoryEventStore();
  await bump(
    store,
    Array.from({ length: 10 }, (_, n) => `ad-${n + 1}`),
  );
  let reads = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await serve({
    ...store,
    readAll: async (options) => {
      reads += 1;
      await released;
      return store.readAll(options);
    },
  });
  feed.give({ after: positionOf(10), messages: [], through: positionOf(10) });
  const clients = await Promise.all(Array.from({ length: 50 }, () => connect({ since: positionOf(2) })));
  await eventually(() => expect(reads).toBe(1));
  release();
  for (const client of clients) await client.next(about(10));
  expect(reads).toBe(1);
  for (const client of clients) expect(receivedAds(client)).toEqual(Array.from({ length: 8 }, (_, n) => `ad-${n + 3}`));
});

test('closes with tooOld for a position that the store cannot read', async () => {
  await serve({ ...stoppedStore, readAll: () => Promise.reject(new TypeError('not a position of this store')) });
  expect(await (await connect({ since: '0'.repeat(20) + '/' + '0'.repeat(20) })).closed).toBe(LIVE_CLOSE_CODES.tooOld);
});

test('connects early clients when the feed starts, without missing messages', async () => {
  feed = createManualFeed();
  served = await serveLiveChannel({ feed, store: stoppedStore, waitForFeed_ms: 300 });
  await expect(connect()).rejects.toThrow(/503/u);
  await served.stop();
  feed = createManualFeed();
  served = await serveLiveChannel({ feed, store: stoppedStore });
  const connecting = [connect(), connect({ since: positionOf(6) })] as const;
  await pause(50);
  feed.give(liveBatch(5, 7));
  const [fresh, resuming] = await Promise.all(connecting);
  feed.give(liveBatch(7, 8));
  for (const client of [fresh, resuming]) await client.next(about(8));
  expect(receivedAds(fresh)).toEqual(['ad-8']);
  expect(receivedAds(resuming)).toEqual(ads(7, 8));
});

test('sends messages that arrive during the token lookup', async () => {
  feed = createManualFeed();
  let resolveSession: (session: unknown) => void = () => undefined;
  served = await serveLiveChannel({
    feed,
    store: stoppedStore,
    findByToken: () => new Promise((resolve) => (resolveSession = resolve)),
  });
  feed.give(liveBatch(5, 6));
  const client = await connect({ token: 'a'.repeat(43) });
  const other = await connect();
  feed.give(liveBatch(6, 8));
  await other.next(about(8));
  resolveSession({});
  feed.give(liveBatch(8, 9));
  await client.next(about(9));
  expect(receivedAds(client)).toEqual(ads(7, 9));
});

test('sends a message after its read models have processed it, without waiting for other read models', async () => {
  feed = createManualFeed();
  const waits: string[] = [];
  let release: () => void = () => undefined;
  const waitFor = (projection: string, position: string) => {
    waits.push(`${projection} ${Number(position)}`);
    return projection === 'community_posts' ? new Promise<void>((resolve) => (release = resolve)) : Promise.resolve();
  };
  served = await serveLiveChannel({ feed, store: stoppedStore, waitFor });
  feed.give(liveBatch(5, 6));
  const client = await connect();
  const reply: LiveMessage = {
    seq: positionOf(7),
    type: 'reply_posted',
    threadId: 't',
    number: 1,
    threadPlace: null,
    at: '2026-11-21T12:00:00.000Z',
  };
  feed.give({ after: positionOf(6), messages: [reply, ...liveBatch(7, 9).messages], through: positionOf(10) });
  await eventually(() =>
    expect(waits).toEqual(['ad_cards 6', 'ad_cards 9', 'community_threads 7', 'community_posts 7']),
  );
  await pause(50);
  expect(client.messages).toEqual([]);
  release();
  await client.next(about(9));
  expect(client.messages[0]).toEqual(reply);
});
