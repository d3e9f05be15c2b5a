import { expect, test } from 'vitest';
import { isFullRun, sampleOf } from './sample.ts';

const CASES = Array.from({ length: 100 }, (_, index) => index);

test('sampleOf includes the first and the last case and evenly spaced cases between them', () => {
  expect(sampleOf(CASES, 4)).toEqual(isFullRun ? CASES : [0, 33, 66, 99]);
});

test('sampleOf includes all cases when the sample is larger than the matrix', () => {
  expect(sampleOf([1, 2], 5)).toEqual([1, 2]);
});

test('sampleOf includes no case twice', () => {
  for (let count = 1; count <= 100; count += 1)
    expect(new Set(sampleOf(CASES, count)).size).toBe(isFullRun ? 100 : count);
});
