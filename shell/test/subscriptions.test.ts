import { LIVE_TOPICS_MAX, type LiveSubscribe, type LiveTopic } from '@alpenglow/domain/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Mark } from '../src/live/live-client.ts';
import { Subscriptions } from '../src/live/subscriptions.ts';

const nevada: LiveTopic = { kind: 'ads', state: 'NV' };
const reno: LiveTopic = { kind: 'ads', state: 'NV', city: 'Reno' };
const ad: LiveTopic = { kind: 'ad', adId: 'a' };
const [list, detail] = [['list'], ['detail']];

let sent: LiveSubscribe[];
let refetched: unknown[];
let marks: Map<string, Mark>;
let position: Mark;
let subscriptions: Subscriptions;

beforeEach(() => {
  vi.useFakeTimers();
  [sent, refetched, marks, position] = [[], [], new Map(), { order: 1, token: 'p1' }];
  subscriptions = new Subscriptions({
    send: (message) => sent.push(message),
    position: () => position,
    markOf: (queryKey) => marks.get(JSON.stringify(queryKey)) ?? null,
    setMark: (queryKey, mark) => marks.set(JSON.stringify(queryKey), mark),
    refetch: (queryKey) => refetched.push(queryKey),
  });
});
afterEach(() => vi.useRealTimers());

const moveTo = (order: number) => (position = { order, token: `p${order}` });
const settle = () => vi.advanceTimersByTime(1_000);
/** Confirms the last subscription as the server does. */
const confirm = (missed: readonly number[] = []) =>
  subscriptions.receive({ type: 'subscribed', id: sent.at(-1)?.id ?? 0, seq: null, missed });

it('sends the topics of the page when it is connected, without duplicates', () => {
  subscriptions.add({ topics: [reno, nevada] });
  subscriptions.add({ topics: [reno] });
  subscriptions.add({ topics: [] });
  settle();
  expect(sent).toEqual([]);
  subscriptions.connected();
  expect(sent).toMatchObject([{ type: 'subscribe', topics: [reno, nevada] }]);
});

it('sends one message for a navigation, and none if the topics stay the same', () => {
  subscriptions.connected();
  const leave = subscriptions.add({ topics: [nevada], queryKey: list });
  settle();
  confirm();
  leave();
  subscriptions.add({ topics: [ad], queryKey: detail });
  settle();
  confirm();
  expect(sent.map(({ topics }) => topics)).toEqual([[], [nevada], [ad]]);
  subscriptions.add({ topics: [] });
  settle();
  expect(sent).toHaveLength(3);
});

it('loads data again that has changed between its fetch and the subscription', () => {
  subscriptions.connected();
  moveTo(5);
  marks.set(JSON.stringify(list), { order: 3, token: 'p3' });
  marks.set(JSON.stringify(detail), { order: 4, token: 'p4' });
  subscriptions.add({ topics: [nevada], queryKey: list });
  subscriptions.add({ topics: [ad], queryKey: detail });
  settle();
  // The server compares the topics with the earliest position.
  expect(sent.at(-1)).toMatchObject({ topics: [ad, nevada], since: 'p3' });
  confirm([1]);
  expect(refetched).toEqual([list]);
});

it('continues displayed data without a check, and returns to cached data with one', () => {
  subscriptions.connected();
  const leave = subscriptions.add({ topics: [nevada], queryKey: list });
  settle();
  confirm();
  moveTo(7);
  leave();
  subscriptions.add({ topics: [ad], queryKey: detail });
  settle();
  confirm();
  moveTo(9);
  subscriptions.add({ topics: [nevada], queryKey: list });
  settle();
  expect(sent.at(-1)).toMatchObject({ topics: [ad, nevada], since: 'p7' });
  // The topic of the ad may have changed after `p7`, but its messages have arrived meanwhile.
  confirm([0]);
  expect(refetched).toEqual([]);
});

it('has no topics while the page is hidden, and then loads changed data again', () => {
  subscriptions.connected();
  subscriptions.add({ topics: [nevada], queryKey: list });
  settle();
  confirm();
  moveTo(4);
  subscriptions.setHidden(true);
  settle();
  expect(sent.at(-1)?.topics).toEqual([]);
  confirm();
  moveTo(8);
  subscriptions.add({ topics: [ad], queryKey: detail });
  settle();
  subscriptions.setHidden(false);
  settle();
  expect(sent.at(-1)).toMatchObject({ topics: [ad, nevada], since: 'p4' });
  confirm([1]);
  expect(refetched).toEqual([list]);
});

it('sends the topics again over each connection, and ignores replies to earlier messages', () => {
  subscriptions.add({ topics: [nevada], queryKey: list });
  subscriptions.connected();
  const [first] = sent;
  subscriptions.disconnected();
  subscriptions.add({ topics: [ad], queryKey: detail });
  settle();
  expect(sent).toHaveLength(1);
  subscriptions.connected();
  subscriptions.receive({ type: 'subscribed', id: first?.id ?? 0, seq: null, missed: [0] });
  expect(refetched).toEqual([]);
  confirm([0, 1]);
  expect([sent.at(-1)?.topics, refetched]).toEqual([
    [ad, nevada],
    [list, detail],
  ]);
});

it('subscribes to everything for a remote that names no topics, and for too many topics', () => {
  subscriptions.connected();
  const leave = subscriptions.add({});
  settle();
  expect(sent.at(-1)?.topics).toEqual([{ kind: 'all' }]);
  confirm([0]);
  expect(refetched).toEqual([undefined]);
  leave();
  subscriptions.add({
    topics: Array.from({ length: LIVE_TOPICS_MAX + 1 }, (_, n) => ({ kind: 'ad', adId: `${n}` }) as const),
    queryKey: list,
  });
  settle();
  expect(sent.at(-1)?.topics).toEqual([{ kind: 'all' }]);
  confirm([0]);
  expect(refetched).toEqual([undefined, list]);
});

it('leaves out own items without a session, and receives everything after another rejection', () => {
  subscriptions.add({ topics: [{ kind: 'own' }, nevada], queryKey: list });
  subscriptions.connected();
  const reject = (reason: 'sign_in' | 'invalid') => {
    subscriptions.receive({ type: 'rejected', id: sent.at(-1)?.id ?? 0, reason });
    settle();
    return sent.at(-1)?.topics;
  };
  expect(reject('sign_in')).toEqual([nevada]);
  expect(reject('invalid')).toEqual([{ kind: 'all' }]);
  const count = sent.length;
  reject('invalid');
  expect(sent).toHaveLength(count);
});

it('first requests everything if a message is too long for a server of an earlier build', () => {
  const topics = Array.from({ length: 18 }, (_, n) => ({ kind: 'ad', adId: `${n}`.padStart(36, '0') }) as const);
  marks.set(JSON.stringify(list), { order: 1, token: 'p1' });
  subscriptions.add({ topics, queryKey: list });
  subscriptions.connected();
  settle();
  expect(sent.map((message) => message.topics)).toEqual([[{ kind: 'all' }]]);
  confirm();
  settle();
  expect(sent.slice(1)).toMatchObject([{ topics, since: 'p1' }]);
  confirm([3]);
  settle();
  expect([sent.length, refetched]).toEqual([2, [list]]);
  subscriptions.disconnected();
  subscriptions.connected();
  expect(sent.at(-1)?.topics).toEqual([{ kind: 'all' }]);
});

it('loads data again whose position is unknown, if the position of the channel is known', () => {
  subscriptions.connected();
  confirm();
  marks.set(JSON.stringify(list), { order: 0, token: null });
  subscriptions.add({ topics: [nevada], queryKey: list });
  subscriptions.add({ topics: [reno], queryKey: detail });
  settle();
  confirm();
  expect(refetched).toEqual([list]);
});

it('receives messages for data without a query even while the page is hidden', () => {
  subscriptions.connected();
  subscriptions.add({ topics: [ad] });
  subscriptions.add({ topics: [nevada], queryKey: list });
  settle();
  confirm();
  subscriptions.setHidden(true);
  settle();
  expect(sent.at(-1)?.topics).toEqual([ad]);
});

it('sends the topics again if the page is shown again at once', () => {
  subscriptions.connected();
  subscriptions.add({ topics: [nevada], queryKey: list });
  settle();
  confirm();
  moveTo(4);
  subscriptions.setHidden(true);
  subscriptions.setHidden(false);
  settle();
  expect(sent.at(-1)).toMatchObject({ topics: [nevada], since: 'p4' });
  confirm([0]);
  expect(refetched).toEqual([list]);
});

it('does not count data as current for new topics of the same query', () => {
  subscriptions.connected();
  marks.set(JSON.stringify(list), { order: 1, token: 'p1' });
  const leave = subscriptions.add({ topics: [nevada], queryKey: list });
  settle();
  confirm();
  moveTo(6);
  leave();
  subscriptions.add({ topics: [reno], queryKey: list });
  settle();
  expect(sent.at(-1)).toMatchObject({ topics: [reno], since: 'p1' });
});
