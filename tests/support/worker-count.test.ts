import { describe, expect, test } from 'vitest';
import { workersFor } from './worker-count.mjs';

const GB = 1024 ** 3;

describe('the number of test files that run at once', () => {
  test.each([
    ['two idle cores', { cores: 2, busy: 0 }, 4],
    ['two cores that other programs use', { cores: 2, busy: 2 }, 3],
    ['one idle core', { cores: 1, busy: 0 }, 2],
    ['one core in use', { cores: 1, busy: 1 }, 1],
    ['eight cores, two of them in use', { cores: 8, busy: 2 }, 15],
  ])('%s', (_, machine, expected) => {
    expect(workersFor({ ...machine, free_bytes: 64 * GB })).toBe(expected);
  });

  test('is bounded by the free memory, and at least one', () => {
    expect(workersFor({ cores: 16, busy: 0, free_bytes: 6 * GB })).toBe(4);
    expect(workersFor({ cores: 16, busy: 0, free_bytes: 0 })).toBe(1);
  });
});
