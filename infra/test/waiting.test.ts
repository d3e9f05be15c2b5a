import { expect, test, vi } from 'vitest';
import { createSlots, createSlotsPerKey, pollUntil } from '../src/waiting.ts';

const never = new AbortController().signal;

test('polling ends with what was found', async () => {
  const look = vi
    .fn<() => Promise<string | null>>()
    .mockResolvedValueOnce(null)
    .mockResolvedValueOnce(null)
    .mockResolvedValueOnce('found');
  expect(await pollUntil(look, { timeout_ms: 60_000, signal: never })).toBe('found');
  expect(look).toHaveBeenCalledTimes(3);
});

test('polling looks at least once, and gives up when the time is over', async () => {
  const look = vi.fn<() => Promise<null>>().mockResolvedValue(null);
  expect(await pollUntil(look, { timeout_ms: 0, signal: never })).toBeNull();
  expect(look).toHaveBeenCalledTimes(1);
  expect(await pollUntil(look, { timeout_ms: 1_000, signal: never })).toBeNull();
  expect(look.mock.calls.length).toBeGreaterThan(2);
});

test('polling ends when nobody waits any more', async () => {
  const look = vi.fn<() => Promise<null>>().mockResolvedValue(null);
  expect(await pollUntil(look, { timeout_ms: 60_000, signal: AbortSignal.abort() })).toBeNull();
  expect(look).not.toHaveBeenCalled();
});

test('polling passes on what fails', async () => {
  await expect(
    pollUntil(() => Promise.reject(new Error('store away')), { timeout_ms: 100, signal: never }),
  ).rejects.toThrow('store away');
});

test('as many get in as there are slots, the next when one leaves, in order', async () => {
  const slots = createSlots({ max: 2, maxWaiting: 5, wait_ms: 60_000 });
  const [first] = [await slots.take(never), await slots.take(never)];
  const order: string[] = [];
  const third = slots.take(never).then((slot) => (order.push('third'), slot));
  const fourth = slots.take(never).then((slot) => (order.push('fourth'), slot));
  await Promise.resolve();
  expect(order).toEqual([]);
  first?.release();
  (await third)?.release();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('whoever never gives up needs no signal to say so with', async () => {
  const slots = createSlots({ max: 1, maxWaiting: 64, wait_ms: 60_000 });
  const inside = await slots.take();
  const warned = vi.fn();
  process.on('warning', warned);
  const waiting = Array.from({ length: 40 }, () => slots.take().then((slot) => slot?.release()));
  inside?.release();
  await Promise.all(waiting);
  // Warnings come with the next turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

test('releasing twice frees one slot', async () => {
  const slots = createSlots({ max: 1, maxWaiting: 0, wait_ms: 0 });
  const slot = await slots.take(never);
  slot?.release();
  slot?.release();
  expect(await slots.take(never)).not.toBeNull();
  expect(await slots.take(never)).toBeNull();
});

test('those at the door are bounded in number and in patience', async () => {
  const slots = createSlots({ max: 1, maxWaiting: 1, wait_ms: 20 });
  await slots.take(never);
  const patient = slots.take(never);
  expect(await slots.take(never)).toBeNull();
  expect(await patient).toBeNull();
});

test('who gives up loses the place, and nobody else does', async () => {
  const slots = createSlots({ max: 1, maxWaiting: 5, wait_ms: 60_000 });
  const inside = await slots.take(never);
  const leaving = new AbortController();
  const left = slots.take(leaving.signal);
  const stayed = slots.take(never);
  leaving.abort();
  expect(await left).toBeNull();
  inside?.release();
  expect(await stayed).not.toBeNull();
});

test('each key has its own places, and gets one back when it leaves, once', () => {
  const slots = createSlotsPerKey(2);
  const first = slots.take('anna');
  expect([first, slots.take('anna'), slots.take('anna'), slots.take('bea')].map(Boolean)).toEqual([
    true,
    true,
    false,
    true,
  ]);
  first?.release();
  first?.release();
  expect([slots.take('anna'), slots.take('anna')].map(Boolean)).toEqual([true, false]);
});
