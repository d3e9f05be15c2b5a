import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { watchUnderWay } from '../src/http/under-way.ts';

/** Begins a request; answers how it ends. */
function begin({ handler }: ReturnType<typeof watchUnderWay>): () => void {
  const res = new EventEmitter();
  let isHandedOn = false;
  void handler({} as Request, res as unknown as Response, () => (isHandedOn = true));
  expect(isHandedOn).toBe(true);
  return () => res.emit('close');
}

test('long work goes on at once while nobody is answered', async () => {
  const underWay = watchUnderWay();
  let isWaiting = true;
  const steppedBack = underWay.stepBack().then(() => (isWaiting = false));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(isWaiting).toBe(false);
  await steppedBack;
});

test('it waits until all are answered', async () => {
  const underWay = watchUnderWay();
  const ends = [begin(underWay), begin(underWay)];
  const order: string[] = [];
  const steppedBack = underWay.stepBack().then(() => order.push('work'));
  ends[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 2));
  order.push('answered');
  ends[1]?.();
  await steppedBack;
  expect(order).toEqual(['answered', 'work']);
});

test('it rests for a while between its slices where somebody asked just now', async () => {
  const underWay = watchUnderWay();
  begin(underWay)();
  const order: string[] = [];
  const steppedBack = underWay.stepBack().then(() => order.push('work'));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  order.push('asked again');
  await steppedBack;
  expect(order).toEqual(['asked again', 'work']);
});

test('it goes on where somebody is always being answered', async () => {
  const underWay = watchUnderWay();
  begin(underWay);
  await underWay.stepBack();
});
