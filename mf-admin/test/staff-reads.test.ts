import { STAFF_READ_OPERATIONS } from '@alpenglow/domain/api';
import { expect, test } from 'vitest';
import en from '../src/locales/en.json';
import { findReadSubject } from '../src/staff-reads/read-subject.ts';

test('every read in the log of staff reads has a name in words (R-16.12)', () => {
  expect(STAFF_READ_OPERATIONS.filter((what) => !(`staff-reads.what.${what}` in en))).toEqual([]);
});

test.each([
  ['listUsers', null, 'list'],
  ['getUser', 'b9dde986416446b6945de9a483cf191a', 'account'],
  ['formerReadOperation', 'b9dde986416446b6945de9a483cf191a', 'account'],
  ['getCase', 'article-a-title', 'case'],
  ['getRemoval', '0193b7b5-3f77-7c53-9a61-7f7f4f0c2b1d', 'removal'],
  ['exportRemoval', '0193b7b5-3f77-7c53-9a61-7f7f4f0c2b1d', 'removal'],
  ['listParkedEvents', 'ad_cards', 'part'],
  ['listRebuildDifferences', 'accounts', 'part'],
  ['getRequest', 'b9dde986416446b6945de9a483cf191a', 'account'],
])('the subject of %s about %s is of the kind %s', (what, subjectId, kind) => {
  expect(findReadSubject({ what, subjectId })).toEqual(subjectId === null ? { kind } : { kind, id: subjectId });
});

test('the subject of a request without an account is the request', () => {
  expect(findReadSubject({ what: 'getRequest', subjectId: 'request:0af7651916cd43dd8448eb211c80319c' })).toEqual({
    kind: 'request',
    id: '0af7651916cd43dd8448eb211c80319c',
  });
});
