import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseReports } from '../server/status/csp-reports.ts';
import { startTestShell, type TestShell } from './test-shell.ts';

let shell: TestShell;
beforeAll(async () => {
  shell = await startTestShell(null);
});
afterAll(() => shell.stop());

const PAGE = 'https://www.example.org/search?q=Anna+Example';
const SCRIPT = 'https://www.example.org/mf/mf-listings/0123456789abcdef/app.js';
const OLD = {
  'csp-report': {
    'document-uri': PAGE,
    referrer: PAGE,
    'effective-directive': 'require-trusted-types-for',
    'blocked-uri': 'trusted-types-sink',
    'source-file': SCRIPT,
    'script-sample': 'Element innerHTML|<b>Anna Example</b>',
  },
};
const NEW = {
  type: 'csp-violation',
  url: PAGE,
  body: {
    documentURL: PAGE,
    effectiveDirective: 'img-src',
    blockedURL: 'https://tracker.example/?person=anna@example.com',
    sourceFile: `${PAGE}#anna`,
    sample: 'Anna Example',
  },
};

test('reports of both kinds are reduced to directive, kind of content and own script', () => {
  expect(parseReports(JSON.stringify(OLD))).toEqual([
    {
      directive: 'require-trusted-types-for',
      blocked: 'trusted-types',
      source: '/mf/mf-listings/0123456789abcdef/app.js',
    },
  ]);
  expect(parseReports(JSON.stringify([NEW, { type: 'deprecation', body: {} }]))).toEqual([
    { directive: 'img-src', blocked: 'url', source: null },
  ]);
  const invented = {
    ...NEW,
    body: { effectiveDirective: 'anna@example.com', blockedURL: 'moz-extension', sourceFile: 7 },
  };
  expect(parseReports(JSON.stringify([invented]))).toEqual([
    { directive: 'other', blocked: 'extension', source: null },
  ]);
});

test('a list with many reports is cut, and other texts are no reports', () => {
  expect(parseReports(JSON.stringify(Array.from({ length: 500 }, () => NEW)))).toHaveLength(20);
  for (const text of ['', '{', '[]', '{}', 'null', '7', '[null]', '{"csp-report":"x"}'])
    expect(parseReports(text), text).toBeNull();
});

const send = (body: string, type = 'application/csp-report') =>
  fetch(`${shell.url}/csp-reports`, { method: 'POST', body, headers: { 'content-type': type } });

test('the endpoint accepts reports, and rejects other bodies, large bodies and many reports', async () => {
  expect((await send(JSON.stringify(OLD))).status).toBe(204);
  expect((await send(JSON.stringify([NEW]), 'application/reports+json')).status).toBe(204);
  expect((await send('{}')).status).toBe(400);
  expect((await send(JSON.stringify({ ...OLD, more: 'x'.repeat(20_000) }))).status).toBe(413);
  expect((await fetch(`${shell.url}/csp-reports`)).status).toBe(404);
  const statuses = new Set<number>();
  for (let turn = 0; turn < 130; turn += 1) statuses.add((await send(JSON.stringify(OLD))).status);
  expect([...statuses]).toEqual([204, 429]);
});

test('pages name the endpoint in both ways and require Trusted Types', async () => {
  const { headers } = await fetch(`${shell.url}/`, { headers: { accept: 'text/html' } });
  expect(headers.get('reporting-endpoints')).toBe('csp="/csp-reports"');
  const policy = headers.get('content-security-policy');
  for (const directive of [
    "require-trusted-types-for 'script'",
    "trusted-types alpenglow-bundler alpenglow-html alpenglow-remotes alpenglow-worker 'allow-duplicates'",
    'report-to csp',
    'report-uri /csp-reports',
  ])
    expect(policy?.split(';')).toContain(directive);
});
