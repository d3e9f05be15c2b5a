import type {
  AppealOutcome,
  CaseId,
  Evidence,
  Outcome,
  RemovalCard,
  RemovalRelation,
  ReportReason,
  Subject,
} from '@alpenglow/domain';
import { defineReadModel, key, optional, required } from './define-read-model.ts';

/** A moderation case, which collects the reports about the same content, e.g. about one ad. */
export const MODERATION_CASES = defineReadModel({ name: 'moderation_cases', version: 1 })({
  case_id: key<CaseId>('text'),
  kind: required<Subject['kind']>('text'),
  subject_id: 'text not null',
  owner_id: 'text',
  round: 'integer not null',
  opened_at: 'timestamptz not null',
  is_open: 'boolean not null',
  is_urgent: 'boolean not null',
  /** The number of reports by reason since the moderation case was last opened. */
  reasons: required<Readonly<Partial<Record<ReportReason, number>>>>('jsonb'),
  report_count: 'integer not null',
  last_report_at: 'timestamptz',
  evidence: required<Evidence>('jsonb'),
  claimed_by: 'text',
  claimed_at: 'timestamptz',
  /** True while the moderation case hides the reported content, e.g. an ad, from visitors. */
  is_holding: 'boolean not null',
  decision: optional<{
    readonly id: string;
    readonly outcome: Outcome;
    readonly rule: string;
    readonly isAutomated: boolean;
    readonly by: string | null;
    readonly at: string;
    readonly evidence: Evidence;
  }>('jsonb'),
  /** The time of the last decision by a moderator. */
  decided_at: 'timestamptz',
  appealed_at: 'timestamptz',
});

/** A decision in a moderation case, with the reasons for it and the appeal against it. */
export const DECISIONS = defineReadModel({ name: 'decisions', version: 2 })({
  decision_id: 'text primary key',
  /** The id of the `CaseDecided` event. The moderation log has an entry for this event. */
  event_id: 'text not null',
  case_id: required<CaseId>('text'),
  kind: required<Subject['kind']>('text'),
  subject_id: 'text not null',
  owner_id: 'text',
  moderator_id: 'text',
  outcome: required<Outcome>('text'),
  rule: 'text not null',
  facts: 'text not null',
  is_automated: 'boolean not null',
  hiding_rule_id: 'text',
  was_hidden: 'boolean not null',
  evidence: required<Evidence>('jsonb'),
  decided_at: 'timestamptz not null',
  appeal_text: 'text',
  appealed_at: 'timestamptz',
  appeal_outcome: optional<AppealOutcome>('text'),
  appeal_facts: 'text',
  appeal_moderator_id: 'text',
  appeal_decided_at: 'timestamptz',
  /** The time at which unchanged content is hidden. Null if no change was requested. */
  change_by: 'timestamptz',
});

/**
 * A report about content, with the moderation case that it belongs to and the reference number that the reporter
 * received.
 */
export const REPORTS = defineReadModel({ name: 'reports', version: 2, isShardable: true })({
  report_id: 'text primary key',
  reference: 'text not null',
  case_id: required<CaseId>('text'),
  reporter_id: 'text',
  reason: required<ReportReason>('text'),
  text: 'text',
  filed_at: 'timestamptz not null',
});

/** A removal request, without personal data. The state of the request is read from its events. */
export const REMOVAL_REQUESTS = defineReadModel({ name: 'removal_requests', version: 1 })({
  request_id: 'text primary key',
  reference: 'text not null',
  requested_at: 'timestamptz not null',
  status: required<RemovalCard['status']>('text'),
  /** The time since which the request or its appeal waits. Null if nothing remains to be done. */
  waits_since: 'timestamptz',
  /** The end of the time to decide and to complete the removal. Null if nothing remains to be done. */
  deadline: 'timestamptz',
  relation: required<RemovalRelation>('text'),
  content_count: 'integer not null',
  hides_at_once: 'boolean not null',
  /** The hours after which staff were warned last. 0 without a warning. */
  warned_h: 'integer not null',
  /** The time of the last rejection, completion or withdrawal. Null before. */
  closed_at: 'timestamptz',
  /** The time at which the personal data is erased. Null while the request waits, and after the erasure. */
  erase_at: 'timestamptz',
});

/** The current state of a hiding rule, which hides matching ads automatically. Discarded rules have no row. */
export const HIDING_RULES = defineReadModel({ name: 'hiding_rules', version: 1 })({
  rule_id: 'text primary key',
  title: 'text not null',
  category: 'text',
  phrases: required<readonly string[]>('jsonb'),
  younger_than_days: 'integer',
  min_reports: 'integer',
  rule: 'text not null',
  facts: 'text not null',
  status: 'text not null',
  created_at: 'timestamptz not null',
  changed_at: 'timestamptz not null',
  /** The time at which the rule was last switched on or off. Null for a draft. */
  switched_at: 'timestamptz',
  /** The number of ads that the rule has hidden. */
  hidden: 'integer not null',
});
