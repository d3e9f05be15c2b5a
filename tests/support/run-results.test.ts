import { describe, expect, test } from 'vitest';
import { countResults, formatFailures, formatTimes, formatVolumes, type FileResult } from '../run-results.mjs';

const fileResult = (result: Partial<FileResult>): FileResult => ({
  file: 'a.test.ts',
  kind: 'unit',
  duration_ms: 0,
  processor_ms: null,
  volumes: [],
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
    expect(countResults({ files, kinds: [], errorsOutsideTests: [] }, false)).toEqual({
      passed: 5,
      failed: 1,
      skipped: ['b'],
    });
  });

  test.each([
    [
      'a file that failed outside its tests',
      { files: [fileResult({ passed: 1, isBroken: true })], kinds: [], errorsOutsideTests: [] },
      true,
    ],
    [
      'an error outside every file',
      { files: [fileResult({ passed: 1 })], kinds: [], errorsOutsideTests: ['ECONNRESET'] },
      true,
    ],
    [
      'a test runner that failed without a failed test',
      { files: [fileResult({ passed: 1 })], kinds: [], errorsOutsideTests: [] },
      false,
    ],
  ])('counts %s as a failure', (_, results, hasSucceeded) => {
    expect(countResults(results, hasSucceeded)).toMatchObject({ passed: 1, failed: 1 });
  });

  test('counts missing results as a failure', () => {
    expect(countResults(null, true)).toEqual({ passed: 0, failed: 1, skipped: [] });
  });
});

describe('formatTimes', () => {
  const run = {
    steps: [{ title: 'Lint', duration_ms: 5_000, processor_ms: 9_000 }],
    duration_ms: 60_000,
    processor_ms: 100_000,
    isComplete: true,
  };
  const kinds = [
    { kind: 'unit', duration_ms: 20_000, processor_ms: 40_000 },
    { kind: 'browser', duration_ms: 30_000, processor_ms: 50_000 },
  ];

  test('lists the ten most expensive files, and the processor time and duration of each kind', () => {
    const files = Array.from({ length: 12 }, (_, index) =>
      fileResult({
        file: `${index}.test.ts`,
        kind: index % 2 === 0 ? 'unit' : 'browser',
        duration_ms: (12 - index) * 1_000,
        processor_ms: index * 1_000,
        passed: 1,
      }),
    );
    const lines = formatTimes({ files, kinds }, run);
    expect(lines.filter((line) => line.endsWith('.test.ts'))).toHaveLength(10);
    expect(lines[1]).toBe('     11.0 s      1.0 s  11.test.ts');
    expect(lines.slice(-5)).toEqual([
      '      9.0 s      5.0 s  Lint',
      '     40.0 s     20.0 s  unit: 6 tests in 6 files',
      '     50.0 s     30.0 s  browser: 6 tests in 6 files',
      '      1.0 s      5.0 s  start and end of the test runner and of Postgres',
      '    100.0 s     60.0 s  in all',
    ]);
  });

  test('lists the slowest files if processor times are unknown', () => {
    const files = [fileResult({ file: 'a', duration_ms: 1_000 }), fileResult({ file: 'b', duration_ms: 2_000 })];
    const lines = formatTimes({ files, kinds: [] }, { ...run, processor_ms: null });
    expect(lines[1]).toBe('          ?      2.0 s  b');
    expect(lines.at(-1)).toBe('Processor time is unknown on this system.');
  });

  test('says that processes may be missing', () => {
    const lines = formatTimes({ files: [], kinds }, { ...run, isComplete: false });
    expect(lines.at(-1)).toContain('Processor time is at least');
  });
});

test('formatVolumes shows the volumes of all files with their limits', () => {
  const files = [
    fileResult({ volumes: [{ name: 'videos', count: 12_000, minimum: 2_000, maximum: 50_000 }] }),
    fileResult({ volumes: [{ name: 'requests', count: 1_250, minimum: 1_250, maximum: 1_250 }] }),
    fileResult({ volumes: [{ name: 'kills', count: 24, minimum: 6, maximum: 24 }] }),
  ];
  expect(formatVolumes(files).slice(1, -1)).toEqual([
    '  videos: 12,000 (minimum 2,000, maximum 50,000)',
    '  requests: 1,250',
    '  kills: 24 (minimum 6, maximum 24)',
  ]);
});

test('formatFailures names failed tests, broken files and errors outside the tests', () => {
  const files = [
    fileResult({ file: 'a.test.ts', failed: 1, failures: ['an ad is shown: expected 1 to be 2'] }),
    fileResult({ file: 'b.test.ts', isBroken: true }),
    fileResult({ file: 'c.test.ts', passed: 1 }),
  ];
  expect(formatFailures({ files, kinds: [], errorsOutsideTests: ['ECONNRESET'] })).toEqual([
    '✗ a.test.ts: an ad is shown: expected 1 to be 2',
    '✗ b.test.ts: a hook failed, or the file did not load',
    '✗ outside the tests: ECONNRESET',
  ]);
});
