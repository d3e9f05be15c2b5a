import { LIVE_CLOSE_CODES, type LiveMessage } from '@alpenglow/domain/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@alpenglow/ui';
import { LiveClient, type LiveReply, type LiveSocket } from '../src/live/live-client.ts';

class FakeSocket implements LiveSocket {
  onopen: LiveSocket['onopen'] = null;
  onmessage: LiveSocket['onmessage'] = null;
  onclose: LiveSocket['onclose'] = null;
  closed = false;
  readonly sent: unknown[] = [];
  constructor(readonly query: string) {}
  close() {
    this.closed = true;
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  accept() {
    (this.onopen as (() => void) | null)?.();
  }
  receive(message: unknown) {
    (this.onmessage as ((event: { data: unknown }) => void) | null)?.({
      data: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }
  disconnect(code = 1006) {
    (this.onclose as ((event: { code: number }) => void) | null)?.({ code });
  }
}

const sockets: FakeSocket[] = [];
const messages: LiveMessage[] = [];
let gaps: { readonly isStart: boolean }[];
let badTokens: number;
let replies: LiveReply[];
let positions: string[];
let openings: number;
let random: number;
let connected: boolean[];
let client: LiveClient;
let tickets: (token: string) => Promise<string>;
/** Waits until a client has received its ticket. */
const ticketReceived = () => vi.advanceTimersByTimeAsync(0);

const last = (): FakeSocket => {
  const socket = sockets.at(-1);
  if (!socket) throw new Error('no socket was opened');
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
  sockets.length = messages.length = badTokens = 0;
  gaps = [];
  replies = [];
  positions = [];
  openings = random = 0;
  tickets = (token) => Promise.resolve(`ticket-of-${token}`);
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
    getTicket: (token) => tickets(token),
    onMessage: (received) => messages.push(received),
    onReply: (reply) => replies.push(reply),
    onPosition: (token) => positions.push(token),
    onOpen: () => (openings += 1),
    random: () => random,
    onGap: (gap) => gaps.push(gap),
    onBadToken: () => badTokens++,
    onConnected: (isConnected) => connected.push(isConnected),
  });
}
afterEach(() => vi.useRealTimers());

it('connects with a ticket of the token, and without a token', async () => {
  client.connect(null);
  expect(last().query).toBe('topics=none');
  client.connect('t1');
  await ticketReceived();
  expect(sockets[0]?.closed).toBe(true);
  expect(last().query).toBe('ticket=ticket-of-t1&topics=none');
});

it('passes known messages on, in order', () => {
  client.connect(null);
  last().accept();
  for (const received of [
    message('01'),
    message('02', 'ad_bumped'),
    message('03', 'something_new'),
    'no json',
    '[]',
    '{}',
    message('04'),
  ])
    last().receive(received);
  expect(messages.map(({ seq }) => seq)).toEqual(['01', '02', '04']);
});

it('reconnects 5 seconds after a disconnection and resumes at the last position', async () => {
  client.connect('t1');
  await ticketReceived();
  last().accept();
  last().receive(message('07'));
  last().disconnect();
  expect(connected).toEqual([true, false]);
  vi.advanceTimersByTime(4_999);
  expect(sockets).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await ticketReceived();
  expect(last().query).toBe('ticket=ticket-of-t1&since=07&topics=none');
  last().accept();
  last().receive(message('08'));
  expect(messages.map(({ seq }) => seq)).toEqual(['07', '08']);
  expect(connected).toEqual([true, false, true]);
  expect(gaps).toEqual([{ isStart: true }]);
});

it('starts at the position of the page, and then reports no gap', () => {
  client = clientFrom('05');
  client.connect(null);
  expect(last().query).toBe('since=05&topics=none');
  last().accept();
  last().receive(message('06'));
  expect(messages.map(({ seq }) => seq)).toEqual(['06']);
  expect(gaps).toEqual([]);
});

it('reports a gap if there is no position to resume at', () => {
  client.connect(null);
  last().accept();
  expect(gaps).toEqual([{ isStart: true }]);
  last().disconnect();
  vi.advanceTimersByTime(5_000);
  last().accept();
  expect(gaps).toEqual([{ isStart: true }, { isStart: false }]);
});

it('starts without a position, and reports a gap, after it was disconnected for too long', () => {
  client.connect(null);
  last().accept();
  last().receive(message('07'));
  last().disconnect(LIVE_CLOSE_CODES.tooOld);
  vi.advanceTimersByTime(5_000);
  expect(last().query).toBe('topics=none');
  last().accept();
  expect(gaps.at(-1)).toEqual({ isStart: false });
});

it('does not reconnect with a rejected token', async () => {
  client.connect('t1');
  await ticketReceived();
  last().disconnect(LIVE_CLOSE_CODES.invalidToken);
  expect(badTokens).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(last().query).toBe('topics=none');
});

it('ignores all events after a disconnect', () => {
  client.connect(null);
  const socket = last();
  client.disconnect();
  socket.receive(message('01'));
  socket.disconnect();
  vi.advanceTimersByTime(60_000);
  expect(messages).toEqual([]);
  expect(sockets).toHaveLength(1);
});

it('connects as a visitor if the token gets no ticket', async () => {
  tickets = () =>
    Promise.reject(new ApiError('Authentication required', { status: 401, code: 'AUTHENTICATION_REQUIRED' }));
  client.connect('t1');
  await ticketReceived();
  expect(badTokens).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(last().query).toBe('topics=none');
});

it('requests another ticket after 5 seconds if the server cannot be reached', async () => {
  tickets = () => Promise.reject(new Error('offline'));
  client.connect('t1');
  await ticketReceived();
  expect(connected).toEqual([false]);
  expect(sockets).toHaveLength(0);
  tickets = () => Promise.resolve('t2');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(last().query).toBe('ticket=t2&topics=none');
});

it('does not open a connection with the ticket of an earlier session', async () => {
  client.connect('t1');
  client.connect(null);
  await ticketReceived();
  expect(sockets.map(({ query }) => query)).toEqual(['topics=none']);
});

it('spreads reconnects over the 5 seconds after the delay', () => {
  random = 0.5;
  client.connect(null);
  last().accept();
  last().disconnect();
  vi.advanceTimersByTime(7_499);
  expect(sockets).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(sockets).toHaveLength(2);
});

it('sends topics only over an open connection, passes replies on and resumes at their position', () => {
  client.connect(null);
  const request = { type: 'subscribe', id: 1, topics: [{ kind: 'ads' }], since: null } as const;
  client.send(request);
  last().accept();
  expect([openings, last().sent]).toEqual([1, []]);
  client.send(request);
  expect(last().sent).toEqual([request]);
  const reply = { type: 'subscribed', id: 1, seq: '05', missed: [] } as const;
  last().receive(reply);
  const ahead = { ...reply, id: 2, seq: null };
  last().receive(ahead);
  expect([replies, messages]).toEqual([[reply, ahead], []]);
  expect(client.position).toEqual({ order: 1, token: '05' });
  last().receive({ type: 'position', seq: '06' });
  // Data that is loaded later is at least as new as each of these positions.
  expect(positions).toEqual(['05', '06']);
  last().disconnect();
  client.send(request);
  vi.advanceTimersByTime(5_000);
  expect([replies.length, last().query, last().sent]).toEqual([2, 'since=06&topics=none', []]);
});
