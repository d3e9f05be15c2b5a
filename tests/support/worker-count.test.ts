import { describe, expect, test } from 'vitest';
import { workersFor } from './worker-count.mjs';

const GB = 1024 ** 3;

describe('workersFor', () => {
  test.each([
    ['4 for two idle cores', { cores: 2, busy: 0 }, 4],
    ['4 for two cores that other programs hardly use', { cores: 2, busy: 0.5 }, 4],
    ['3 for two cores that other programs use', { cores: 2, busy: 2 }, 3],
    ['2 for one idle core', { cores: 1, busy: 0 }, 2],
    ['1 for one busy core', { cores: 1, busy: 1 }, 1],
    ['15 for eight cores, two of them busy', { cores: 8, busy: 2 }, 15],
  ])('returns %s', (_, machine, expected) => {
    expect(workersFor({ ...machine, free_bytes: 64 * GB })).toBe(expected);
  });

  test('limits the number by the free memory and returns at least one', () => {
    expect(workersFor({ cores: 16, busy: 0, free_bytes: 6 * GB })).toBe(4);
    expect(workersFor({ cores: 16, busy: 0, free_bytes: 0 })).toBe(1);
  });
});
