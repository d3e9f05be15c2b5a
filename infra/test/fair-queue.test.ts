import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFairQueue, type FairQueue, type Turn } from '../src/http/fair-queue.ts';

const FLOOD = '192.0.2.1';
const VISITOR = '192.0.2.2';
const BUSY = { code: 'UNAVAILABLE', retryAfter_s: 5 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Runs requests of `cost_ms` from an address until `signal` aborts, with `connections` at a time. */
function flood(queue: FairQueue, address: string, connections: number, cost_ms: number) {
  const stopped = new AbortController();
  setMaxListeners(0, stopped.signal);
  const counts = { started: 0, running: 0, mostRunning: 0, rejected: 0 };
  const errors: unknown[] = [];
  const work = async () => {
    while (!stopped.signal.aborted) {
      try {
        const turn = await queue.enter(address, stopped.signal);
        counts.started += 1;
        counts.running += 1;
        counts.mostRunning = Math.max(counts.mostRunning, counts.running);
        await pause(cost_ms);
        counts.running -= 1;
        turn.end();
      } catch (error) {
        counts.rejected += 1;
        errors.push(error);
      }
    }
  };
  for (let connection = 0; connection < connections; connection += 1) void work();
  return { counts, errors, stop: () => stopped.abort() };
}

const pause = (time_ms: number) => new Promise((resolve) => setTimeout(resolve, time_ms));
/** Returns true if a request from this address runs at once. */
async function runsAtOnce(queue: FairQueue, address: string): Promise<boolean> {
  const turns: Turn[] = [];
  void queue.enter(address).then(
    (turn) => turns.push(turn),
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(0);
  for (const turn of turns) turn.end();
  return turns.length > 0;
}

describe('a network that sends many expensive requests', () => {
  test('gets a quarter of the cores, one request at a time, while other networks are active', async () => {
    const queue = createFairQueue({ cores: 2 });
    await runsAtOnce(queue, VISITOR);
    const { counts, stop } = flood(queue, FLOOD, 30, 100);
    await vi.advanceTimersByTimeAsync(3_000);
    counts.started = 0;
    counts.mostRunning = 0;
    for (let second = 0; second < 4; second += 1) {
      expect(await runsAtOnce(queue, VISITOR)).toBe(true);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(counts.mostRunning).toBe(1);
    expect(counts.started).toBeGreaterThanOrEqual(18);
    expect(counts.started).toBeLessThanOrEqual(22);
    stop();
  });

  test('waits for up to ten seconds, and is then rejected', async () => {
    const queue = createFairQueue({ cores: 2 });
    await runsAtOnce(queue, VISITOR);
    const { counts, errors, stop } = flood(queue, FLOOD, 120, 400);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(counts.rejected).toBe(0);
    await runsAtOnce(queue, VISITOR);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(counts.rejected).toBeGreaterThan(0);
    expect(errors[0]).toMatchObject(BUSY);
    stop();
  });

  test('has a maximum number of waiting requests, which does not affect other networks', async () => {
    const queue = createFairQueue({ cores: 2 });
    const { counts, stop } = flood(queue, FLOOD, 1_004, 100);
    await vi.advanceTimersByTimeAsync(0);
    await expect(queue.enter(FLOOD)).rejects.toMatchObject(BUSY);
    expect(await runsAtOnce(queue, VISITOR)).toBe(true);
    expect(counts.rejected).toBe(0);
    stop();
  });

  test('uses the whole process while it is alone', async () => {
    const queue = createFairQueue({ cores: 2 });
    const { counts, stop } = flood(queue, FLOOD, 30, 200);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(counts.started).toBeGreaterThanOrEqual(4 * 20);
    // The requests of others run at once. The network pays only for the requests that are still running.
    expect(await runsAtOnce(queue, VISITOR)).toBe(true);
    counts.started = 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(counts.started).toBeGreaterThanOrEqual(3);
    stop();
  });
});

test('the network that has used least is next', async () => {
  const queue = createFairQueue({ cores: 1 });
  const first = await Promise.all(
    Array.from({ length: 16 }, (_, number) => queue.enter(`203.0.113.${1 + (number >> 2)}`)),
  );
  await vi.advanceTimersByTimeAsync(100);
  const order: string[] = [];
  for (const address of ['203.0.113.1', VISITOR])
    void queue.enter(address).then((turn) => {
      order.push(address);
      turn.end();
    });
  await vi.advanceTimersByTimeAsync(0);
  expect(order).toEqual([]);
  for (const turn of first) turn.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(order[0]).toBe(VISITOR);
});

test('a /48 network of IPv6 has four times the budget of a subscriber', async () => {
  const queue = createFairQueue({ cores: 2 });
  await runsAtOnce(queue, VISITOR);
  const floods = Array.from({ length: 20 }, (_, n) => flood(queue, `2001:db8:1:${n}::1`, 4, 100));
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await runsAtOnce(queue, VISITOR)).toBe(true);
  const before = floods.reduce((sum, { counts }) => sum + counts.started, 0);
  await vi.advanceTimersByTimeAsync(4_000);
  const started = floods.reduce((sum, { counts }) => sum + counts.started, 0) - before;
  // Two seconds of cost a second, which is 80 requests in this time.
  expect(started).toBeGreaterThanOrEqual(64);
  expect(started).toBeLessThanOrEqual(96);
  for (const { stop } of floods) stop();
});

describe('while a service is slow', () => {
  test('a visitor whose pages send ten requests is not rejected', async () => {
    const queue = createFairQueue({ cores: 1 });
    const other = flood(queue, FLOOD, 1, 2_000);
    for (let page = 0; page < 5; page += 1) {
      const requests = Array.from({ length: 10 }, async () => {
        const turn = await queue.enter(VISITOR);
        await pause(2_000);
        turn.end();
      });
      const sent = Promise.all(requests);
      await vi.advanceTimersByTimeAsync(15_000);
      await sent;
    }
    expect(other.counts.rejected).toBe(0);
    other.stop();
  });

  test('a network runs few requests, and all networks together are not limited', async () => {
    const queue = createFairQueue({ cores: 1 });
    await runsAtOnce(queue, VISITOR);
    const floods = Array.from({ length: 8 }, (_, n) => flood(queue, `198.51.100.${n}`, 20, 5_000));
    await vi.advanceTimersByTimeAsync(4_500);
    for (const { counts } of floods) {
      expect(counts.running).toBeGreaterThanOrEqual(1);
      expect(counts.mostRunning).toBeLessThanOrEqual(4);
    }
    expect(await runsAtOnce(queue, VISITOR)).toBe(true);
    for (const { stop } of floods) stop();
  });
});

test('a request that its client has canceled leaves the queue', async () => {
  const queue = createFairQueue({ cores: 2 });
  const turns = await Promise.all(Array.from({ length: 4 }, () => queue.enter(FLOOD)));
  const canceled = new AbortController();
  const waiting = queue.enter(FLOOD, canceled.signal);
  canceled.abort(new Error('closed'));
  await expect(waiting).rejects.toThrow('closed');
  await expect(queue.enter(FLOOD, canceled.signal)).rejects.toThrow('closed');
  for (const turn of turns) turn.end();
  expect(await runsAtOnce(queue, FLOOD)).toBe(true);
});
