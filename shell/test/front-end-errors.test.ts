import type { FrontEndReport } from '@alpenglow/domain/contracts';
import { expect, it } from 'vitest';
import { createFrontEndReports, findFrontEnd, getErrorKind, parseRemoteFile } from '../src/reports/front-end-errors.ts';

const HASH = '0123456789abcdef';

it('each error is reported once per page load, and at most five per page load', () => {
  const sent: FrontEndReport[] = [];
  const { reportError } = createFrontEndReports((report) => sent.push(report));
  const error = { frontEnd: 'mf-listings', hash: HASH, kind: 'entry' } as const;
  for (let repetition = 0; repetition < 3; repetition++) reportError(error);
  expect(sent.flatMap(({ errors = [] }) => errors)).toEqual([error]);
  for (const kind of ['registry', 'chunk', 'integrity', 'contract', 'render'] as const)
    reportError({ frontEnd: 'mf-admin', hash: HASH, kind });
  expect(sent).toHaveLength(5);
});

it('each deployment is reported as started once, and as failed with its first error', () => {
  const sent: FrontEndReport[] = [];
  const { reportView, reportError } = createFrontEndReports((report) => sent.push(report));
  const build = { frontEnd: 'mf-listings', hash: HASH };
  for (let repetition = 0; repetition < 2; repetition++) reportView(build.frontEnd, build.hash);
  reportView('mf-listings', 'f'.repeat(16));
  for (const kind of ['render', 'chunk'] as const) reportError({ ...build, kind });
  reportError({ frontEnd: 'mf-admin', hash: '', kind: 'registry' });
  expect(sent).toEqual([
    { views: [{ ...build, state: 'started' }] },
    { views: [{ frontEnd: 'mf-listings', hash: 'f'.repeat(16), state: 'started' }] },
    { views: [{ ...build, state: 'failed' }], errors: [{ ...build, kind: 'render' }] },
    { errors: [{ ...build, kind: 'chunk' }] },
    { errors: [{ frontEnd: 'mf-admin', hash: '', kind: 'registry' }] },
  ]);
});

it.each([
  [`/mf/mf-listings/${HASH}/app.0a1b.js`, { remote: 'mf-listings', hash: HASH, file: 'app.0a1b.js' }],
  [`/mf/mf-fifth/${HASH}/app.js`, { remote: 'mf-fifth', hash: HASH, file: 'app.js' }],
  [`/mf/other/${HASH}/app.js`, null],
  ['/mf/mf-listings/0123/app.js', null],
  ['/assets/shell.js', null],
])('parses the path %s', (path, expected) => {
  expect(parseRemoteFile(path)).toEqual(expected);
});

it('a file that does not match the registry is an integrity failure, a missing one a loading failure', () => {
  expect(getErrorKind(true, { exists: true, matchesRegistry: false })).toBe('integrity');
  expect(getErrorKind(true, { exists: false, matchesRegistry: false })).toBe('entry');
  expect(getErrorKind(true, { exists: true, matchesRegistry: true }), 'the network works again').toBe('entry');
  expect(getErrorKind(false, { exists: false, matchesRegistry: false })).toBe('chunk');
});

const SITE = 'https://www.example.org';
const shell = { frontEnd: 'shell', hash: 'f'.repeat(16) };
const listings = { frontEnd: 'mf-listings', hash: HASH };

it.each([
  [`${SITE}/mf/mf-listings/${HASH}/app.0a1b.js`, listings],
  [
    `TypeError: x\n    at f (${SITE}/mf/mf-listings/${HASH}/app.js:1:2)\n    at g (${SITE}/assets/shell.js:3:4)`,
    listings,
  ],
  [`g@${SITE}/assets/shell.js:3:4\nf@${SITE}/mf/mf-listings/${HASH}/app.js:1:2`, shell],
  [`Error\n at chrome-extension://abc/content.js:1:1\n at ${SITE}/assets/shell.js:1:1`, shell],
  ['Error\n at chrome-extension://abc/assets/content.js:1:1', null],
  ['Error\n at https://other.example/assets/shell.js:1:1', null],
  [`Error: https://other.example/mf/mf-listings/${HASH}/app.js`, null],
  [`${SITE}/mf/other/${HASH}/app.js`, null],
  [`${SITE}/listings`, null],
  ['', null],
])('finds the front end of an uncaught error in %j', (trace, expected) => {
  expect(findFrontEnd(trace, { origin: SITE, shellHash: shell.hash })).toEqual(expected);
});
