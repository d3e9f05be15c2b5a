import { expect, test } from 'vitest';
import { frontEndReportFields } from '../../src/front-ends/fields.ts';
import { estimatePercentile, findInterval, VITAL_LIMITS, VITALS } from '../../src/front-ends/measures.ts';

test('a value belongs to the first interval whose limit it does not exceed', () => {
  expect([0, 200, 201, 10_000, 10_001].map((value) => findInterval('lcp', value))).toEqual([0, 0, 1, 13, 14]);
  for (const vital of VITALS) expect(VITAL_LIMITS[vital]).toEqual(VITAL_LIMITS[vital].toSorted((a, b) => a - b));
});

const counted = (values: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(findInterval('lcp', value), (counts.get(findInterval('lcp', value)) ?? 0) + 1);
  return counts;
};

test('three quarters of the values do not exceed the estimate', () => {
  expect(estimatePercentile('lcp', new Map(), 0.75)).toBeNull();
  expect(estimatePercentile('lcp', counted([900, 900, 900, 5_000]), 0.75)).toBe(1_000);
  expect(estimatePercentile('lcp', counted([900, 900, 5_000, 5_000]), 0.75)).toBe(5_000);
  expect(estimatePercentile('lcp', counted([60_000]), 0.75), 'there is no upper limit').toBe(10_000);
});

test('the estimate is close to the exact percentile', () => {
  const values = Array.from({ length: 1_000 }, (_, n) => 300 + ((n * 7_919) % 1_000) * 2.5);
  const exact = values.toSorted((a, b) => a - b)[749] ?? 0;
  expect(Math.abs((estimatePercentile('lcp', counted(values), 0.75) ?? 0) - exact)).toBeLessThan(50);
});

const HASH = '0123456789abcdef';

test.each([
  [{ errors: [{ frontEnd: 'shell', hash: HASH, kind: 'render' }] }, true],
  [{ errors: [{ frontEnd: 'mf-admin', hash: '', kind: 'rejection' }], vitals: [] }, true],
  [{ vitals: [{ frontEnd: 'mf-listings', hash: HASH, vital: 'cls', value: 0.01 }] }, true],
  [{ errors: [{ frontEnd: 'mf-fifth', hash: HASH, kind: 'load' }] }, true],
  [{ errors: [{ frontEnd: '__proto__', hash: HASH, kind: 'render' }] }, false],
  [{ errors: [{ frontEnd: 'shell', hash: '<script>', kind: 'render' }] }, false],
  [{ errors: [{ frontEnd: 'shell', hash: HASH, kind: 'constructor' }] }, false],
  [{ vitals: [{ frontEnd: 'shell', hash: HASH, vital: 'lcp', value: -1 }] }, false],
  [{ vitals: [{ frontEnd: 'shell', hash: HASH, vital: 'lcp', value: 1e9 }] }, false],
  [{ errors: Array.from({ length: 21 }, () => ({ frontEnd: 'shell', hash: HASH, kind: 'render' })) }, false],
])('the report %j is valid: %s', (report, isValid) => {
  expect(frontEndReportFields.safeParse(report).success).toBe(isValid);
});

test('a report contains no other data', () => {
  const [error] =
    frontEndReportFields.parse({
      errors: [{ frontEnd: 'shell', hash: HASH, kind: 'render', message: 'secret', url: '/ad/1' }],
      visitor: 'someone',
    }).errors ?? [];
  expect(error).toEqual({ frontEnd: 'shell', hash: HASH, kind: 'render' });
});
