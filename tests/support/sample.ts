/** Whether this run checks everything (`npm run test:all`), or a part of it that takes a few minutes (`npm test`). */
export const isFullRun = process.env['TEST_SCOPE'] === 'all';

/**
 * The cases of a large matrix that this run checks: all of them in a full run, otherwise `count` of them, evenly spaced from the first to the
 * last, and the same ones every time.
 */
export function sampleOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (isFullRun || cases.length <= count) return cases;
  if (count === 1) return cases.slice(0, 1);
  const step = (cases.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => cases[Math.round(index * step)] as Case);
}
