import { expect, test } from 'vitest';
import { createPositions, POSITION_LIFETIME_ms } from '../src/api/positions.ts';

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test('the furthest position counts, whatever comes later', () => {
  const positions = createPositions(memory(), () => 1_000);
  expect(positions.latest()).toBeNull();
  positions.seen('0000000009');
  positions.seen('0000000003');
  expect(positions.latest()).toBe('0000000009');
  positions.seen('0000000010');
  expect(positions.latest()).toBe('0000000010');
});

test('shell and remotes share it through storage', () => {
  const storage = memory();
  createPositions(storage, () => 1_000).seen('0000000005');
  expect(createPositions(storage, () => 2_000).latest()).toBe('0000000005');
});

test('an old position is not asked for any more', () => {
  let now_ms = 1_000;
  const positions = createPositions(memory(), () => now_ms);
  positions.seen('0000000005');
  now_ms += POSITION_LIFETIME_ms;
  expect(positions.latest()).toBeNull();
  positions.seen('0000000002');
  expect(positions.latest(), 'a forgotten one does not stand in the way').toBe('0000000002');
});

test('refused or damaged storage costs nothing', () => {
  const refusing = {
    getItem: (): string | null => {
      throw new Error('SecurityError');
    },
    setItem: () => {
      throw new Error('QuotaExceededError');
    },
  };
  const positions = createPositions(refusing, () => 1_000);
  positions.seen('0000000004');
  expect(positions.latest()).toBe('0000000004');
  expect(createPositions({ getItem: () => 'nonsense', setItem: () => undefined }, () => 1_000).latest()).toBeNull();
});
