import { expect, it } from 'vitest';
import { createLoadErrorReports, getErrorKind, parseRemoteFile, type LoadError } from '../src/remotes/load-errors.ts';

const HASH = '0123456789abcdef';

it('each failure is reported once per page, and at most five per page', () => {
  const sent: LoadError[] = [];
  const report = createLoadErrorReports((error) => sent.push(error));
  for (let repetition = 0; repetition < 3; repetition++) report({ remote: 'mf-listings', hash: HASH, kind: 'entry' });
  expect(sent).toEqual([{ remote: 'mf-listings', hash: HASH, kind: 'entry' }]);
  for (const kind of ['registry', 'chunk', 'integrity', 'contract', 'render'] as const)
    report({ remote: 'mf-admin', hash: HASH, kind });
  expect(sent).toHaveLength(5);
});

it.each([
  [`/mf/mf-listings/${HASH}/app.0a1b.js`, { remote: 'mf-listings', hash: HASH, file: 'app.0a1b.js' }],
  [`/mf/mf-unknown/${HASH}/app.js`, null],
  ['/mf/mf-listings/0123/app.js', null],
  ['/assets/shell.js', null],
])('parses the path %s', (path, expected) => {
  expect(parseRemoteFile(path)).toEqual(expected);
});

it('a file that does not match the registry is an integrity failure, a missing one a loading failure', () => {
  const entry = { remote: 'mf-listings', hash: HASH, file: 'remote-entry.js' } as const;
  expect(getErrorKind(entry, { isThere: true, isAsListed: false })).toBe('integrity');
  expect(getErrorKind(entry, { isThere: false, isAsListed: false })).toBe('entry');
  expect(getErrorKind(entry, { isThere: true, isAsListed: true }), 'the network works again').toBe('entry');
  expect(getErrorKind({ ...entry, file: 'ad.js' }, { isThere: false, isAsListed: false })).toBe('chunk');
});
