import type { Evidence, Outcome, ReportReason } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** A case in the queue of moderators. */
export type ModerationCaseRow = {
  readonly case_id: string;
  readonly kind: string;
  readonly subject_id: string;
  readonly owner_id: string | null;
  readonly round: number;
  readonly opened_at: string;
  readonly is_open: boolean;
  readonly is_urgent: boolean;
  /** Of this round, how many reports there are of each reason. */
  readonly reasons: Readonly<Partial<Record<ReportReason, number>>>;
  readonly report_count: number;
  readonly last_report_at: string | null;
  readonly evidence: Evidence;
  readonly claimed_by: string | null;
  readonly claimed_at: string | null;
  readonly is_holding: boolean;
  /** The newest decision. */
  readonly decision: {
    readonly id: string;
    readonly outcome: Outcome;
    readonly rule: string;
    readonly isAutomated: boolean;
    readonly by: string | null;
    readonly at: string;
    readonly evidence: Evidence;
  } | null;
  /** When a moderator last decided. */
  readonly decided_at: string | null;
  readonly appealed_at: string | null;
};

export const moderationCases = defineProjection<ModerationCaseRow>({
  name: 'moderation_cases',
  version: 1,
  columns: {
    case_id: 'text primary key',
    kind: 'text not null',
    subject_id: 'text not null',
    owner_id: 'text',
    round: 'integer not null',
    opened_at: 'timestamptz not null',
    is_open: 'boolean not null',
    is_urgent: 'boolean not null',
    reasons: 'jsonb not null',
    report_count: 'integer not null',
    last_report_at: 'timestamptz',
    evidence: 'jsonb not null',
    claimed_by: 'text',
    claimed_at: 'timestamptz',
    is_holding: 'boolean not null',
    decision: 'jsonb',
    decided_at: 'timestamptz',
    appealed_at: 'timestamptz',
  },
  indexes: (table) => [
    `create index on ${table} (is_urgent desc, opened_at, case_id) where is_open`,
    `create index on ${table} (appealed_at, case_id) where appealed_at is not null`,
    `create index on ${table} (decided_at desc, case_id desc) where decided_at is not null`,
    `create index on ${table} (owner_id)`,
    `create index on ${table} (claimed_by) where claimed_by is not null`,
  ],
  // Events of ads name the case that holds them, too.
  keyOf: (event) => ('caseId' in event.data && !('adId' in event.data) ? event.data.caseId : null),
  on: {
    CaseOpened: ({ data, meta }, row) => ({
      case_id: data.caseId,
      kind: data.subject.kind,
      subject_id: data.subject.id,
      owner_id: data.ownerId,
      round: data.round,
      opened_at: meta.at,
      is_open: true,
      is_urgent: false,
      reasons: {},
      report_count: 0,
      last_report_at: null,
      evidence: data.evidence,
      claimed_by: null,
      claimed_at: null,
      is_holding: row?.is_holding ?? false,
      decision: row?.decision ?? null,
      decided_at: row?.decided_at ?? null,
      appealed_at: row?.appealed_at ?? null,
    }),
    CaseReportAdded: ({ data, meta }, row) =>
      row && {
        ...row,
        is_urgent: row.is_urgent || data.priority === 'high',
        reasons: { ...row.reasons, [data.reason]: (row.reasons[data.reason] ?? 0) + 1 },
        report_count: row.report_count + 1,
        last_report_at: meta.at,
      },
    CaseClaimed: ({ data, meta }, row) => row && { ...row, claimed_by: data.moderatorId, claimed_at: meta.at },
    CaseReleased: (_event, row) => row && { ...row, ...UNCLAIMED },
    CaseDecided: ({ data, meta }, row) => {
      if (!row) return null;
      const { decisionId: id, outcome, rule, isAutomated, moderatorId: by, evidence } = data;
      const decided = {
        ...row,
        is_holding: outcome !== 'kept',
        decision: { id, outcome, rule, isAutomated, by, at: meta.at, evidence },
      };
      return isAutomated ? decided : { ...decided, ...UNCLAIMED, is_open: false, decided_at: meta.at };
    },
    AppealFiled: ({ meta }, row) => row && { ...row, ...UNCLAIMED, appealed_at: meta.at },
    AppealDecided: ({ data, meta }, row) =>
      row && {
        ...row,
        ...UNCLAIMED,
        appealed_at: null,
        decided_at: meta.at,
        is_holding: data.outcome === 'upheld' && row.is_holding,
      },
  },
});

const UNCLAIMED = { claimed_by: null, claimed_at: null } as const;
