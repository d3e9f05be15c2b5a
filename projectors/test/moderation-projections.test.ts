import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { adCards, type AdCardRow } from '../src/projections/ad-cards.ts';
import { adLinks } from '../src/projections/ad-links.ts';
import { decisions } from '../src/projections/decisions.ts';
import { moderationCases } from '../src/projections/moderation-cases.ts';
import { reports } from '../src/projections/reports.ts';
import type { Projection } from '../src/projection.ts';
import { STARTED_AT, minutesLater, project as projectRows } from './project.ts';
import { SAMPLES } from './samples.ts';

const {
  AdPosted,
  AdUpdated,
  AdHidden,
  AdHoldLifted,
  AdRestored,
  AdDeleted,
  ReportFiled,
  CaseOpened,
  CaseReportAdded,
  CaseClaimed,
  CaseReleased,
  CaseDecided,
  AppealFiled,
  AppealDecided,
} = SAMPLES;
const automated = {
  ...CaseDecided,
  data: { ...CaseDecided.data, decisionId: 'd0', moderatorId: null, isAutomated: true },
} satisfies DomainEvent;

const project = (projection: unknown, ...events: readonly DomainEvent[]) =>
  projectRows(projection as Projection, ...events);

describe('a case', () => {
  const rowOf = (...events: readonly DomainEvent[]) => project(moderationCases, ...events)['ad-ad-1'];

  test('counts the reports of its current round by reason', () => {
    expect(
      rowOf(CaseOpened, CaseReportAdded, {
        ...CaseReportAdded,
        data: { ...CaseReportAdded.data, reportId: 'r2', reason: 'spam', priority: 'normal' },
      }),
    ).toMatchObject({
      is_open: true,
      is_urgent: true,
      report_count: 2,
      reasons: { under_age: 1, spam: 1 },
      last_report_at: minutesLater(2),
    });
    expect(
      rowOf(CaseOpened, CaseReportAdded, CaseDecided, { ...CaseOpened, data: { ...CaseOpened.data, round: 2 } }),
    ).toMatchObject({
      is_open: true,
      is_urgent: false,
      report_count: 0,
      reasons: {},
      is_holding: true,
      decision: { id: 'd1' },
    });
  });
  test('is unclaimed again after a release or a decision', () => {
    expect(rowOf(CaseOpened, CaseClaimed)).toMatchObject({ claimed_by: 'mia', claimed_at: minutesLater(1) });
    for (const event of [CaseReleased, CaseDecided])
      expect(rowOf(CaseOpened, CaseClaimed, event)).toMatchObject({ claimed_by: null, claimed_at: null });
  });
  test('stays open after an automated decision and is closed by the decision of a moderator', () => {
    expect(rowOf(CaseOpened, automated)).toMatchObject({
      is_open: true,
      is_holding: true,
      decided_at: null,
      decision: { id: 'd0', isAutomated: true, by: null },
    });
    expect(rowOf(CaseOpened, automated, CaseDecided)).toMatchObject({
      is_open: false,
      is_holding: true,
      decided_at: minutesLater(2),
      decision: { id: 'd1', by: 'mia' },
    });
  });
  test('waits for the decision about an appeal, and releases its hold if the decision is overturned', () => {
    expect(rowOf(CaseOpened, CaseDecided, AppealFiled)).toMatchObject({
      appealed_at: minutesLater(2),
      is_holding: true,
    });
    expect(rowOf(CaseOpened, CaseDecided, AppealFiled, AppealDecided)).toMatchObject({
      appealed_at: null,
      is_holding: false,
    });
    const upheld = { ...AppealDecided, data: { ...AppealDecided.data, outcome: 'upheld' } } satisfies DomainEvent;
    expect(rowOf(CaseOpened, CaseDecided, AppealFiled, upheld)).toMatchObject({ is_holding: true });
  });
});

test('a decision contains its reasons and the result of the appeal', () => {
  expect(project(decisions, CaseDecided)['d1']).toMatchObject({
    owner_id: 'anna',
    outcome: 'hidden',
    rule: 'contact',
    facts: 'A number.',
    appealed_at: null,
  });
  expect(project(decisions, CaseDecided, AppealFiled)['d1']).toMatchObject({
    appeal_text: 'It is mine.',
    appealed_at: minutesLater(1),
    appeal_outcome: null,
  });
  expect(project(decisions, CaseDecided, AppealFiled, AppealDecided)['d1']).toMatchObject({
    appeal_outcome: 'overturned',
    appeal_facts: 'It is.',
    appeal_moderator_id: 'max',
    appeal_decided_at: minutesLater(2),
  });
});

test('a report contains the id of its case, and its reference', () => {
  expect(
    project(reports, {
      ...ReportFiled,
      data: {
        ...ReportFiled.data,
        reportId: '0193a1b2-0000-7000-8000-000000000000',
        subject: { kind: 'ad', id: 'ad-1' },
      },
    }),
  ).toEqual({
    '0193a1b2-0000-7000-8000-000000000000': {
      report_id: '0193a1b2-0000-7000-8000-000000000000',
      reference: 'R-00000000',
      case_id: 'ad-ad-1',
      reporter_id: null,
      reason: 'spam',
      text: null,
      filed_at: STARTED_AT,
    },
  });
});

test('an ad is hidden while a case holds it', () => {
  const isHidden = (...events: readonly DomainEvent[]) => project(adCards, AdPosted, ...events)['anna']?.is_hidden;
  expect([isHidden(), isHidden(AdHidden), isHidden(AdHidden, AdHoldLifted), isHidden(AdHidden, AdRestored)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  const [tallies, vocabulary] = adCards.tallies ?? [];
  const hidden = project(adCards, AdPosted, AdHidden)['anna'] as AdCardRow | undefined;
  if (!hidden) throw new Error('The ad has a row');
  expect([tallies?.keysOf(hidden), vocabulary?.keysOf(hidden)]).toEqual([[], []]);
});

test('ad_links contains the normalized phone number until the ad is deleted', () => {
  const digits = (...events: readonly DomainEvent[]) => project(adLinks, AdPosted, ...events)['anna']?.phone_digits;
  expect(digits()).toBe('15550100');
  const without = { ...AdUpdated, data: { accountId: 'anna', adId: 'ad-1', title: 'Other' } } satisfies DomainEvent;
  expect(digits(without)).toBe('15550100');
  expect(digits({ ...without, data: { ...without.data, phone: '(702) 555-0199' } })).toBe('7025550199');
  expect(project(adLinks, AdPosted, AdDeleted)).toEqual({});
});
