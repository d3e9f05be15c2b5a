import { LIVE_CLOSE, type LiveMessage } from '@alpenglow/domain/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LiveClient, type LiveSocket } from '../src/live/live-client.ts';

class FakeSocket implements LiveSocket {
  onopen: LiveSocket['onopen'] = null;
  onmessage: LiveSocket['onmessage'] = null;
  onclose: LiveSocket['onclose'] = null;
  closed = false;
  constructor(readonly query: string) {}
  close() {
    this.closed = true;
  }
  accept() {
    (this.onopen as (() => void) | null)?.();
  }
  say(message: unknown) {
    (this.onmessage as ((event: { data: unknown }) => void) | null)?.({
      data: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }
  hangUp(code = 1006) {
    (this.onclose as ((event: { code: number }) => void) | null)?.({ code });
  }
}

const sockets: FakeSocket[] = [];
const heard: LiveMessage[] = [];
let gaps: { readonly isStart: boolean }[];
let badTokens: number;
let connected: boolean[];
let client: LiveClient;

const last = (): FakeSocket => {
  const socket = sockets.at(-1);
  if (!socket) throw new Error('nothing was opened');
  return socket;
};
const message = (seq: string, type = 'ad_created') => ({
  seq,
  type,
  adId: 'a',
  place: null,
  at: '2026-11-21T12:00:00.000Z',
});

beforeEach(() => {
  vi.useFakeTimers();
  sockets.length = heard.length = badTokens = 0;
  gaps = [];
  connected = [];
  client = clientFrom(null);
});

function clientFrom(since: string | null): LiveClient {
  return new LiveClient({
    since,
    open: (query) => {
      const socket = new FakeSocket(query);
      sockets.push(socket);
      return socket;
    },
    onMessage: (one) => heard.push(one),
    onGap: (gap) => gaps.push(gap),
    onBadToken: () => badTokens++,
    onConnected: (now) => connected.push(now),
  });
}
afterEach(() => vi.useRealTimers());

it('listens without a token too', () => {
  client.connect(null);
  expect(last().query).toBe('');
  client.connect('t1');
  expect(sockets[0]?.closed).toBe(true);
  expect(last().query).toBe('token=t1');
});

it('tells known messages, once each and in order', () => {
  client.connect(null);
  last().accept();
  for (const said of [
    message('01'),
    message('02', 'ad_bumped'),
    message('02', 'ad_bumped'),
    message('01'),
    message('03', 'something_new'),
    'no json',
    '[]',
    '{}',
    message('04'),
  ])
    last().say(said);
  expect(heard.map(({ seq }) => seq)).toEqual(['01', '02', '04']);
});

it('comes back 5 seconds after it broke and goes on where it was', () => {
  client.connect('t1');
  last().accept();
  last().say(message('07'));
  last().hangUp();
  expect(connected).toEqual([true, false]);
  vi.advanceTimersByTime(4_999);
  expect(sockets).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(last().query).toBe('token=t1&since=07');
  last().accept();
  last().say(message('07'));
  last().say(message('08'));
  expect(heard.map(({ seq }) => seq)).toEqual(['07', '08']);
  expect(connected).toEqual([true, false, true]);
  expect(gaps).toEqual([{ isStart: true }]);
});

it('begins where the page came from, and then has missed nothing', () => {
  client = clientFrom('05');
  client.connect(null);
  expect(last().query).toBe('since=05');
  last().accept();
  for (const said of [message('05'), message('06')]) last().say(said);
  expect(heard.map(({ seq }) => seq)).toEqual(['06']);
  expect(gaps).toEqual([]);
});

it('says that something may be missing when there is nothing to go on from', () => {
  client.connect(null);
  last().accept();
  expect(gaps).toEqual([{ isStart: true }]);
  last().hangUp();
  vi.advanceTimersByTime(5_000);
  last().accept();
  expect(gaps).toEqual([{ isStart: true }, { isStart: false }]);
});

it('starts anew, with a gap, when it was away too long', () => {
  client.connect(null);
  last().accept();
  last().say(message('07'));
  last().hangUp(LIVE_CLOSE.tooOld);
  vi.advanceTimersByTime(5_000);
  expect(last().query).toBe('');
  last().accept();
  expect(gaps.at(-1)).toEqual({ isStart: false });
});

it('does not come back with a token that was refused', () => {
  client.connect('t1');
  last().hangUp(LIVE_CLOSE.badToken);
  expect(badTokens).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(last().query).toBe('');
});

it('is silent once disconnected', () => {
  client.connect(null);
  const socket = last();
  client.disconnect();
  socket.say(message('01'));
  socket.hangUp();
  vi.advanceTimersByTime(60_000);
  expect(heard).toEqual([]);
  expect(sockets).toHaveLength(1);
});
