import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../src/projection.ts';
import { roundDurationUp_s, transparencyDays } from '../src/projections/transparency-days.ts';
import { STARTED_AT, minutesLater, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const rowsAfter = (...events: readonly DomainEvent[]) =>
  Object.values(project(transparencyDays as unknown as Projection, ...events));
const EMPTY_ROW = {
  subject: null,
  reason: null,
  outcome: null,
  rule: null,
  is_automated: null,
  within_s: null,
  day: STARTED_AT.slice(0, 10),
  count: 1,
};

describe('transparency_days', () => {
  test('ReportFiled is counted by subject and reason', () => {
    const other: DomainEvent = { ...SAMPLES.ReportFiled, data: { ...SAMPLES.ReportFiled.data, reason: 'forced' } };
    expect(rowsAfter(SAMPLES.ReportFiled, SAMPLES.ReportFiled, other)).toMatchObject([
      {
        ...EMPTY_ROW,
        measure: 'report',
        subject: SAMPLES.ReportFiled.data.subject.kind,
        reason: SAMPLES.ReportFiled.data.reason,
        count: 2,
      },
      { ...EMPTY_ROW, measure: 'report', reason: 'forced', subject: SAMPLES.ReportFiled.data.subject.kind },
    ]);
  });
  test('CaseDecided is counted with the time it took, except for automated decisions', () => {
    const decided = (isAutomated: boolean): DomainEvent => ({
      ...SAMPLES.CaseDecided,
      data: { ...SAMPLES.CaseDecided.data, isAutomated, openedAt: minutesLater(-100) },
    });
    const { outcome, rule, subject } = SAMPLES.CaseDecided.data;
    expect(rowsAfter(decided(false))).toMatchObject([
      {
        ...EMPTY_ROW,
        measure: 'decision',
        subject: subject.kind,
        outcome,
        rule,
        is_automated: false,
        within_s: 120 * 60,
      },
    ]);
    expect(rowsAfter(decided(true))).toMatchObject([{ measure: 'decision', is_automated: true, within_s: null }]);
  });
  test('AppealFiled and AppealDecided are counted, the latter with outcome and time', () => {
    const decided: DomainEvent = {
      ...SAMPLES.AppealDecided,
      data: { ...SAMPLES.AppealDecided.data, filedAt: minutesLater(-60) },
    };
    expect(rowsAfter(SAMPLES.AppealFiled, decided)).toMatchObject([
      { ...EMPTY_ROW, measure: 'appeal' },
      { ...EMPTY_ROW, measure: 'appeal_decision', outcome: SAMPLES.AppealDecided.data.outcome, within_s: 120 * 60 },
    ]);
  });
  test('ErasureRequested is counted by requester, and ErasureCompleted is counted', () => {
    expect(rowsAfter(SAMPLES.ErasureRequested, SAMPLES.ErasureCompleted)).toMatchObject([
      { ...EMPTY_ROW, measure: 'erasure_request', outcome: SAMPLES.ErasureRequested.data.by },
      { ...EMPTY_ROW, measure: 'erasure' },
    ]);
  });
  test('AccountVerifiedByAdmin is counted as an accepted identity check', () => {
    expect(rowsAfter(SAMPLES.AccountVerifiedByAdmin)).toMatchObject([
      { ...EMPTY_ROW, measure: 'identity_check', outcome: 'accepted' },
    ]);
  });
  test('IdentityCheckDecided is counted only if the check is rejected', () => {
    const rejected: DomainEvent = {
      ...SAMPLES.IdentityCheckDecided,
      data: { ...SAMPLES.IdentityCheckDecided.data, isAccepted: false },
    };
    expect(rowsAfter(rejected)).toMatchObject([{ ...EMPTY_ROW, measure: 'identity_check', outcome: 'refused' }]);
    expect(
      rowsAfter({ ...SAMPLES.IdentityCheckDecided, data: { ...SAMPLES.IdentityCheckDecided.data, isAccepted: true } }),
    ).toEqual([]);
  });
  test('the rows contain no account id', () => {
    const rows = rowsAfter(
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

test('a duration is rounded up to the next step, and limited to the longest step', () => {
  expect(roundDurationUp_s(STARTED_AT, STARTED_AT)).toBe(60);
  expect(roundDurationUp_s(STARTED_AT, minutesLater(1))).toBe(60);
  expect(roundDurationUp_s(STARTED_AT, minutesLater(1.1))).toBe(300);
  expect(roundDurationUp_s(STARTED_AT, '2090-01-01T00:00:00.000Z')).toBe(3650 * 86_400);
});
