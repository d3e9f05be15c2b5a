import { parseQuery } from '@alpenglow/infra';
import { describe, expect, test } from 'vitest';
import { toPeriod } from '../src/admin/transparency/period.ts';
import { createReportCsv } from '../src/admin/transparency/report-csv.ts';
import { createReport, type SumRow } from '../src/admin/transparency/report-reader.ts';

const PERIOD = { from: '2026-01-01', to: '2026-01-31' };
const NO_GROUP = { subject: null, reason: null, outcome: null, rule: null, is_automated: null, within_s: null };
const decided = (within_s: number | null, count: number): SumRow => ({
  ...NO_GROUP,
  measure: 'decision',
  subject: 'ad',
  outcome: 'removed',
  rule: 'spam',
  is_automated: within_s === null,
  within_s,
  count,
});

describe('the transparency report', () => {
  test('adds up equal rows and sorts them by count', () => {
    const report = (subject: string, reason: string, count: number): SumRow => ({
      ...NO_GROUP,
      measure: 'report',
      subject,
      reason,
      count,
    });
    expect(
      createReport([report('ad', 'spam', 1), report('post', 'spam', 3), report('ad', 'forced', 1)], PERIOD).reports,
    ).toEqual([
      { subject: 'post', reason: 'spam', count: 3 },
      { subject: 'ad', reason: 'forced', count: 1 },
      { subject: 'ad', reason: 'spam', count: 1 },
    ]);
    expect(createReport([decided(60, 2), decided(300, 1), decided(null, 4)], PERIOD).decisions).toEqual([
      { subject: 'ad', outcome: 'removed', rule: 'spam', isAutomated: true, count: 4 },
      { subject: 'ad', outcome: 'removed', rule: 'spam', isAutomated: false, count: 3 },
    ]);
  });
  test('takes the time to a decision from the median of the decisions of people', () => {
    expect(
      createReport([decided(3600, 2), decided(60, 2), decided(86_400, 1), decided(null, 100)], PERIOD).timeToDecision,
    ).toEqual({ count: 5, halfWithin_s: 3600 });
    expect(createReport([decided(3600, 1), decided(60, 1)], PERIOD).timeToDecision).toEqual({
      count: 2,
      halfWithin_s: 60,
    });
    expect(createReport([], PERIOD).timeToDecision).toEqual({ count: 0, halfWithin_s: null });
  });
  test('has one CSV row for each figure', () => {
    const csv = createReportCsv(createReport([decided(60, 2), { ...NO_GROUP, measure: 'appeal', count: 1 }], PERIOD));
    expect(csv.split('\r\n').slice(0, 4)).toEqual([
      '\uFEFFfrom,to,measure,subject,reason,outcome,rule,automated,value',
      '2026-01-01,2026-01-31,decisions,ad,,removed,spam,false,2',
      '2026-01-01,2026-01-31,decisions_half_within_s,,,,,,60',
      '2026-01-01,2026-01-31,appeals,,,,,,1',
    ]);
  });
});

describe('the period of a transparency report', () => {
  const NOW_ms = Date.parse('2026-03-15T10:00:00Z');
  const parsePeriod = (input: object) => toPeriod(parseQuery('getTransparencyReport', input), NOW_ms);
  test('is the requested period, by default the last 30 days', () => {
    expect(parsePeriod({})).toEqual({ from: '2026-02-14', to: '2026-03-15', format: null });
    expect(parsePeriod({ ...PERIOD, format: 'csv' })).toEqual({ ...PERIOD, format: 'csv' });
    expect(parsePeriod({ from: '2026-03-01' })).toMatchObject({ from: '2026-03-01', to: '2026-03-15' });
    expect(parsePeriod({ to: '2026-01-31' })).toMatchObject({ from: '2026-01-02', to: '2026-01-31' });
  });
  test.each([
    [{ from: '2026-02-30' }, 'from'],
    [{ to: 'today' }, 'to'],
    [{ from: '2026-02-02', to: '2026-02-01' }, 'from'],
    [{ from: '2000-01-01', to: '2026-02-01' }, 'from'],
    [{ format: 'xml' }, 'format'],
  ])('rejects %j', (input, field) => {
    expect(() => parsePeriod(input)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELDS', fields: { [field]: expect.any(String) as string } }),
    );
  });
});
