import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { admitFairly, endTurn, withoutCost } from '../src/http/admission.ts';
import { createFairQueue } from '../src/http/fair-queue.ts';

const FLOOD = '192.0.2.1';
const OTHER = '192.0.2.2';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

class TestResponse extends EventEmitter {
  destroyed = false;
  readonly headers = new Map<string, string>();
  setHeader(name: string, value: string) {
    this.headers.set(name, value);
  }
  close() {
    this.destroyed = true;
    this.emit('close');
  }
}

/** Sends requests to a process of two cores. */
function createSender() {
  const admit = admitFairly(createFairQueue({ cores: 2 }), null);
  const admitted = new Set<Response>();
  const rejected = new Map<Response, unknown>();
  const send = (ip: string, method = 'GET', path = '/ads') => {
    const res = new TestResponse() as unknown as TestResponse & Response;
    const req = { ip, method, url: path, originalUrl: `/api${path}`, headers: {} };
    void admit(req as unknown as Request, res, (error?: unknown) => {
      if (error === undefined) admitted.add(res);
      else rejected.set(res, error);
    });
    return res;
  };
  return { send, admitted, rejected };
}

function createWait() {
  let end = () => {};
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { promise, end };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('a wait occupies no slot, and the request waits for a slot again before it continues', async () => {
  const { send, admitted } = createSender();
  const first = Array.from({ length: 4 }, () => send(FLOOD));
  await settle();
  const waits = first.map((res) => ({ res, ...createWait(), isOver: false }));
  const continued = waits.map(async (wait) => {
    await withoutCost(wait.res, wait.promise);
    wait.isOver = true;
  });
  await vi.advanceTimersByTimeAsync(3_000);
  const second = Array.from({ length: 4 }, () => send(FLOOD));
  await settle();
  expect(second.every((res) => admitted.has(res))).toBe(true);

  for (const { end } of waits) end();
  await settle();
  expect(waits.filter(({ isOver }) => isOver)).toHaveLength(0);
  second[0]?.close();
  await settle();
  expect(waits.filter(({ isOver }) => isOver)).toHaveLength(1);
  for (const res of second) res.close();
  await Promise.all(continued);

  // The requests that continue occupy the slots of their network, but not those of others.
  const [third, other] = [send(FLOOD), send(OTHER)];
  await settle();
  expect([admitted.has(third), admitted.has(other)]).toEqual([false, true]);
  first[0]?.close();
  await settle();
  expect(admitted.has(third)).toBe(true);
});

test('a request whose client disconnects during a wait takes no slot', async () => {
  const { send, admitted } = createSender();
  const first = Array.from({ length: 4 }, () => send(FLOOD));
  await settle();
  const wait = createWait();
  const continued = first.map((res) => withoutCost(res, wait.promise).catch(() => 'aborted'));
  for (const res of first) res.close();
  wait.end();
  expect(await Promise.all(continued)).toEqual(['aborted', 'aborted', 'aborted', 'aborted']);
  const next = send(FLOOD);
  await settle();
  expect(admitted.has(next)).toBe(true);
});

const UPLOADS = [
  ['POST', '/uploads/photos'],
  ['POST', '/uploads/video'],
  ['PATCH', '/uploads/resumable/1'],
  ['POST', '/uploads/resumable/1/finish'],
  ['POST', '/account/identity'],
] as const;

test.each(UPLOADS)('%s %s waits for a turn until its checks are done', async (method, path) => {
  const { send, admitted } = createSender();
  const uploads = Array.from({ length: 5 }, () => send(FLOOD, method, path));
  await settle();
  expect(uploads.map((res) => admitted.has(res))).toEqual([true, true, true, true, false]);
  const [first] = uploads;
  if (first) endTurn(first);
  await settle();
  expect(uploads.every((res) => admitted.has(res))).toBe(true);
});

test('the body of an upload is not read if its network has too many waiting requests', async () => {
  const { send, rejected } = createSender();
  const uploads = Array.from({ length: 1_100 }, () => send(FLOOD, 'POST', '/uploads/photos'));
  await settle();
  const busy = uploads.filter((res) => rejected.has(res));
  expect(busy.length).toBeGreaterThanOrEqual(90);
  for (const res of busy) expect(res.headers.get('Connection')).toBe('close');
});
