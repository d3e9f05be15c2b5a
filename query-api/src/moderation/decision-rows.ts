import {
  APPEAL_WINDOW_ms,
  HOUSE_RULES,
  isAppealableOutcome,
  type HouseRule,
  type StaffDecisionView,
  type StatementView,
  type Subject,
} from '@alpenglow/domain';
import { MODERATION_CASES, type DECISIONS, type RowOf } from '@alpenglow/infra';
import type { SubjectTitle } from './subject-titles.ts';

/**
 * The SQL expressions for the columns of a `DecisionRow`. They require `DECISIONS` with the alias `d` in `from`.
 * `is_newest` is true for the newest decision of a moderation case.
 */
export const DECISION_COLUMNS = `d.*,
  coalesce((select c.decision->>'id' = d.decision_id from ${MODERATION_CASES.table} c where c.case_id = d.case_id),
    false) as is_newest`;

export type DecisionRow = RowOf<typeof DECISIONS> & { readonly is_newest: boolean };

export type Person = StaffDecisionView['by'];

/** Returns the house rule that a moderation decision is based on. An unknown rule counts as `other`. */
export function createRuleView(rule: string): StatementView['rule'] {
  const id: HouseRule = rule in HOUSE_RULES ? (rule as HouseRule) : 'other';
  return { id, text: HOUSE_RULES[id] };
}

/**
 * Returns the kind and the id of the reported content that a row refers to. The type assertion is safe, because all
 * values in the read model are from stored events.
 */
export function createSubject({ kind, subject_id: id }: Pick<DecisionRow, 'kind' | 'subject_id'>): Subject {
  return { kind, id } as Subject;
}

/** Returns false after a newer decision in the same case, or a granted appeal. */
export const isDecisionInForce = ({ is_newest, appeal_outcome }: DecisionRow): boolean =>
  is_newest && appeal_outcome !== 'overturned';

/** Creates the statement of reasons, which explains a moderation decision to the owner of the content. */
export function createStatement(
  row: DecisionRow,
  title: SubjectTitle | undefined,
  proof: StatementView['proof'],
  { isChanged, canRespond, response }: Pick<StatementView, 'isChanged' | 'canRespond' | 'response'>,
): StatementView {
  const isInForce = isDecisionInForce(row);
  const until = new Date(row.decided_at.getTime() + APPEAL_WINDOW_ms);
  const isAppealable =
    isInForce &&
    !row.is_automated &&
    isAppealableOutcome(row.outcome) &&
    row.appealed_at === null &&
    until.getTime() > Date.now();
  return {
    ...createFields(row, title),
    isInForce,
    isChanged,
    appealableUntil: isAppealable ? until.toISOString() : null,
    appeal: createAppeal(row),
    canRespond,
    response,
    proof,
  };
}

/** Converts a moderation decision to the API format for moderators. */
export function createStaffDecision(
  row: DecisionRow,
  title: SubjectTitle | undefined,
  people: ReadonlyMap<string, string | null>,
): StaffDecisionView {
  const appeal = createAppeal(row);
  return {
    ...createFields(row, title),
    caseId: row.case_id,
    by: createPersonView(row.moderator_id, people),
    appeal: appeal && { ...appeal, by: createPersonView(row.appeal_moderator_id, people) },
  };
}

/** Converts an account id to the API format of a person. The name is null for a closed account. */
export function createPersonView(id: string | null, people: ReadonlyMap<string, string | null>): Person {
  return id === null ? null : { id, name: people.get(id) ?? null };
}

function createFields(row: DecisionRow, title: SubjectTitle | undefined) {
  return {
    id: row.decision_id,
    subject: createSubject(row),
    title: title?.title ?? null,
    file: title?.file ?? null,
    path: title?.path ?? null,
    outcome: row.outcome,
    rule: createRuleView(row.rule),
    facts: row.facts,
    isAutomated: row.is_automated,
    hidingRuleId: row.hiding_rule_id,
    changeBy: row.change_by?.toISOString() ?? null,
    at: row.decided_at.toISOString(),
  };
}

function createAppeal({
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
