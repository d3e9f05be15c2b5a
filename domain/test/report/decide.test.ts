import { expect, test } from 'vitest';
import { fileReport, reportReference, type FileReport } from '../../src/report/decide.ts';
import type { ReportEvent } from '../../src/report/events.ts';
import { HIDING_REASONS, newReport, REPORT_DETAILS_MAX } from '../../src/report/fields.ts';
import { report } from '../../src/report/state.ts';
import { given as givenOf } from '../given.ts';

const given = givenOf(report);
const reportId = '0193a1b2-0000-7000-8000-0123456789ab';
const filing: FileReport = {
  reportId,
  reporterId: null,
  ownerId: 'berta',
  subject: { kind: 'post', id: 't1-0' },
  reason: 'spam',
  text: null,
  evidence: { stream: 'thread-t1', revision: 0 },
};
const filed: ReportEvent = { type: 'ReportFiled', data: filing };

test('a report is filed once', () => {
  given()
    .when((state) => fileReport(filing, state))
    .then(filed);
  given(filed)
    .when((state) => fileReport(filing, state))
    .then();
});

test('whoever is signed in is known by it', () => {
  given()
    .when((state) => fileReport({ ...filing, reporterId: 'anna', text: 'Everywhere.' }, state))
    .then({ type: 'ReportFiled', data: { ...filing, reporterId: 'anna', text: 'Everywhere.' } });
});

test('has a reference that can be read out', () => {
  expect(reportReference(reportId)).toMatch(/^R-[0-9A-Z]{8}$/u);
  expect(reportReference('0193a1b2-0000-7000-8000-000000000000')).toBe('R-00000000');
  expect(reportReference('0193a1b2-0000-7000-8000-ffffffffffff')).toMatch(/^R-[0-9A-Z]{8}$/u);
});

test('what concerns the weakest hides at once; what is a matter of opinion does not', () => {
  expect(HIDING_REASONS).toEqual(['under_age', 'forced', 'my_content']);
});

test('nobody but the product itself says that a picture is known to be illegal', () => {
  expect(newReport.safeParse({ subject: { kind: 'account', id: 'a' }, reason: 'known_image' }).success).toBe(false);
});

test('fields: details are nothing unless there are any', () => {
  const said = { subject: { kind: 'article', id: 'meeting-safely' }, reason: 'other' };
  expect(newReport.parse(said)).toEqual({ ...said, text: null });
  expect(newReport.parse({ ...said, text: '  ' })).toEqual({ ...said, text: null });
  expect(newReport.parse({ ...said, text: ' Why? ' })).toEqual({ ...said, text: 'Why?' });
  const reasonOf = (input: unknown) => newReport.safeParse(input).error?.issues[0]?.message;
  expect(reasonOf({ ...said, subject: undefined })).toBe('What do you report?');
  expect(reasonOf({ ...said, subject: { kind: 'review', id: 'a' } })).toBe('What do you report?');
  expect(reasonOf({ ...said, subject: { kind: 'post', id: '' } })).toBe('What do you report?');
  expect(reasonOf({ ...said, reason: 'bored' })).toBe('Please choose a reason');
  expect(reasonOf({ ...said, text: 'x'.repeat(REPORT_DETAILS_MAX + 1) })).toBe(
    `Details must be at most ${REPORT_DETAILS_MAX} characters`,
  );
});
