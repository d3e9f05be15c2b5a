import { expect, test } from 'vitest';
import { evaluateAudit } from '../dependency-audit.mjs';

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
  ['no vulnerabilities', {}, 'none'],
  ['vulnerabilities that are not critical', { a: 'high', b: 'low', c: 'low' }, 'no critical ones (1 high, 2 low)'],
])('evaluateAudit passes with %s', (_, vulnerabilities, words) => {
  expect(evaluateAudit(report(vulnerabilities))).toEqual({ isFine: true, words });
});

test('evaluateAudit fails with the name of the package that has a critical vulnerability', () => {
  const verdict = evaluateAudit(report({ good: 'low', bad: 'critical' }));
  expect(verdict.isFine).toBe(false);
  expect(verdict.words).toContain('bad');
  expect(verdict.words).not.toContain('good');
});

test.each([
  [
    'an error response of the registry',
    JSON.stringify({
      message: '405 Method Not Allowed',
      method: 'POST',
      statusCode: 405,
      error: { summary: '', detail: '' },
    }),
  ],
  ['a network error', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'request failed' } })],
  ['output that is not JSON', 'npm error'],
  ['empty output', ''],
  ['the JSON value null', 'null'],
  ['an incomplete report', JSON.stringify({ auditReportVersion: 2, vulnerabilities: {} })],
])('evaluateAudit reports the result as unknown for %s', (_, output) => {
  expect(evaluateAudit(output)).toEqual({
    isFine: null,
    words: 'unknown: the registry did not return an audit report',
  });
});
