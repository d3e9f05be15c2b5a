import { expect, test } from 'vitest';
import { createPositionStore, POSITION_LIFETIME_ms } from '../src/api/position-store.ts';

function memory() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
}

test('the latest position is returned, even if an earlier one is recorded afterwards', () => {
  const positions = createPositionStore(memory(), () => 1_000);
  expect(positions.latest()).toBeNull();
  positions.record('0000000009');
  positions.record('0000000003');
  expect(positions.latest()).toBe('0000000009');
  positions.record('0000000010');
  expect(positions.latest()).toBe('0000000010');
});

test('shell and remotes share the position through the storage', () => {
  const storage = memory();
  createPositionStore(storage, () => 1_000).record('0000000005');
  expect(createPositionStore(storage, () => 2_000).latest()).toBe('0000000005');
});

test('a position expires', () => {
  let now_ms = 1_000;
  const positions = createPositionStore(memory(), () => now_ms);
  positions.record('0000000005');
  now_ms += POSITION_LIFETIME_ms;
  expect(positions.latest()).toBeNull();
  positions.record('0000000002');
  expect(positions.latest(), 'an expired position has no effect').toBe('0000000002');
});

test('denied storage or invalid content causes no error', () => {
  const denied = {
    getItem: (): string | null => {
      throw new Error('SecurityError');
    },
    setItem: () => {
      throw new Error('QuotaExceededError');
    },
  };
  const positions = createPositionStore(denied, () => 1_000);
  positions.record('0000000004');
  expect(positions.latest()).toBe('0000000004');
  expect(createPositionStore({ getItem: () => 'nonsense', setItem: () => undefined }, () => 1_000).latest()).toBeNull();
});
