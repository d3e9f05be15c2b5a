/**
 * True if this run checks everything (`npm run test:all`). False if it checks only a part (`npm test`), or if it checks
 * the rest of each matrix later (`.ci/run`).
 */
export const isFullRun = process.env['TEST_SCOPE'] === 'all' && process.env['TEST_MATRICES'] !== 'sampled';

/**
 * Returns the test cases of a large matrix that this run checks. A full run checks all cases. Any other run checks
 * `count` evenly spaced cases, which are the same in every run and include the first and the last case.
 */
export function sampleOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isFullRun || cases.length <= count) return cases;
  if (count === 1) return cases.slice(0, 1);
  const step = (cases.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => cases[Math.round(index * step)] as Case);
}
