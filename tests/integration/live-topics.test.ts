import {
  LIVE_TOPICS_MAX,
  type EventStore,
  type LiveMessage,
  type LiveSubject,
  type LiveSubscribe,
  type LiveTopic,
} from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive, type LiveClient } from '../support/live.ts';
import {
  createManualFeed,
  liveBatch,
  positionOf,
  serveLiveChannel,
  tokenOf,
  type ServedChannel,
} from '../support/live-channel.ts';
import { bump } from '../support/live-events.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const reno = { state: 'NV', city: 'Reno', category: 'escort' };
const elko = { state: 'NV', city: 'Elko', category: 'massage' };
const boise = { state: 'ID', city: 'Boise', category: 'escort' };
const SUBJECTS: Readonly<Record<string, LiveSubject>> = {
  reno: { accountId: 'anna', places: [reno] },
  elko: { accountId: 'berta', places: [elko] },
  boise: { accountId: 'carla', places: [boise] },
  moved: { accountId: 'dora', places: [boise, elko] },
  thread: { accountId: 'anna', country: 'US', state: 'NV', city: 'Reno' },
  other: { accountId: 'berta', country: 'US', state: 'ID', city: 'Boise' },
};
const TOKEN = 'a'.repeat(43);
const caller = { sessionId: 'a', user: { id: 'anna', isModerator: false }, isRoleWithheld: false };

let feed: ReturnType<typeof createManualFeed>;
let served: ServedChannel;
let published: number;
let subscriptions = 0;

async function serve(store: EventStore = createMemoryEventStore(), heartbeat_ms?: number): Promise<void> {
  feed = createManualFeed();
  served = await serveLiveChannel({
    feed,
    store,
    ...(heartbeat_ms !== undefined && { heartbeat_ms }),
    subjectOf: (id) => SUBJECTS[id] ?? null,
    findByToken: async (token) => (token === TOKEN ? caller : null),
  });
  published = 10;
  feed.give({ after: positionOf(10), messages: [], through: positionOf(10) });
  await connectLive(served.url).then((client) => client.close());
}

/** Publishes one message for each of these ads or threads. Returns their positions as tokens. */
function publish(...ids: readonly string[]): readonly string[] {
  return ids.map((id) => {
    const {
      messages: [message],
      ...batch
    } = liveBatch(published, published + 1);
    if (!message) throw new Error('The batch is empty');
    const { seq, at } = message;
    const isThread = 'country' in (SUBJECTS[id] ?? {});
    feed.give({
      ...batch,
      messages: [
        isThread
          ? { seq, at, type: 'reply_posted', threadId: id, number: 1, threadPlace: null }
          : ({ ...message, type: 'ad_bumped', adId: id } as LiveMessage),
      ],
    });
    published += 1;
    return tokenOf(published);
  });
}

const subscribe = (topics: readonly LiveTopic[], since: string | null = null): LiveSubscribe => ({
  type: 'subscribe',
  id: (subscriptions += 1),
  topics,
  since,
});
const subscribed = (missed: readonly number[] = []) =>
  expect.objectContaining({ type: 'subscribed', id: subscriptions, missed }) as unknown;
const idsOf = (client: LiveClient) =>
  client.messages.map((message) => ('adId' in message ? adIdOf(message) : message.threadId));

/** Connects a client that receives only the messages of these topics. */
async function connectWith(topics: readonly LiveTopic[], query: Record<string, string> = {}): Promise<LiveClient> {
  const client = await connectLive(served.url, { topics: 'none', ...query });
  expect(await client.ask(subscribe(topics))).toEqual(subscribed());
  return client;
}

/** Waits until every client has received everything that was published, and returns what it received. */
async function receivedBy(...clients: readonly LiveClient[]): Promise<readonly (readonly string[])[]> {
  const observer = await connectLive(served.url);
  publish('end');
  await observer.next((message) => 'adId' in message && message.adId === 'end');
  // Nothing is known about this ad, so all clients with topics receive its messages.
  for (const client of clients) await client.next((message) => 'adId' in message && message.adId === 'end');
  observer.close();
  return clients.map((client) => idsOf(client).filter((id) => id !== 'end'));
}

beforeEach(() => serve());
afterEach(() => served.stop());

describe('a client with topics', () => {
  test.each<[topic: LiveTopic, received: readonly string[]]>([
    [{ kind: 'all' }, ['reno', 'elko', 'boise', 'moved', 'thread', 'other']],
    [{ kind: 'ads' }, ['reno', 'elko', 'boise', 'moved']],
    [{ kind: 'ads', state: 'nv' }, ['reno', 'elko', 'moved']],
    [{ kind: 'ads', state: 'NV', city: 'reno' }, ['reno']],
    [{ kind: 'ads', state: 'ID', city: 'Boise', category: 'escort' }, ['boise', 'moved']],
    [{ kind: 'ads', state: 'ID', city: 'Boise', category: 'massage' }, []],
    [{ kind: 'ads', category: 'massage' }, ['elko', 'moved']],
    [{ kind: 'ad', adId: 'reno' }, ['reno']],
    [{ kind: 'threads' }, ['thread', 'other']],
    [{ kind: 'threads', country: 'US', state: 'NV' }, ['thread']],
    [{ kind: 'threads', country: 'US', state: 'ID', city: 'Boise' }, ['other']],
    [{ kind: 'thread', threadId: 'other' }, ['other']],
    [{ kind: 'own' }, ['reno', 'thread']],
  ])('receives the messages of %j', async (topic, received) => {
    const client = await connectWith([topic], { token: TOKEN });
    publish('reno', 'elko', 'boise', 'moved', 'thread', 'other');
    expect(await receivedBy(client)).toEqual([received]);
  });

  test('receives a message of several of its topics once', async () => {
    const client = await connectWith([{ kind: 'ads' }, { kind: 'ad', adId: 'reno' }, { kind: 'ads', state: 'NV' }]);
    publish('reno', 'boise');
    expect(await receivedBy(client)).toEqual([['reno', 'boise']]);
  });

  test('receives nothing before its first topics, and nothing without topics', async () => {
    const [waiting, hidden] = [await connectLive(served.url, { topics: 'none' }), await connectWith([])];
    const other = await connectWith([{ kind: 'all' }]);
    publish('reno');
    await receivedBy(other);
    expect([waiting.messages, hidden.messages]).toEqual([[], []]);
    // Messages since the connection was opened belong to the first topics.
    expect(await waiting.ask(subscribe([{ kind: 'ad', adId: 'reno' }]))).toEqual(subscribed());
    expect(idsOf(waiting)).toEqual(['reno', 'end']);
  });

  test('changes its topics without a gap in the topics that it keeps', async () => {
    const client = await connectWith([{ kind: 'ads', state: 'NV' }]);
    for (let round = 0; round < 20; round += 1) {
      publish('reno', 'boise');
      client.send(
        subscribe([
          { kind: 'ads', state: 'NV' },
          { kind: 'ad', adId: `other-${round}` },
        ]),
      );
    }
    expect(await receivedBy(client)).toEqual([Array.from({ length: 20 }, () => 'reno')]);
  });

  test('learns which of the new topics have changed since the position of its data', async () => {
    const client = await connectWith([{ kind: 'ads', state: 'NV' }]);
    const [before] = publish('reno');
    const [after] = publish('boise');
    await receivedBy(client);
    const topics: readonly LiveTopic[] = [
      { kind: 'ad', adId: 'boise' },
      { kind: 'ad', adId: 'elko' },
    ];
    // The message `end` concerns every topic.
    expect(await client.ask(subscribe(topics, after))).toEqual(subscribed([0, 1]));
    const [later] = publish('reno');
    await connectWith([{ kind: 'all' }], { since: before ?? '' }).then((other) =>
      other.next((message) => 'adId' in message && message.adId === 'reno'),
    );
    expect(await client.ask(subscribe(topics, tokenOf(13)))).toEqual(subscribed());
    expect(await client.ask(subscribe([{ kind: 'ad', adId: 'reno' }], tokenOf(13)))).toEqual(subscribed([0]));
    expect(await client.ask(subscribe([{ kind: 'ad', adId: 'reno' }], later))).toEqual(subscribed());
    // Messages before the start of the process, and invalid tokens.
    expect(await client.ask(subscribe(topics, tokenOf(9)))).toEqual(subscribed([0, 1]));
    expect(await client.ask(subscribe(topics, 'x'))).toEqual(subscribed([0, 1]));
    expect(await client.ask(subscribe(topics))).toEqual(subscribed());
  });

  test('resumes at the position of a reply, and receives only the messages of its topics', async () => {
    const client = await connectWith([{ kind: 'ads', state: 'ID' }]);
    publish('reno', 'reno');
    await receivedBy(await connectWith([{ kind: 'all' }]));
    const reply = await client.ask(subscribe([{ kind: 'ads', state: 'ID' }]));
    const seq = reply.type === 'subscribed' ? reply.seq : null;
    client.close();
    publish('boise', 'reno');
    const resumed = await connectWith([{ kind: 'ads', state: 'ID' }], { since: seq ?? '' });
    publish('boise');
    expect(await receivedBy(resumed)).toEqual([['boise', 'boise']]);
  });
});

test('a client resumes from the event store with its topics, and then changes them', async () => {
  await served.stop();
  const store = createMemoryEventStore();
  await bump(store, ['reno', 'boise', 'reno', 'elko', 'boise', 'reno', 'elko', 'boise', 'elko', 'elko']);
  await serve(store);
  const [client, hidden] = [
    await connectWith([{ kind: 'ad', adId: 'reno' }], { since: tokenOf(2) }),
    await connectWith([], { since: tokenOf(2) }),
  ];
  expect([idsOf(client), idsOf(hidden)]).toEqual([['reno', 'reno'], []]);
  publish('reno', 'boise');
  expect(await client.ask(subscribe([{ kind: 'ad', adId: 'boise' }], tokenOf(2)))).toEqual(subscribed([0]));
  publish('boise', 'reno');
  expect((await receivedBy(client))[0]?.slice(-1)).toEqual(['boise']);
});

/** Connects a client that has received more messages than a restarted process knows. */
async function connectAhead() {
  const store = createMemoryEventStore();
  await bump(
    store,
    Array.from({ length: 14 }, () => 'reno'),
  );
  await served.stop();
  await serve(store);
  return connectLive(served.url, { topics: 'none', since: tokenOf(13) });
}

test('a client that is ahead of the process receives later messages of its topics once', async () => {
  const client = await connectAhead();
  expect(await client.ask(subscribe([{ kind: 'ad', adId: 'reno' }], tokenOf(12)))).toEqual({
    ...(subscribed([0]) as { sample: object }).sample,
    seq: null,
  });
  publish('reno', 'reno', 'reno', 'reno', 'boise');
  expect(await receivedBy(client)).toEqual([['reno']]);
});

test('a client that is ahead of the process has missed nothing if its data contains its last message', async () => {
  const client = await connectAhead();
  const topics: readonly LiveTopic[] = [
    { kind: 'ad', adId: 'reno' },
    { kind: 'ad', adId: 'boise' },
  ];
  for (const since of [tokenOf(13), tokenOf(14)])
    expect(await client.ask(subscribe(topics, since))).toMatchObject({ seq: null, missed: [] });
  // The process does not know which topics have changed in messages that it has not published.
  expect(await client.ask(subscribe(topics, tokenOf(12)))).toMatchObject({ seq: null, missed: [0, 1] });
  publish('reno', 'reno', 'reno', 'reno', 'boise');
  await client.next((message) => 'adId' in message && message.adId === 'boise');
  expect(idsOf(client)).toEqual(['reno', 'boise']);
  expect(await client.ask(subscribe(topics, tokenOf(14)))).toMatchObject({ missed: [1] });
});

test('a client without topics receives all messages until it subscribes', async () => {
  const client = await connectLive(served.url);
  publish('reno', 'thread');
  await client.next((message) => 'threadId' in message);
  expect(client.replies).toEqual([]);
  expect(await client.ask(subscribe([{ kind: 'ad', adId: 'boise' }]))).toEqual(subscribed());
  publish('reno', 'boise');
  expect(await receivedBy(client)).toEqual([['reno', 'thread', 'boise']]);
});

describe('an invalid message', () => {
  const tooMany = Array.from({ length: LIVE_TOPICS_MAX + 1 }, (_, n): LiveTopic => ({ kind: 'ad', adId: `${n}` }));
  test.each<[message: string | object, id: number | null]>([
    ['x', null],
    ['null', null],
    [{ type: 'other', id: 3 }, 3],
    [{ type: 'subscribe', id: -1, topics: [] }, null],
    [{ type: 'subscribe', id: 4, topics: tooMany }, 4],
    [{ type: 'subscribe', id: 5, topics: [{ kind: 'ad', adId: 'x'.repeat(65) }] }, 5],
    [{ type: 'subscribe', id: 6, topics: [{ kind: 'own', accountId: 'berta' }] }, 6],
    [{ type: 'subscribe', id: 7, topics: [{ kind: 'ads', place: 'NV' }] }, 7],
    [{ type: 'subscribe', id: 8, topics: [], since: 'x'.repeat(1_001) }, 8],
  ])('is rejected: %j', async (message, id) => {
    const client = await connectWith([{ kind: 'ad', adId: 'reno' }]);
    expect(await client.ask(message)).toEqual({ type: 'rejected', id, reason: 'invalid' });
    publish('reno', 'boise');
    expect(await receivedBy(client)).toEqual([['reno']]);
  });

  test('closes the connection if it is too long', async () => {
    const client = await connectWith([]);
    client.send('x'.repeat(40_000));
    expect([1006, 1009]).toContain(await client.closed);
  });
});

test('a visitor cannot subscribe to own items, and the topics stay the same', async () => {
  const client = await connectWith([{ kind: 'ad', adId: 'reno' }]);
  expect(await client.ask(subscribe([{ kind: 'own' }]))).toEqual({
    type: 'rejected',
    id: subscriptions,
    reason: 'sign_in',
  });
  publish('elko', 'reno');
  expect(await receivedBy(client)).toEqual([['reno']]);
});

test('a client that sends too many messages is disconnected', async () => {
  const client = await connectWith([]);
  for (let n = 0; n < 2_000; n += 1) client.send(subscribe([]));
  expect(await client.closed).toBe(1008);
  expect(client.replies.length).toBeLessThan(2_000);
});

test('a client whose first subscription is replaced before it resumes receives the reply to the last one', async () => {
  await served.stop();
  const store = createMemoryEventStore();
  await bump(store, ['reno', 'boise', 'reno']);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let reads = 0;
  await serve({
    ...store,
    async readAll(options) {
      reads += 1;
      await released;
      return store.readAll(options);
    },
  });
  const client = await connectLive(served.url, { topics: 'none', since: tokenOf(1) });
  client.send(subscribe([{ kind: 'ad', adId: 'reno' }]));
  await eventually(() => expect(reads).toBe(1));
  client.send(subscribe([{ kind: 'ad', adId: 'boise' }], tokenOf(1)));
  // The server has received the second subscription when it replies to a later invalid message.
  await client.ask('x');
  release();
  await eventually(() => expect(client.replies.slice(1)).toEqual([subscribed([0])]));
  publish('reno', 'boise');
  expect((await receivedBy(client))[0]?.slice(-1)).toEqual(['boise']);
});

test('the heartbeat sends the position to clients of quiet topics, and to no others', async () => {
  await served.stop();
  await serve(createMemoryEventStore(), 200);
  const [quiet, hidden, everything] = [
    await connectWith([{ kind: 'ad', adId: 'reno' }]),
    await connectWith([]),
    await connectLive(served.url),
  ];
  publish('boise', 'boise');
  await everything.next((message) => message.seq !== everything.messages[0]?.seq);
  await eventually(() => expect(quiet.replies.at(-1)?.type).toBe('position'));
  const sent = quiet.replies.at(-1);
  quiet.close();
  await quiet.closed;
  publish('reno');
  const resumed = await connectWith([{ kind: 'ad', adId: 'reno' }], {
    since: sent && 'seq' in sent ? (sent.seq ?? '') : '',
  });
  expect([idsOf(quiet), idsOf(resumed)]).toEqual([[], ['reno']]);
  expect([hidden.replies.length, hidden.messages.length, everything.replies.length]).toEqual([1, 0, 0]);
});
