import { expect, test, vi } from 'vitest';
import { createSlots, createSlotsPerKey, pollUntil } from '../src/service/polling-and-slots.ts';

const never = new AbortController().signal;

test('polling returns the first result', async () => {
  const check = vi
    .fn<() => Promise<string | null>>()
    .mockResolvedValueOnce(null)
    .mockResolvedValueOnce(null)
    .mockResolvedValueOnce('found');
  expect(await pollUntil(check, { timeout_ms: 60_000, signal: never })).toBe('found');
  expect(check).toHaveBeenCalledTimes(3);
});

test('polling checks at least once, and ends at the time limit', async () => {
  const check = vi.fn<() => Promise<null>>().mockResolvedValue(null);
  expect(await pollUntil(check, { timeout_ms: 0, signal: never })).toBeNull();
  expect(check).toHaveBeenCalledTimes(1);
  expect(await pollUntil(check, { timeout_ms: 1_000, signal: never })).toBeNull();
  expect(check.mock.calls.length).toBeGreaterThan(2);
});

test('polling ends when its signal aborts', async () => {
  const check = vi.fn<() => Promise<null>>().mockResolvedValue(null);
  expect(await pollUntil(check, { timeout_ms: 60_000, signal: AbortSignal.abort() })).toBeNull();
  expect(check).not.toHaveBeenCalled();
});

test('polling rejects with the error of a check', async () => {
  await expect(
    pollUntil(() => Promise.reject(new Error('store away')), { timeout_ms: 100, signal: never }),
  ).rejects.toThrow('store away');
});

test('slots are limited, and the first waiting caller gets a released slot', async () => {
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

test('a signal is not required, and many waiting callers cause no warning', async () => {
  const slots = createSlots({ max: 1, maxWaiting: 64, wait_ms: 60_000 });
  const inside = await slots.take();
  const warned = vi.fn();
  process.on('warning', warned);
  const waiting = Array.from({ length: 40 }, () => slots.take().then((slot) => slot?.release()));
  inside?.release();
  await Promise.all(waiting);
  // Waits for the next turn of the event loop, because Node emits warnings then.
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

test('the number of waiting callers and their wait are limited', async () => {
  const slots = createSlots({ max: 1, maxWaiting: 1, wait_ms: 20 });
  await slots.take(never);
  const patient = slots.take(never);
  expect(await slots.take(never)).toBeNull();
  expect(await patient).toBeNull();
});

test('an aborted caller leaves the queue without affecting the others', async () => {
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

test('each key has its own slots, and releasing a slot twice frees one', () => {
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
