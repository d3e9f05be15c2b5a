import { expect, test } from 'vitest';
import { judgeAudit } from '../dependency-audit.mjs';

const report = (vulnerabilities: Readonly<Record<string, string>>) => {
  const severities = Object.values(vulnerabilities);
  const count = (severity: string) => severities.filter((one) => one === severity).length;
  return JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(vulnerabilities).map(([name, severity]) => [name, { name, severity, via: [] }]),
    ),
    metadata: {
      vulnerabilities: {
        info: 0,
        low: count('low'),
        moderate: count('moderate'),
        high: count('high'),
        critical: count('critical'),
        total: severities.length,
      },
    },
  });
};

test.each([
  ['nothing', {}, 'none'],
  ['lesser holes', { a: 'high', b: 'low', c: 'low' }, 'none that is critical (1 high, 2 low)'],
])('%s found is fine', (_, found, words) => {
  expect(judgeAudit(report(found))).toEqual({ isFine: true, words });
});

test('a known critical hole fails the run, by name', () => {
  const verdict = judgeAudit(report({ good: 'low', bad: 'critical' }));
  expect(verdict.isFine).toBe(false);
  expect(verdict.words).toContain('bad');
  expect(verdict.words).not.toContain('good');
});

test.each([
  [
    'a registry that answers none',
    JSON.stringify({
      message: '405 Method Not Allowed',
      method: 'POST',
      statusCode: 405,
      error: { summary: '', detail: '' },
    }),
  ],
  ['no network', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'request failed' } })],
  ['no JSON', 'npm error'],
  ['silence', ''],
  ['null', 'null'],
  ['half a report', JSON.stringify({ auditReportVersion: 2, vulnerabilities: {} })],
])('%s is said, and is no failure', (_, output) => {
  expect(judgeAudit(output)).toEqual({ isFine: null, words: 'not known: the registry answers no audit' });
});
