import { describe, expect, test } from 'vitest';
import { countsOf, timesOf, type FileResult } from '../run-results.mjs';

const fileResult = (result: Partial<FileResult>): FileResult => ({
  file: 'a.test.ts',
  kind: 'unit',
  duration_ms: 0,
  passed: 0,
  failed: 0,
  isBroken: false,
  skipped: [],
  ...result,
});

describe('the counts of a run', () => {
  test('adds the tests of all files', () => {
    const files = [fileResult({ passed: 3, failed: 1 }), fileResult({ passed: 2, skipped: ['b'] })];
    expect(countsOf({ files, errorsOutsideTests: 0 }, false)).toEqual({ passed: 5, failed: 1, skipped: ['b'] });
  });

  test.each([
    [
      'a file that failed outside its tests',
      { files: [fileResult({ passed: 1, isBroken: true })], errorsOutsideTests: 0 },
      true,
    ],
    ['an error outside every file', { files: [fileResult({ passed: 1 })], errorsOutsideTests: 1 }, true],
    [
      'a test runner that failed without saying why',
      { files: [fileResult({ passed: 1 })], errorsOutsideTests: 0 },
      false,
    ],
  ])('%s is a failure', (_, results, hasSucceeded) => {
    expect(countsOf(results, hasSucceeded)).toMatchObject({ passed: 1, failed: 1 });
  });

  test('a test runner that wrote no results is a failure', () => {
    expect(countsOf(null, true)).toEqual({ passed: 0, failed: 1, skipped: [] });
  });
});

test('the times of a run name the ten slowest files, and add up each kind', () => {
  const files = Array.from({ length: 12 }, (_, index) =>
    fileResult({
      file: `${index}.test.ts`,
      kind: index % 2 === 0 ? 'unit' : 'browser',
      duration_ms: index * 1_000,
      passed: 1,
    }),
  );
  const lines = timesOf({ files, errorsOutsideTests: 0 }, [{ title: 'Lint', duration_ms: 5_000 }]);
  expect(lines.filter((line) => line.endsWith('.test.ts'))).toHaveLength(10);
  expect(lines[1]).toBe('     11.0 s  11.test.ts');
  expect(lines.slice(-3)).toEqual([
    '      5.0 s  Lint',
    '     30.0 s  unit: 6 tests in 6 files',
    '     36.0 s  browser: 6 tests in 6 files',
  ]);
});
