import { expect, test } from 'vitest';
import { toStreamId } from '../../src/aggregate.ts';
import type { FileReport } from '../../src/report/commands.ts';
import { fileReport } from '../../src/report/decide.ts';
import type { ReportEvent } from '../../src/report/events.ts';
import { HIDING_REASONS, mayHideContent, newReportFields, REPORT_DETAILS_MAX } from '../../src/report/fields.ts';
import { report, reportReference } from '../../src/report/state.ts';
import { toPostId } from '../../src/thread/post-id.ts';
import { thread } from '../../src/thread/state.ts';
import { givenAggregate } from '../given.ts';

const given = givenAggregate(report);
const reportId = '0193a1b2-0000-7000-8000-0123456789ab';
const filing: FileReport = {
  reportId,
  reporterId: null,
  ownerId: 'berta',
  subject: { kind: 'post', id: toPostId('t1', 0) },
  reason: 'spam',
  text: null,
  evidence: { stream: toStreamId(thread, 't1'), revision: 0 },
};
const filed: ReportEvent = { type: 'ReportFiled', data: filing };

test('a report is filed once', () => {
  given().decide(fileReport, filing).then(filed);
  given(filed).decide(fileReport, filing).then();
});

test('a report of a signed-in account contains the account', () => {
  given()
    .decide(fileReport, { ...filing, reporterId: 'anna', text: 'Everywhere.' })
    .then({ type: 'ReportFiled', data: { ...filing, reporterId: 'anna', text: 'Everywhere.' } });
});

test('a report contains its weight if it does not have the full weight', () => {
  given()
    .decide(fileReport, { ...filing, weight: 0.5 })
    .then({ type: 'ReportFiled', data: { ...filing, weight: 0.5 } });
});

test('the reference of a report contains 74 random bits of its id', () => {
  const filedAt = '2026-11-23T12:00:00.000Z';
  const references = [
    reportReference('0193a1b2-0000-7000-8000-000000000000', filedAt),
    reportReference('0193a1b2-0000-7001-8000-000000000000', filedAt),
    reportReference('0193a1b2-0000-7fff-bfff-ffffffffffff', filedAt),
  ];
  for (const reference of references) expect(reference).toMatch(/^R-[0-9A-Z]{15}$/u);
  expect(new Set(references).size).toBe(3);
});

test('a report from before the long references has a short one', () => {
  const reference = reportReference('0193a1b2-0000-7000-8000-000000000001', '2026-11-22T23:59:59.999Z');
  expect(reference).toBe('R-00000001');
});

test('reasons about minors, force, one’s own content and copies hide content at once', () => {
  expect(HIDING_REASONS).toEqual(['under_age', 'forced', 'my_content', 'known_copy']);
});

test('a known illegal picture hides a photo, but not the account of its uploader', () => {
  expect(mayHideContent('known_image', 'media')).toBe(true);
  expect(mayHideContent('known_image', 'account')).toBe(false);
});

test('only the product itself can report a known illegal picture', () => {
  expect(newReportFields.safeParse({ subject: { kind: 'account', id: 'a' }, reason: 'known_image' }).success).toBe(
    false,
  );
});

test('the details of a report are optional', () => {
  const fields = { subject: { kind: 'article', id: 'meeting-safely' }, reason: 'other' };
  expect(newReportFields.parse(fields)).toEqual({ ...fields, text: null });
  expect(newReportFields.parse({ ...fields, text: '  ' })).toEqual({ ...fields, text: null });
  expect(newReportFields.parse({ ...fields, text: ' Why? ' })).toEqual({ ...fields, text: 'Why?' });
  const reasonOf = (input: unknown) => newReportFields.safeParse(input).error?.issues[0]?.message;
  expect(reasonOf({ ...fields, subject: undefined })).toBe('Please choose what to report');
  expect(reasonOf({ ...fields, subject: { kind: 'review', id: 'a' } })).toBe('Please choose what to report');
  expect(reasonOf({ ...fields, subject: { kind: 'post', id: '' } })).toBe('Please choose what to report');
  expect(reasonOf({ ...fields, subject: { kind: 'post', id: 5 } })).toBe('Please choose what to report');
  for (const reason of ['bored', undefined]) expect(reasonOf({ ...fields, reason })).toBe('Please choose a reason');
  expect(reasonOf({ ...fields, text: 5 })).toBe('Details must be text');
  expect(reasonOf({ ...fields, text: 'x'.repeat(REPORT_DETAILS_MAX + 1) })).toBe(
    `Details must be at most ${REPORT_DETAILS_MAX} characters`,
  );
});
