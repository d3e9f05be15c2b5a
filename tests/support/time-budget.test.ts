import { expect, test } from 'vitest';
import { hangLimit_ms, isTooLate, NIGHTLY_LIMIT_ms } from './time-budget.mjs';

test.each([
  ['a run with a limit of time', String(Date.UTC(2026, 0, 1)), 1_000],
  ['a single test file', '', 1_000],
  ['npm run test:nightly, which has no limit of time', 'maximum', NIGHTLY_LIMIT_ms],
])('the time limit of something that hangs in %s', (_, until, expected_ms) => {
  expect(hangLimit_ms(1_000, until)).toBe(expected_ms);
});

const START_ms = 1_000_000_000;
const CI = { TEST_STARTED_AT_S: String(START_ms / 1_000) };

test.each([
  ['a long file early in .ci/run', true, 18, CI, false],
  ['a long file late in .ci/run', true, 19, CI, true],
  ['any other file late in .ci/run', false, 67, CI, false],
  ['any file shortly before the end of .ci/run', false, 68, CI, true],
  ['a file of a nightly run', true, 600, { ...CI, TEST_VOLUMES_UNTIL: 'maximum' }, false],
  ['a file of npm run test:all', true, 600, {}, false],
])('%s: left out or not', (_, isLong, passed_min, env, expected) => {
  expect(isTooLate(isLong, START_ms + passed_min * 60_000, env)).toBe(expected);
});
