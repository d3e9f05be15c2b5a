import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../src/projection.ts';
import { stepOf, transparencyDays } from '../src/projections/transparency-days.ts';
import { AT, minutesLater, project } from './given.ts';
import { SAMPLES } from './samples.ts';

const days = (...events: readonly DomainEvent[]) =>
  Object.values(project(transparencyDays as unknown as Projection, ...events));
const NOTHING = {
  subject: null,
  reason: null,
  outcome: null,
  rule: null,
  is_automated: null,
  within_s: null,
  day: AT.slice(0, 10),
  count: 1,
};

describe('what the transparency report counts', () => {
  test('ReportFiled by subject and reason, the same ones together', () => {
    const other: DomainEvent = { ...SAMPLES.ReportFiled, data: { ...SAMPLES.ReportFiled.data, reason: 'forced' } };
    expect(days(SAMPLES.ReportFiled, SAMPLES.ReportFiled, other)).toMatchObject([
      {
        ...NOTHING,
        measure: 'report',
        subject: SAMPLES.ReportFiled.data.subject.kind,
        reason: SAMPLES.ReportFiled.data.reason,
        count: 2,
      },
      { ...NOTHING, measure: 'report', reason: 'forced', subject: SAMPLES.ReportFiled.data.subject.kind },
    ]);
  });
  test('CaseDecided with the time it took a person, and none where nobody decided', () => {
    const decided = (isAutomated: boolean): DomainEvent => ({
      ...SAMPLES.CaseDecided,
      data: { ...SAMPLES.CaseDecided.data, isAutomated, openedAt: minutesLater(-100) },
    });
    const { outcome, rule, subject } = SAMPLES.CaseDecided.data;
    expect(days(decided(false))).toMatchObject([
      {
        ...NOTHING,
        measure: 'decision',
        subject: subject.kind,
        outcome,
        rule,
        is_automated: false,
        within_s: 120 * 60,
      },
    ]);
    expect(days(decided(true))).toMatchObject([{ measure: 'decision', is_automated: true, within_s: null }]);
  });
  test('AppealFiled and AppealDecided', () => {
    const decided: DomainEvent = {
      ...SAMPLES.AppealDecided,
      data: { ...SAMPLES.AppealDecided.data, filedAt: minutesLater(-60) },
    };
    expect(days(SAMPLES.AppealFiled, decided)).toMatchObject([
      { ...NOTHING, measure: 'appeal' },
      { ...NOTHING, measure: 'appeal_decision', outcome: SAMPLES.AppealDecided.data.outcome, within_s: 120 * 60 },
    ]);
  });
  test('ErasureRequested by whom, and ErasureCompleted', () => {
    expect(days(SAMPLES.ErasureRequested, SAMPLES.ErasureCompleted)).toMatchObject([
      { ...NOTHING, measure: 'erasure_request', outcome: SAMPLES.ErasureRequested.data.by },
      { ...NOTHING, measure: 'erasure' },
    ]);
  });
  test('AccountVerifiedByAdmin is an identity check that was accepted', () => {
    expect(days(SAMPLES.AccountVerifiedByAdmin)).toMatchObject([
      { ...NOTHING, measure: 'identity_check', outcome: 'accepted' },
    ]);
  });
  test('IdentityCheckDecided counts where it refuses: what is accepted is told by the account', () => {
    const refused: DomainEvent = {
      ...SAMPLES.IdentityCheckDecided,
      data: { ...SAMPLES.IdentityCheckDecided.data, isAccepted: false },
    };
    expect(days(refused)).toMatchObject([{ ...NOTHING, measure: 'identity_check', outcome: 'refused' }]);
    expect(
      days({ ...SAMPLES.IdentityCheckDecided, data: { ...SAMPLES.IdentityCheckDecided.data, isAccepted: true } }),
    ).toEqual([]);
  });
  test('names nobody', () => {
    const rows = days(
      SAMPLES.ReportFiled,
      SAMPLES.CaseDecided,
      SAMPLES.AppealFiled,
      SAMPLES.AppealDecided,
      SAMPLES.ErasureRequested,
      SAMPLES.AccountVerifiedByAdmin,
    );
    expect(JSON.stringify(rows)).not.toMatch(/anna|ben/u);
  });
});

test('a time falls into the first step that is as long, the longest into the last', () => {
  expect(stepOf(AT, AT)).toBe(60);
  expect(stepOf(AT, minutesLater(1))).toBe(60);
  expect(stepOf(AT, minutesLater(1.1))).toBe(300);
  expect(stepOf(AT, '2090-01-01T00:00:00.000Z')).toBe(3650 * 86_400);
});
