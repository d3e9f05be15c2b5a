import { expect, test } from 'vitest';
import { createPositionStore, POSITION_LIFETIME_ms, STORED_WRITES_MAX } from '../src/api/position-store.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

test('the positions of the last writes and of the last live message are returned', () => {
  const positions = createPositionStore(createMemoryStorage(), () => 1_000);
  expect(positions.toHeader()).toBeNull();
  for (let n = 1; n <= STORED_WRITES_MAX + 1; n += 1) positions.recordWrite(`write-${n}`);
  for (let n = 1; n <= 10; n += 1) positions.recordLive(`live-${n}`);
  expect(positions.toHeader()).toBe('write-4,write-3,write-2,live-10');
});

test('shell and remotes share the positions through the storage', () => {
  const storage = createMemoryStorage();
  createPositionStore(storage, () => 1_000).recordWrite('a');
  expect(createPositionStore(storage, () => 2_000).toHeader()).toBe('a');
});

test('a position expires', () => {
  let now_ms = 1_000;
  const positions = createPositionStore(createMemoryStorage(), () => now_ms);
  positions.recordWrite('a');
  positions.recordLive('b');
  now_ms += POSITION_LIFETIME_ms;
  expect(positions.toHeader()).toBeNull();
  positions.recordWrite('c');
  expect(positions.toHeader(), 'an expired position has no effect').toBe('c');
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
  positions.recordWrite('a');
  expect(positions.toHeader()).toBe('a');
  for (const content of ['nonsense', '{}', 'null', '{"writes":[],"live":3}']) {
    const stored = { getItem: () => content, setItem: () => undefined };
    expect(createPositionStore(stored, () => 1_000).toHeader()).toBeNull();
  }
});
