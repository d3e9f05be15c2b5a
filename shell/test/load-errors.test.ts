import { expect, it } from 'vitest';
import { createLoadErrorReports, kindOf, remoteFileOf, type LoadError } from '../src/remotes/load-errors.ts';

const HASH = '0123456789abcdef';

it('a failure is told once a page, and no page tells more than a few', () => {
  const sent: LoadError[] = [];
  const report = createLoadErrorReports((error) => sent.push(error));
  for (let again = 0; again < 3; again++) report({ remote: 'mf-listings', hash: HASH, kind: 'entry' });
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
])('the file at %s', (path, expected) => {
  expect(remoteFileOf(path)).toEqual(expected);
});

it('a file that is there and is not what the registry says was refused; any other did not come', () => {
  const entry = { remote: 'mf-listings', hash: HASH, file: 'remote-entry.js' } as const;
  expect(kindOf(entry, { isThere: true, isAsListed: false })).toBe('integrity');
  expect(kindOf(entry, { isThere: false, isAsListed: false })).toBe('entry');
  expect(kindOf(entry, { isThere: true, isAsListed: true }), 'the network has come back').toBe('entry');
  expect(kindOf({ ...entry, file: 'ad.js' }, { isThere: false, isAsListed: false })).toBe('chunk');
});
