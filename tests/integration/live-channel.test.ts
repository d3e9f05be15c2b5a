import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreUnavailable, LIVE_CLOSE, type EventStore, type LiveMessage } from '@alpenglow/domain';
import { createMemoryEventStore } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive, type LiveClient } from '../support/live.ts';
import {
  createHandFeed,
  liveBatch,
  positionOf,
  serveLiveChannel,
  type ServedChannel,
} from '../support/live-channel.ts';
import { adsNamed, bump } from '../support/live-events.ts';

const away = () => Promise.reject(new EventStoreUnavailable('stopped'));
const stopped = { ...createMemoryEventStore(), head: vi.fn(away), readAll: vi.fn(away) } satisfies EventStore;
const ads = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `ad-${from + n}`);
const about = (n: number) => (message: LiveMessage) => adIdOf(message) === `ad-${n}`;
const told = (client: LiveClient) => client.messages.map(adIdOf);

let feed: ReturnType<typeof createHandFeed>;
let served: ServedChannel;

/** A channel that has been told of events 6 to 10. */
async function serve(store: EventStore = stopped): Promise<void> {
  feed = createHandFeed();
  served = await serveLiveChannel({ feed, store });
  feed.give(liveBatch(5, 10));
  await connectLive(served.url).then((client) => client.close());
}
const connect = (query: Record<string, string> = {}) => connectLive(served.url, query);

afterEach(() => served.stop());

describe('with the event store stopped', () => {
  beforeEach(() => serve());
  afterEach(() => {
    stopped.head.mockClear();
    stopped.readAll.mockClear();
  });

  test('a client is told what follows, and one that comes back what memory holds', async () => {
    const now = await connect();
    const since = await connect({ since: positionOf(7) });
    const atEdge = await connect({ since: positionOf(5) });
    feed.give(liveBatch(10, 12));
    for (const client of [now, since, atEdge]) await client.next(about(12));
    expect(told(now)).toEqual(ads(11, 12));
    expect(told(since)).toEqual(ads(8, 12));
    expect(told(atEdge)).toEqual(ads(6, 12));
    expect(stopped.head).not.toHaveBeenCalled();
    expect(stopped.readAll).not.toHaveBeenCalled();
  });

  test('what lies before memory is asked for, in vain: the client is to try again, and keeps its place', async () => {
    expect(await (await connect({ since: positionOf(2) })).closed).toBe(1011);
  });

  test('a client that heard more elsewhere is told what follows on that', async () => {
    const ahead = await connect({ since: positionOf(12) });
    const farther = await connect({ since: positionOf(14) });
    feed.give(liveBatch(10, 13));
    await ahead.next(about(13));
    feed.give(liveBatch(13, 16));
    for (const client of [ahead, farther]) await client.next(about(16));
    expect(told(ahead)).toEqual(ads(13, 16));
    expect(told(farther)).toEqual(ads(15, 16));
  });

  test('when the feed begins anew everybody is sent away to resume, and memory begins there', async () => {
    const clients = [
      await connect(),
      await connect({ since: positionOf(8) }),
      await connect({ since: positionOf(30) }),
    ];
    feed.give(liveBatch(20, 22));
    for (const client of clients) expect(await client.closed).toBe(1012);
    const resumed = await connect({ since: positionOf(21) });
    await resumed.next(about(22));
    expect(told(resumed)).toEqual(['ad-22']);
    expect(await (await connect({ since: positionOf(10) })).closed).toBe(1011);
  });

  test('a stretch in which nothing is told moves on all the same', async () => {
    feed.give({ after: positionOf(10), messages: [], through: positionOf(40) });
    const client = await connect({ since: positionOf(40) });
    feed.give(liveBatch(40, 41));
    await client.next(about(41));
    expect(told(client)).toEqual(['ad-41']);
  });

  test('a client that reads nothing is dropped, and nobody else is held up', async () => {
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
    expect(await slow.closed).toBe(LIVE_CLOSE.tooSlow);
    expect(told(quick)).toEqual(ads(11, 200));
  });
});

test('many messages at once do not make a client that reads too slow', async () => {
  await serve();
  const client = await connect();
  const { messages, ...batch } = liveBatch(10, 5_010);
  feed.give({ ...batch, messages: messages.map((message) => ({ ...message, at: 'x'.repeat(1_000) })) });
  await client.next(about(5_010));
  expect(told(client)).toEqual(ads(11, 5_010));
});

test('a position beyond the head of the store is refused; one told since that was read is not', async () => {
  const store = createMemoryEventStore();
  await bump(store, adsNamed('ad', 12));
  await serve(store);
  const client = await connect({ since: positionOf(12) });
  const beyond = await connect({ since: positionOf(13) });
  expect(await beyond.closed).toBe(LIVE_CLOSE.tooOld);
  feed.give(liveBatch(10, 13));
  await client.next(about(13));
  expect(told(client)).toEqual(['ad-13']);
});

test('what lies before memory comes from the store, then memory, then what is new', async () => {
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
  expect(told(client)).toEqual(ads(2, 11));
});

test('many who come back from one position share one read of the store', async () => {
  const store = createMemoryEventStore();
  await bump(
    store,
    Array.from({ length: 10 }, (_, n) => `ad-${n + 1}`),
  );
  let reads = 0;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await serve({
    ...store,
    readAll: async (options) => {
      reads += 1;
      await held;
      return store.readAll(options);
    },
  });
  feed.give({ after: positionOf(10), messages: [], through: positionOf(10) });
  const clients = await Promise.all(Array.from({ length: 50 }, () => connect({ since: positionOf(2) })));
  await eventually(() => expect(reads).toBe(1));
  release();
  for (const client of clients) await client.next(about(10));
  expect(reads).toBe(1);
  for (const client of clients) expect(told(client)).toEqual(Array.from({ length: 8 }, (_, n) => `ad-${n + 3}`));
});

test('a position the store cannot read from, as of an earlier store, is told to reload', async () => {
  await serve({ ...stopped, readAll: () => Promise.reject(new TypeError('no position of this store')) });
  expect(await (await connect({ since: '0'.repeat(20) + '/' + '0'.repeat(20) })).closed).toBe(LIVE_CLOSE.tooOld);
});

test('a client that comes before the feed has begun is connected once it has, and then misses nothing', async () => {
  feed = createHandFeed();
  served = await serveLiveChannel({ feed, store: stopped, waitForFeed_ms: 300 });
  await expect(connect()).rejects.toThrow(/503/u);
  await served.stop();
  feed = createHandFeed();
  served = await serveLiveChannel({ feed, store: stopped });
  const connecting = [connect(), connect({ since: positionOf(6) })] as const;
  await pause(50);
  feed.give(liveBatch(5, 7));
  const [fresh, resuming] = await Promise.all(connecting);
  feed.give(liveBatch(7, 8));
  for (const client of [fresh, resuming]) await client.next(about(8));
  expect(told(fresh)).toEqual(['ad-8']);
  expect(told(resuming)).toEqual(ads(7, 8));
});

test('what is told while a token is looked up is told to its client, too', async () => {
  feed = createHandFeed();
  let answer: (session: unknown) => void = () => undefined;
  served = await serveLiveChannel({
    feed,
    store: stopped,
    byToken: () => new Promise((resolve) => (answer = resolve)),
  });
  feed.give(liveBatch(5, 6));
  const client = await connect({ token: 'a'.repeat(43) });
  const other = await connect();
  feed.give(liveBatch(6, 8));
  await other.next(about(8));
  answer({});
  feed.give(liveBatch(8, 9));
  await client.next(about(9));
  expect(told(client)).toEqual(ads(7, 9));
});

test('a message is told once every list it is about shows it, and waits for no other', async () => {
  feed = createHandFeed();
  const asked: string[] = [];
  let show: () => void = () => undefined;
  const waitFor = (projection: string, position: string) => {
    asked.push(`${projection} ${Number(position)}`);
    return projection === 'community_posts' ? new Promise<void>((resolve) => (show = resolve)) : Promise.resolve();
  };
  served = await serveLiveChannel({ feed, store: stopped, waitFor });
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
    expect(asked).toEqual(['ad_cards 6', 'ad_cards 9', 'community_threads 7', 'community_posts 7']),
  );
  await pause(50);
  expect(client.messages).toEqual([]);
  show();
  await client.next(about(9));
  expect(client.messages[0]).toEqual(reply);
});
