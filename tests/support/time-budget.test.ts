import { expect, test } from 'vitest';
import { hangLimit_ms, NIGHTLY_LIMIT_ms } from './time-budget.mjs';

test.each([
  ['a run with a limit of time', String(Date.UTC(2026, 0, 1)), 1_000],
  ['a single test file', '', 1_000],
  ['npm run test:nightly, which has no limit of time', 'maximum', NIGHTLY_LIMIT_ms],
])('the time limit of something that hangs in %s', (_, until, expected_ms) => {
  expect(hangLimit_ms(1_000, until)).toBe(expected_ms);
});
