import type { RecordedDomainEvent } from '@alpenglow/domain';
import { TRANSPARENCY_DAYS, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export type TransparencyDayRow = JsonRowOf<typeof TRANSPARENCY_DAYS>;

type CountedProperties = Omit<TransparencyDayRow, 'key' | 'day' | 'count'>;

const MINUTE_s = 60;
const HOUR_s = 60 * MINUTE_s;
const DAY_s = 24 * HOUR_s;
/** Durations are rounded up to these steps, so that a row does not identify a single event. */
const STEPS_s = [1, 5, 15, 30, 60, 120, 240, 480, 720]
  .map((minutes) => minutes * MINUTE_s)
  .concat([1, 2, 3, 5, 7, 14, 30, 60, 90, 180, 365, 3650].map((days) => days * DAY_s));

/** The steps of the times to a removal, which must take 48 hours at most. */
const REMOVAL_STEPS_s = [1, 2, 4, 8, 12, 18, 24, 30, 36, 40, 44, 48, 54, 60, 72]
  .map((hours) => hours * HOUR_s)
  .concat(STEPS_s.filter((step_s) => step_s > 3 * DAY_s));

/**
 * Returns the time between `from` and `to` in seconds, rounded up to one of `steps_s`. For a time beyond the longest
 * step, returns the longest step.
 */
export function roundDurationUp_s(from: string, to: string, steps_s: readonly number[] = STEPS_s): number {
  const duration_s = (Date.parse(to) - Date.parse(from)) / 1000;
  return steps_s.find((step_s) => duration_s <= step_s) ?? (steps_s.at(-1) as number);
}

const NO_PROPERTIES = {
  subject: null,
  reason: null,
  outcome: null,
  rule: null,
  is_automated: null,
  within_s: null,
} as const;
/**
 * All properties in the order of the table's columns. They are the base of every row, so that all rows have their
 * columns in this order.
 */
const ALL_PROPERTIES = { measure: '', ...NO_PROPERTIES };

/** Returns the properties by which an event is counted, or null if it is not counted. */
function propertiesOf({ type, data, meta }: RecordedDomainEvent): CountedProperties | null {
  switch (type) {
    case 'ReportFiled':
      return { ...NO_PROPERTIES, measure: 'report', subject: data.subject.kind, reason: data.reason };
    case 'CaseDecided': {
      const { subject, outcome, rule, isAutomated, openedAt } = data;
      // The duration of an automated decision is omitted, so that the report shows only the time that moderators need.
      return {
        ...NO_PROPERTIES,
        measure: 'decision',
        subject: subject.kind,
        outcome,
        rule,
        is_automated: isAutomated,
        within_s: isAutomated ? null : roundDurationUp_s(openedAt, meta.at),
      };
    }
    case 'AppealFiled':
      return { ...NO_PROPERTIES, measure: 'appeal' };
    case 'AppealDecided':
      return {
        ...NO_PROPERTIES,
        measure: 'appeal_decision',
        outcome: data.outcome,
        within_s: roundDurationUp_s(data.filedAt, meta.at),
      };
    case 'ErasureRequested':
      return { ...NO_PROPERTIES, measure: 'erasure_request', outcome: data.by };
    case 'ErasureCompleted':
      return { ...NO_PROPERTIES, measure: 'erasure' };
    // An accepted identity check is not counted here, because the event `AccountVerifiedByAdmin` follows and is counted
    // instead.
    case 'IdentityCheckDecided':
      return data.isAccepted ? null : { ...NO_PROPERTIES, measure: 'identity_check', outcome: 'refused' };
    case 'AccountVerifiedByAdmin':
      return { ...NO_PROPERTIES, measure: 'identity_check', outcome: 'accepted' };
    case 'RemovalRequested':
      return { ...NO_PROPERTIES, measure: 'removal_request' };
    case 'RemovalDecided':
      return { ...NO_PROPERTIES, measure: 'removal_decision', outcome: data.outcome };
    case 'RemovalCompleted':
      return {
        ...NO_PROPERTIES,
        measure: 'removal',
        within_s: roundDurationUp_s(data.requestedAt, meta.at, REMOVAL_STEPS_s),
      };
    default:
      return null;
  }
}

function dayOf({ meta }: RecordedDomainEvent): string {
  return meta.at.slice(0, 10);
}

function keyOf(event: RecordedDomainEvent): string | null {
  const counted = propertiesOf(event);
  if (!counted) return null;
  const { measure, subject, reason, outcome, rule, is_automated, within_s } = counted;
  return [dayOf(event), measure, subject, reason, outcome, rule, is_automated, within_s]
    .map((part) => part ?? '')
    .join('|');
}

function increment(event: RecordedDomainEvent, row: TransparencyDayRow | null): TransparencyDayRow | null {
  if (row) return { ...row, count: row.count + 1 };
  const [key, counted] = [keyOf(event), propertiesOf(event)];
  return key === null || counted === null ? null : { key, day: dayOf(event), ...ALL_PROPERTIES, ...counted, count: 1 };
}

export const transparencyDays = defineProjection(TRANSPARENCY_DAYS)({
  ignoresPersonalFields: true,
  indexes: (table) => [`create index on ${table} (day)`],
  keyOf,
  on: {
    ReportFiled: increment,
    CaseDecided: increment,
    AppealFiled: increment,
    AppealDecided: increment,
    ErasureRequested: increment,
    ErasureCompleted: increment,
    IdentityCheckDecided: increment,
    AccountVerifiedByAdmin: increment,
    RemovalRequested: increment,
    RemovalDecided: increment,
    RemovalCompleted: increment,
  },
});
