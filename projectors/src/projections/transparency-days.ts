import type { Recorded } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/**
 * What the transparency report counts, by day (UTC): one row for each kind of thing that happened on it. Null says nothing of that kind.
 * It names nobody, so an erasure changes no figure.
 */
export type TransparencyDayRow = {
  readonly key: string;
  readonly day: string;
  readonly measure:
    | 'report'
    | 'decision'
    | 'appeal'
    | 'appeal_decision'
    | 'erasure_request'
    | 'erasure'
    | 'identity_check';
  /** What it was about: an ad, a post and so on. */
  readonly subject: string | null;
  readonly reason: string | null;
  readonly outcome: string | null;
  readonly rule: string | null;
  readonly is_automated: boolean | null;
  /** It took no longer than so many seconds, of the steps below. */
  readonly within_s: number | null;
  readonly count: number;
};

type Counted = Omit<TransparencyDayRow, 'key' | 'day' | 'count'>;

const MINUTE_s = 60;
const HOUR_s = 60 * MINUTE_s;
const DAY_s = 24 * HOUR_s;
/** Times are counted in steps, so that a row is not of one event alone. */
const STEPS_s = [1, 5, 15, 30, 60, 120, 240, 480, 720]
  .map((minutes) => minutes * MINUTE_s)
  .concat([1, 2, 3, 5, 7, 14, 30, 60, 90, 180, 365, 3650].map((days) => days * DAY_s));

/** The step a time falls into. */
export function stepOf(from: string, to: string): number {
  const took_s = (Date.parse(to) - Date.parse(from)) / 1000;
  return STEPS_s.find((step_s) => took_s <= step_s) ?? (STEPS_s.at(-1) as number);
}

const NOTHING = { subject: null, reason: null, outcome: null, rule: null, is_automated: null, within_s: null } as const;
/** A row has its columns in the order of the table. */
const IN_ORDER = { measure: '', ...NOTHING };

/** What an event adds one to; null for one that is not counted. */
function countedAs({ type, data, meta }: Recorded): Counted | null {
  switch (type) {
    case 'ReportFiled':
      return { ...NOTHING, measure: 'report', subject: data.subject.kind, reason: data.reason };
    case 'CaseDecided': {
      const { subject, outcome, rule, isAutomated, openedAt } = data;
      // What decided itself took no time, and would only hide how long people take.
      return {
        ...NOTHING,
        measure: 'decision',
        subject: subject.kind,
        outcome,
        rule,
        is_automated: isAutomated,
        within_s: isAutomated ? null : stepOf(openedAt, meta.at),
      };
    }
    case 'AppealFiled':
      return { ...NOTHING, measure: 'appeal' };
    case 'AppealDecided':
      return { ...NOTHING, measure: 'appeal_decision', outcome: data.outcome, within_s: stepOf(data.filedAt, meta.at) };
    case 'ErasureRequested':
      return { ...NOTHING, measure: 'erasure_request', outcome: data.by };
    case 'ErasureCompleted':
      return { ...NOTHING, measure: 'erasure' };
    // What is accepted, after a check or without pictures, verifies the account.
    case 'IdentityCheckDecided':
      return data.isAccepted ? null : { ...NOTHING, measure: 'identity_check', outcome: 'refused' };
    case 'AccountVerifiedByAdmin':
      return { ...NOTHING, measure: 'identity_check', outcome: 'accepted' };
    default:
      return null;
  }
}

function dayOf({ meta }: Recorded): string {
  return meta.at.slice(0, 10);
}

function keyOf(event: Recorded): string | null {
  const counted = countedAs(event);
  if (!counted) return null;
  const { measure, subject, reason, outcome, rule, is_automated, within_s } = counted;
  return [dayOf(event), measure, subject, reason, outcome, rule, is_automated, within_s]
    .map((part) => part ?? '')
    .join('|');
}

/** One more of what the event is counted as. */
function oneMore(event: Recorded, row: TransparencyDayRow | null): TransparencyDayRow | null {
  if (row) return { ...row, count: row.count + 1 };
  const [key, counted] = [keyOf(event), countedAs(event)];
  return key === null || counted === null ? null : { key, day: dayOf(event), ...IN_ORDER, ...counted, count: 1 };
}

export const transparencyDays = defineProjection<TransparencyDayRow>({
  name: 'transparency_days',
  version: 1,
  columns: {
    key: 'text primary key',
    day: 'date not null',
    measure: 'text not null',
    subject: 'text',
    reason: 'text',
    outcome: 'text',
    rule: 'text',
    is_automated: 'boolean',
    within_s: 'integer',
    count: 'integer not null',
  },
  indexes: (table) => [`create index on ${table} (day)`],
  keyOf,
  on: {
    ReportFiled: oneMore,
    CaseDecided: oneMore,
    AppealFiled: oneMore,
    AppealDecided: oneMore,
    ErasureRequested: oneMore,
    ErasureCompleted: oneMore,
    IdentityCheckDecided: oneMore,
    AccountVerifiedByAdmin: oneMore,
  },
});
