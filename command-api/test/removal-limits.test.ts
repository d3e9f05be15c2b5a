import { expect, test } from 'vitest';
import { createRemovalLimits } from '../src/routes/removal-limits.ts';

const HOME = '203.0.113.1';
const ELSEWHERE = '198.51.100.1';

/** Limits whose counts are in memory and never end. */
function openLimits() {
  const counts = new Map<string, number>();
  return createRemovalLimits({
    hashKey: (text) => text,
    counters: {
      add: (key, by) => {
        counts.set(key, (counts.get(key) ?? 0) + by);
        return Promise.resolve({ count: counts.get(key) ?? 0, left_ms: 1_000 });
      },
      find: () => Promise.resolve(null),
      reset: () => Promise.resolve(),
    },
  });
}

test('another network does not use up the requests of a person', async () => {
  const limits = openLimits();
  for (let request = 1; request <= 20; request += 1) await limits.admit('anna@example.com', ELSEWHERE, 0);
  await expect(limits.admit('anna@example.com', ELSEWHERE, 0)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(await limits.admit('anna@example.com', HOME, 1)).toMatchObject({ hidesAtOnce: true });
});

test('a network hides a limited number of contents at once, and its first request hides all', async () => {
  const limits = openLimits();
  expect(await limits.admit('1@example.com', HOME, 200)).toMatchObject({ hidesAtOnce: true });
  expect(await limits.admit('2@example.com', HOME, 1)).toMatchObject({ hidesAtOnce: false });
  expect(await limits.admit('2@example.com', ELSEWHERE, 1)).toMatchObject({ hidesAtOnce: true });
});

test('a request that was not stored does not count', async () => {
  const limits = openLimits();
  for (let request = 1; request <= 30; request += 1) {
    const { hidesAtOnce, undo } = await limits.admit('anna@example.com', HOME, 200);
    expect(hidesAtOnce).toBe(true);
    await undo();
  }
});
