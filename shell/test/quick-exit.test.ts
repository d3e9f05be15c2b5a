import { describe, expect, it } from 'vitest';
import { createEscapeCounter } from '../server/inline/quick-exit.ts';

/** Returns the number of the press that leaves the site, or null. */
function leavesAt(times_ms: readonly number[]): number | null {
  const shouldLeave = createEscapeCounter();
  const index = times_ms.findIndex((time_ms) => shouldLeave(time_ms));
  return index < 0 ? null : index + 1;
}

describe('the presses of Escape that leave the site', () => {
  it.each([
    [[0, 700, 1_500], 3],
    [[0, 700, 1_501], null],
    [[0, 100], null],
    [[0, 5_000, 5_400, 6_000], 4],
    [[0, 1_000, 2_000, 3_000], null],
  ])('at %j ms', (times_ms, press) => {
    expect(leavesAt(times_ms)).toBe(press);
  });
});
