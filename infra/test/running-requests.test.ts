import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { countOpenRequests } from '../src/http/open-requests.ts';

/** Starts a request. Returns a function that ends the request. */
function begin({ countRequest }: ReturnType<typeof countOpenRequests>): () => void {
  const res = new EventEmitter();
  let isPassedOn = false;
  void countRequest({} as Request, res as unknown as Response, () => (isPassedOn = true));
  expect(isPassedOn).toBe(true);
  return () => res.emit('close');
}

test('long work continues at once while there is no request', async () => {
  const underWay = countOpenRequests();
  let isWaiting = true;
  const continued = underWay.waitUntilIdle().then(() => (isWaiting = false));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(isWaiting).toBe(false);
  await continued;
});

test('long work waits until all requests have ended', async () => {
  const underWay = countOpenRequests();
  const ends = [begin(underWay), begin(underWay)];
  const order: string[] = [];
  const continued = underWay.waitUntilIdle().then(() => order.push('work'));
  ends[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 2));
  order.push('responded');
  ends[1]?.();
  await continued;
  expect(order).toEqual(['responded', 'work']);
});

test('long work pauses between its batches if there was a request just now', async () => {
  const underWay = countOpenRequests();
  begin(underWay)();
  const order: string[] = [];
  const continued = underWay.waitUntilIdle().then(() => order.push('work'));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  order.push('requested again');
  await continued;
  expect(order).toEqual(['requested again', 'work']);
});

test('long work continues although there is always a running request', async () => {
  const underWay = countOpenRequests();
  begin(underWay);
  await underWay.waitUntilIdle();
});
