import { expect, test } from 'vitest';
import { computeReportWeight, HIDING_WEIGHT, type ReportHistory } from '../../src/report/weight.ts';

test.each<[string, Partial<ReportHistory>, boolean]>([
  ['without history', {}, true],
  ['with an unfounded report', { unfounded: 1 }, false],
  ['with as many confirmed as unfounded reports', { confirmed: 2, unfounded: 2 }, true],
  ['about an owner with two unfounded cases', { unfoundedOfOwner: 2 }, true],
  ['about an owner with three unfounded cases', { unfoundedOfOwner: 3 }, false],
])('a single report %s hides content: %o %s', (_name, history, hides) => {
  const none: ReportHistory = { confirmed: 0, unfounded: 0, unfoundedOfOwner: 0 };
  expect(computeReportWeight({ ...none, ...history }) > HIDING_WEIGHT).toBe(hides);
});
