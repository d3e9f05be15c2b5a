import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { assertProperty } from './property.ts';
import { isFullRun } from './sample.ts';
import { takeVolumes, Volume } from './volume.ts';

const LIMITS = { name: 'files', short: 2, minimum: 10, maximum: 100, time_s: 30 };
const START_ms = 1_000_000;

// The volumes of these tests are not part of the report.
afterAll(() => void takeVolumes());

interface Run {
  readonly isFull?: boolean;
  readonly until?: string | null;
  readonly chosen?: string;
}

/** Returns how often a check repeats if each repetition takes `each_ms`. */
function repeat(each_ms: number, { isFull = true, until = null, chosen = undefined }: Run): number {
  let now_ms = START_ms;
  const volume = new Volume({ ...LIMITS, chosen }, { isFull, until, readTime_ms: () => now_ms });
  while (volume.takeNext()) now_ms += each_ms;
  return volume.count;
}

describe('a volume', () => {
  test.each<[string, number, Run, number]>([
    ['the short number in npm test, however fast it is', 0, { isFull: false }, 2],
    ['its maximum if the time suffices', 1, {}, 100],
    ['as many as its time allows', 1_000, {}, 30],
    ['its minimum, however slow it is', 60_000, {}, 10],
    ['its minimum if the run is late', 1_000, { until: String(START_ms - 1) }, 10],
    ['as many as the time of the run allows', 1_000, { until: String(START_ms + 15_000) }, 15],
    ['its maximum without a limit of time', 60_000, { until: 'maximum' }, 100],
    ['the chosen number', 60_000, { chosen: '42' }, 42],
  ])('reaches %s', (_, each_ms, run, expected) => {
    expect(repeat(each_ms, run)).toBe(expected);
  });
});

test.each(['1e', '', ' ', '0', '-1', '1.5', 'Infinity'])('a volume rejects the chosen number "%s"', (chosen) => {
  expect(() => new Volume({ ...LIMITS, chosen })).toThrow(
    `The number of files must be a positive integer: "${chosen}"`,
  );
});

test('assertProperty generates the cases of the volume', async () => {
  let cases = 0;
  const property = fc.property(fc.nat(), () => void (cases += 1));
  await assertProperty(property, { ...LIMITS, time_s: 0 });
  expect(cases).toBeGreaterThanOrEqual(isFullRun ? LIMITS.minimum : LIMITS.short);
});

test('assertProperty fails if a later case fails', async () => {
  let cases = 0;
  const property = fc.property(fc.nat(), () => (cases += 1) < 3);
  await expect(assertProperty(property, { ...LIMITS, chosen: '5' })).rejects.toThrow('Property failed');
});
