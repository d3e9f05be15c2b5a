import { describe, expect, test } from 'vitest';
import { countResults, formatFailures, formatTimes, type FileResult } from '../run-results.mjs';

const fileResult = (result: Partial<FileResult>): FileResult => ({
  file: 'a.test.ts',
  kind: 'unit',
  duration_ms: 0,
  passed: 0,
  failed: 0,
  isBroken: false,
  skipped: [],
  failures: [],
  ...result,
});

describe('countResults', () => {
  test('adds the tests of all files', () => {
    const files = [fileResult({ passed: 3, failed: 1 }), fileResult({ passed: 2, skipped: ['b'] })];
    expect(countResults({ files, errorsOutsideTests: [] }, false)).toEqual({ passed: 5, failed: 1, skipped: ['b'] });
  });

  test.each([
    [
      'a file that failed outside its tests',
      { files: [fileResult({ passed: 1, isBroken: true })], errorsOutsideTests: [] },
      true,
    ],
    ['an error outside every file', { files: [fileResult({ passed: 1 })], errorsOutsideTests: ['ECONNRESET'] }, true],
    [
      'a test runner that failed without a failed test',
      { files: [fileResult({ passed: 1 })], errorsOutsideTests: [] },
      false,
    ],
  ])('counts %s as a failure', (_, results, hasSucceeded) => {
    expect(countResults(results, hasSucceeded)).toMatchObject({ passed: 1, failed: 1 });
  });

  test('counts missing results as a failure', () => {
    expect(countResults(null, true)).toEqual({ passed: 0, failed: 1, skipped: [] });
  });
});

test('formatTimes lists the ten slowest files and the total time of each kind', () => {
  const files = Array.from({ length: 12 }, (_, index) =>
    fileResult({
      file: `${index}.test.ts`,
      kind: index % 2 === 0 ? 'unit' : 'browser',
      duration_ms: index * 1_000,
      passed: 1,
    }),
  );
  const lines = formatTimes({ files, errorsOutsideTests: [] }, [{ title: 'Lint', duration_ms: 5_000 }]);
  expect(lines.filter((line) => line.endsWith('.test.ts'))).toHaveLength(10);
  expect(lines[1]).toBe('     11.0 s  11.test.ts');
  expect(lines.slice(-3)).toEqual([
    '      5.0 s  Lint',
    '     30.0 s  unit: 6 tests in 6 files',
    '     36.0 s  browser: 6 tests in 6 files',
  ]);
});

test('formatFailures names failed tests, broken files and errors outside the tests', () => {
  const files = [
    fileResult({ file: 'a.test.ts', failed: 1, failures: ['an ad is shown: expected 1 to be 2'] }),
    fileResult({ file: 'b.test.ts', isBroken: true }),
    fileResult({ file: 'c.test.ts', passed: 1 }),
  ];
  expect(formatFailures({ files, errorsOutsideTests: ['ECONNRESET'] })).toEqual([
    '✗ a.test.ts: an ad is shown: expected 1 to be 2',
    '✗ b.test.ts: a hook failed, or the file did not load',
    '✗ outside the tests: ECONNRESET',
  ]);
});
