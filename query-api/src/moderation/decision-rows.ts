import {
  APPEAL_WINDOW_ms,
  HOUSE_RULES,
  type AppealOutcome,
  type HouseRule,
  type Outcome,
  type StaffDecisionView,
  type StatementView,
  type Subject,
} from '@alpenglow/domain';
import type { SubjectTitle } from './subject-titles.ts';

/** Columns of `rm.decisions d`, and whether a newer decision or an overturned appeal has put it out of force. */
export const DECISION_COLUMNS = `d.decision_id, d.event_id, d.case_id, d.kind, d.subject_id, d.moderator_id, d.outcome, d.rule, d.facts, d.is_automated, d.hiding_rule_id, d.decided_at,
  d.appeal_text, d.appealed_at, d.appeal_outcome, d.appeal_facts, d.appeal_moderator_id, d.appeal_decided_at,
  coalesce((select c.decision->>'id' = d.decision_id from rm.moderation_cases c where c.case_id = d.case_id), false) as is_newest`;

export interface DecisionRow {
  readonly decision_id: string;
  readonly event_id: string;
  readonly case_id: string;
  readonly kind: Subject['kind'];
  readonly subject_id: string;
  readonly moderator_id: string | null;
  readonly outcome: Outcome;
  readonly rule: string;
  readonly facts: string;
  readonly is_automated: boolean;
  readonly hiding_rule_id: string | null;
  readonly decided_at: Date;
  readonly appeal_text: string | null;
  readonly appealed_at: Date | null;
  readonly appeal_outcome: AppealOutcome | null;
  readonly appeal_facts: string | null;
  readonly appeal_moderator_id: string | null;
  readonly appeal_decided_at: Date | null;
  readonly is_newest: boolean;
}

export type Person = StaffDecisionView['by'];

/** The rule a decision names; one this build does not know counts among the others. */
export function ruleOf(rule: string): StatementView['rule'] {
  const id: HouseRule = rule in HOUSE_RULES ? (rule as HouseRule) : 'other';
  return { id, text: HOUSE_RULES[id] };
}

export function subjectOfRow({ kind, subject_id: id }: Pick<DecisionRow, 'kind' | 'subject_id'>): Subject {
  return { kind, id };
}

/** The statement of reasons, as the person whose content it is about reads it. */
export function statementOf(
  row: DecisionRow,
  title: SubjectTitle | undefined,
  proof: StatementView['proof'],
): StatementView {
  const isOverturned = row.appeal_outcome === 'overturned';
  const isInForce = row.is_newest && !isOverturned;
  const until = new Date(row.decided_at.getTime() + APPEAL_WINDOW_ms);
  const isAppealable =
    isInForce &&
    !row.is_automated &&
    row.outcome !== 'kept' &&
    row.appealed_at === null &&
    until.getTime() > Date.now();
  return {
    ...fieldsOf(row, title),
    isInForce,
    appealableUntil: isAppealable ? until.toISOString() : null,
    appeal: appealOf(row),
    proof,
  };
}

/** A decision as moderators see it. */
export function staffDecisionOf(
  row: DecisionRow,
  title: SubjectTitle | undefined,
  people: ReadonlyMap<string, string | null>,
): StaffDecisionView {
  const appeal = appealOf(row);
  return {
    ...fieldsOf(row, title),
    caseId: row.case_id,
    by: personOf(row.moderator_id, people),
    appeal: appeal && { ...appeal, by: personOf(row.appeal_moderator_id, people) },
  };
}

/** Somebody by their id, with their name where they still have one. */
export function personOf(id: string | null, people: ReadonlyMap<string, string | null>): Person {
  return id === null ? null : { id, name: people.get(id) ?? null };
}

function fieldsOf(row: DecisionRow, title: SubjectTitle | undefined) {
  return {
    id: row.decision_id,
    subject: subjectOfRow(row),
    title: title?.title ?? null,
    path: title?.path ?? null,
    outcome: row.outcome,
    rule: ruleOf(row.rule),
    facts: row.facts,
    isAutomated: row.is_automated,
    hidingRuleId: row.hiding_rule_id,
    at: row.decided_at.toISOString(),
  };
}

function appealOf({
  appeal_text: text,
  appealed_at,
  appeal_outcome: outcome,
  appeal_facts: facts,
  appeal_decided_at,
}: DecisionRow): StatementView['appeal'] {
  if (appealed_at === null) return null;
  return {
    text: text ?? '',
    filedAt: appealed_at.toISOString(),
    outcome,
    facts,
    decidedAt: appeal_decided_at?.toISOString() ?? null,
  };
}
