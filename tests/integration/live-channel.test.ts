import { setTimeout as pause } from 'node:timers/promises';
import {
  EventStoreUnavailable,
  LIVE_CLOSE_CODES,
  START_POSITION,
  type EventStore,
  type LiveMessage,
} from '@alpenglow/domain';
import { createPositionTokens } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CARD_READ_MODELS } from '../../query-api/src/ads/card-view.ts';
import { eventually } from '../support/eventually.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive, connectLiveOnce, type LiveClient } from '../support/live.ts';
import {
  createManualFeed,
  liveBatch,
  positionOf,
  serveLiveChannel,
  tokenOf,
  type ServedChannel,
  type LiveCaller,
} from '../support/live-channel.ts';
import { adsNamed, bump } from '../support/live-events.ts';
import { withStaleFirstReads } from '../support/stale-reads.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const rejectAsStopped = () => Promise.reject(new EventStoreUnavailable('stopped'));
const stoppedStore = {
  ...createMemoryEventStore(),
  readHead: vi.fn(rejectAsStopped),
  readAll: vi.fn(rejectAsStopped),
  findEventId: vi.fn(rejectAsStopped),
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
    stoppedStore.findEventId.mockClear();
  });

  test('sends new messages to a client, and stored messages to a client that resumes', async () => {
    const fresh = await connect();
    const resumed = await connect({ since: tokenOf(7) });
    const atEdge = await connect({ since: tokenOf(5) });
    feed.give(liveBatch(10, 12));
    for (const client of [fresh, resumed, atEdge]) await client.next(about(12));
    expect(receivedAds(fresh)).toEqual(ads(11, 12));
    expect(receivedAds(resumed)).toEqual(ads(8, 12));
    expect(receivedAds(atEdge)).toEqual(ads(6, 12));
    expect(stoppedStore.readHead).not.toHaveBeenCalled();
    expect(stoppedStore.readAll).not.toHaveBeenCalled();
  });

  test('resumes at an event in the buffer without a read, and closes with 1011 if a check fails', async () => {
    const { messages, ...batch } = liveBatch(10, 13);
    const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    feed.give({ ...batch, messages: messages.map((message, n) => ({ ...message, eventId: idOf(11 + n) })) });
    const other = await connect({ since: tokenOf(10) });
    await other.next(about(13));
    const resumed = await connect({ since: tokenOf(11, idOf(11)) });
    await resumed.next(about(13));
    expect(receivedAds(resumed)).toEqual(ads(12, 13));
    expect(stoppedStore.findEventId).not.toHaveBeenCalled();
    for (const since of [tokenOf(12, idOf(99)), tokenOf(7, idOf(7)), tokenOf(14, idOf(14))])
      expect(await (await connect({ since })).closed).toBe(1011);
    // The clients receive no id, because only the token contains it.
    expect(other.messages.flatMap((message) => ('eventId' in message ? [message] : []))).toEqual([]);
    const { openMarks } = createPositionTokens('ab'.repeat(32));
    expect(openMarks(other.messages.at(-1)?.seq ?? '')).toEqual([{ position: positionOf(13), id: idOf(13) }]);
  });

  test('closes a client with 1011 if its position is before the buffer, so that it reconnects from there', async () => {
    expect(await (await connect({ since: tokenOf(2) })).closed).toBe(1011);
  });

  test('sends only newer messages to a client that is ahead of the channel', async () => {
    const ahead = await connect({ since: tokenOf(12) });
    const furtherAhead = await connect({ since: tokenOf(14) });
    feed.give(liveBatch(10, 13));
    await ahead.next(about(13));
    feed.give(liveBatch(13, 16));
    for (const client of [ahead, furtherAhead]) await client.next(about(16));
    expect(receivedAds(ahead)).toEqual(ads(13, 16));
    expect(receivedAds(furtherAhead)).toEqual(ads(15, 16));
  });

  test('closes all clients with 1012 when the feed restarts, and clears its buffer', async () => {
    const clients = [await connect(), await connect({ since: tokenOf(8) }), await connect({ since: tokenOf(30) })];
    feed.give(liveBatch(20, 22));
    for (const client of clients) expect(await client.closed).toBe(1012);
    const resumed = await connect({ since: tokenOf(21) });
    await resumed.next(about(22));
    expect(receivedAds(resumed)).toEqual(['ad-22']);
    expect(await (await connect({ since: tokenOf(10) })).closed).toBe(1011);
  });

  test('advances through a batch without messages', async () => {
    feed.give({ after: positionOf(10), messages: [], through: positionOf(40) });
    const client = await connect({ since: tokenOf(40) });
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
  const client = await connect({ since: tokenOf(12) });
  const beyond = await connect({ since: tokenOf(13) });
  expect(await beyond.closed).toBe(LIVE_CLOSE_CODES.tooOld);
  feed.give(liveBatch(10, 13));
  await client.next(about(13));
  expect(receivedAds(client)).toEqual(['ad-13']);
});

describe('a client that resumes at an event with its id', () => {
  const store = createMemoryEventStore();
  let ids: readonly string[] = [];
  beforeEach(async () => {
    store.rewindTo(START_POSITION);
    await bump(store, adsNamed('ad', 12));
    ids = (await store.readAll({ after: START_POSITION })).map(({ id }) => id);
    await serve(store);
  });
  const since = (n: number) => tokenOf(n, ids[n - 1]);

  test('receives later messages if the log has the event, before the buffer and ahead of the channel', async () => {
    const [early, current, ahead] = [
      await connect({ since: since(3) }),
      await connect(),
      await connect({ since: since(12) }),
    ];
    feed.give(liveBatch(10, 13));
    for (const client of [early, current, ahead]) await client.next(about(13));
    expect(receivedAds(early).slice(-8)).toEqual(ads(6, 13));
    expect(early.messages).toHaveLength(10);
    expect(receivedAds(current)).toEqual(ads(11, 13));
    expect(receivedAds(ahead)).toEqual(['ad-13']);
  });

  test('must reload if the log has lost the event, also if it has another one at the position', async () => {
    store.rewindTo(positionOf(2));
    await bump(store, adsNamed('other', 2));
    for (const lost of [since(3), since(4), since(5), since(12), `${since(1)},${since(4)}`])
      expect(await (await connect({ since: lost })).closed).toBe(LIVE_CLOSE_CODES.tooOld);
    const client = await connect({ since: `${since(1)},${since(2)}` });
    await client.next(about(10));
  });

  test('receives later messages if the first read of its event is stale', async () => {
    await served.stop();
    await serve(withStaleFirstReads(store));
    const client = await connect({ since: since(9) });
    feed.give(liveBatch(10, 13));
    await client.next(about(13));
    expect(receivedAds(client)).toEqual(ads(10, 13));
  });

  test('shares a read only with clients that resume at the same event', async () => {
    await served.stop();
    const checked: (string | null)[] = [];
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    await serve({
      ...store,
      findEventId: async (position, expected) => {
        checked.push(expected);
        await finished;
        return store.findEventId(position, expected);
      },
    });
    const [client, lost] = [await connect({ since: since(9) }), await connect({ since: tokenOf(9, 'lost') })];
    await eventually(() => expect(checked).toEqual([ids[8], 'lost']));
    finish();
    expect(await lost.closed).toBe(LIVE_CLOSE_CODES.tooOld);
    await client.next(about(10));
  });

  test('receives messages that arrive while its event is checked', async () => {
    await served.stop();
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const checked: string[] = [];
    await serve({
      ...store,
      findEventId: async (position, expected) => {
        checked.push(position);
        await finished;
        return store.findEventId(position, expected);
      },
    });
    const clients = [await connect({ since: since(10) }), await connect({ since: since(10) })];
    const other = await connect();
    feed.give(liveBatch(10, 12));
    await other.next(about(12));
    finish();
    feed.give(liveBatch(12, 13));
    for (const client of clients) {
      await client.next(about(13));
      expect(receivedAds(client)).toEqual(ads(11, 13));
    }
    // The clients share one read.
    expect(checked).toEqual([positionOf(10)]);
  });
});

test('closes all clients with tooOld when the feed reports a replaced log, and then continues', async () => {
  await serve();
  const clients = [await connect(), await connect({ since: tokenOf(12) })];
  feed.give({ ...liveBatch(7, 9), isLogReplaced: true });
  for (const client of clients) expect(await client.closed).toBe(LIVE_CLOSE_CODES.tooOld);
  const again = await connect();
  feed.give(liveBatch(9, 11));
  await again.next(about(11));
  expect(receivedAds(again)).toEqual(ads(10, 11));
});

test('sends messages from the store, then from the buffer, then new ones', async () => {
  const store = createMemoryEventStore();
  await bump(
    store,
    Array.from({ length: 10 }, (_, n) => `ad-${n + 1}`),
  );
  await serve(store);
  const client = await connect({ since: tokenOf(1) });
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
  const clients = await Promise.all(Array.from({ length: 50 }, () => connect({ since: tokenOf(2) })));
  await eventually(() => expect(reads).toBe(1));
  release();
  for (const client of clients) await client.next(about(10));
  expect(reads).toBe(1);
  for (const client of clients) expect(receivedAds(client)).toEqual(Array.from({ length: 8 }, (_, n) => `ad-${n + 3}`));
});

test('reads the store again for a client that resumes after messages have left the buffer', async () => {
  const store = createMemoryEventStore();
  const names = Array.from({ length: 1_050 }, (_, n) => `ad-${n + 1}`);
  await bump(store, names.slice(0, 10));
  let finishFirstRead: () => void = () => undefined;
  let reads = 0;
  await serve({
    ...store,
    readAll: async (options) => {
      const page = await store.readAll(options);
      reads += 1;
      if (reads === 1) await new Promise<void>((resolve) => (finishFirstRead = resolve));
      return page;
    },
  });
  const early = await connect({ since: tokenOf(2) });
  await eventually(() => expect(reads).toBe(1));
  await bump(store, names.slice(10));
  const other = await connect();
  feed.give(liveBatch(10, 1_050));
  await other.next(about(1_050));
  // The buffer holds the last 1,000 messages, and the running read of the store does not contain messages 11 to 50.
  const late = await connect({ since: tokenOf(2) });
  await pause(50);
  finishFirstRead();
  for (const client of [early, late]) await client.next(about(1_050));
  expect(receivedAds(late)).toEqual(ads(3, 1_050));
  expect(receivedAds(early)).toEqual(ads(3, 1_050));
});

test('closes with tooOld for a position that the store cannot read', async () => {
  await serve({ ...stoppedStore, readAll: () => Promise.reject(new TypeError('not a position of this store')) });
  expect(await (await connect({ since: tokenOf(2) })).closed).toBe(LIVE_CLOSE_CODES.tooOld);
});

test('connects early clients when the feed starts, without missing messages', async () => {
  feed = createManualFeed();
  served = await serveLiveChannel({ feed, store: stoppedStore, waitForFeed_ms: 300 });
  await expect(connectLiveOnce(served.url)).rejects.toThrow(/503/u);
  await served.stop();
  feed = createManualFeed();
  served = await serveLiveChannel({ feed, store: stoppedStore });
  const connecting = [connect(), connect({ since: tokenOf(6) })] as const;
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
  let resolveSession: (caller: LiveCaller) => void = () => undefined;
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
  resolveSession({ sessionId: 'a', user: { id: 'anna', isModerator: false }, isRoleWithheld: false });
  feed.give(liveBatch(8, 9));
  await client.next(about(9));
  expect(receivedAds(client)).toEqual(ads(7, 9));
});

test('sends a message after its read models have processed it, without waiting for other read models', async () => {
  feed = createManualFeed();
  const waits: string[] = [];
  let release: () => void = () => undefined;
  const limits = new Set<number | undefined>();
  const waitFor = (projection: string, position: string, _signal?: AbortSignal, limit_ms?: number) => {
    waits.push(`${projection} ${Number(position)}`);
    limits.add(limit_ms);
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
    expect(waits).toEqual([
      ...[6, 9].flatMap((position) => CARD_READ_MODELS.map((name) => `${name} ${position}`)),
      'community_threads 7',
      'community_posts 7',
    ]),
  );
  await pause(50);
  expect(client.messages).toEqual([]);
  expect(limits, 'the configured limit').toEqual(new Set([undefined]));
  release();
  await client.next(about(9));
  expect(client.messages).toEqual([
    { ...reply, seq: expect.any(String) as string },
    ...[8, 9].map((n) => expect.objectContaining({ adId: `ad-${n}` }) as LiveMessage),
  ]);
  // The positions of the messages are encrypted with the secret of `serveLiveChannel`.
  const { openAll } = createPositionTokens('ab'.repeat(32));
  expect(client.messages.map(({ seq }) => openAll(seq))).toEqual([7, 8, 9].map((n) => [positionOf(n)]));
});
