import { createRequire } from 'node:module';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patchRequestQueue } from '../src/adapters/kafka/patch-request-queue.ts';

interface Queue {
  checkPendingRequests(): void;
  push(request: unknown): void;
  maybeThrottle(time_ms: number): void;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a connection of kafkajs checks for waiting requests only while there are some', async () => {
  await patchRequestQueue();
  const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
    options: object,
  ) => Queue;
  const queue = new RequestQueue({
    requestTimeout: 1_000,
    clientId: 'test',
    broker: 'test',
    logger: { debug: () => undefined },
  });
  queue.checkPendingRequests();
  expect(vi.getTimerCount()).toBe(0);

  let sent = 0;
  const entry = {
    correlationId: 1,
    apiKey: 0,
    apiName: 'Test',
    apiVersion: 0,
    resolve: () => undefined,
    reject: () => undefined,
  };
  queue.maybeThrottle(500);
  queue.push({ entry, expectResponse: false, sendRequest: () => (sent += 1) });
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(499);
  expect(sent).toBe(0);
  vi.advanceTimersByTime(20);
  expect(sent).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});
