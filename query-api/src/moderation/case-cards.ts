import { CLAIM_LIFETIME_ms, toCaseId, type CaseCard, type ReportReason } from '@alpenglow/domain';
import { DECISIONS, MODERATION_CASES, REPORTS, type Nullable, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { readNames } from '../read-names.ts';
import { createPersonView, createRuleView, createSubject } from './decision-rows.ts';
import { readTitles, type SubjectTitle } from './subject-titles.ts';

type Pool = Dependencies<'pool'>['pool'];

const CASE = MODERATION_CASES.select(
  [
    'case_id',
    'kind',
    'subject_id',
    'owner_id',
    'round',
    'opened_at',
    'is_open',
    'is_urgent',
    'reasons',
    'report_count',
    'last_report_at',
    'evidence',
    'claimed_at',
    'is_holding',
    'decision',
    'decided_at',
    'appealed_at',
  ],
  'c',
);
const DECISION = DECISIONS.select(['appeal_outcome', 'change_by'], 'd');

/** The columns of a `CaseRow`. Claims before the time `$1` have expired. */
export const CASE_COLUMNS = `${CASE}, ${DECISION}, case when c.claimed_at > $1 then c.claimed_by end as claimed_by,
  (select a.moderator_id from ${DECISIONS.table} a
    where c.appealed_at is not null and a.case_id = c.case_id and a.appealed_at is not null
      and a.appeal_decided_at is null order by a.decided_at desc limit 1) as appealed_moderator_id,
  (select r.text from ${REPORTS.table} r where r.case_id = c.case_id order by r.filed_at desc limit 1) as report_text`;

/** A moderation case with its newest decision. */
export interface CaseRow extends SelectedRow<typeof CASE>, Nullable<SelectedRow<typeof DECISION>> {
  readonly claimed_by: string | null;
  /** The moderator who made the appealed decision. Null without an open appeal. */
  readonly appealed_moderator_id: string | null;
  readonly report_text: string | null;
}

/** The tables of `CASE_COLUMNS`: the cases `c`, with the newest decision `d` of each. */
export const CASES = `${MODERATION_CASES.table} c left join ${DECISIONS.table} d on d.decision_id = c.decision->>'id'`;

/** Returns the time before which a claim has expired. */
export function oldestClaim(): string {
  return new Date(Date.now() - CLAIM_LIFETIME_ms).toISOString();
}

/** Creates the cards of moderation cases, with the titles of their subjects and the names of the people. */
export async function createCards(
  pool: Pool,
  rows: readonly CaseRow[],
  callerId: string,
): Promise<readonly CaseCard[]> {
  const titles = await readTitles(pool, rows.map(createSubject));
  const people = await readNames(
    pool,
    rows.flatMap((row) => [row.owner_id, row.claimed_by, row.decision?.by ?? null]),
  );
  return rows.map((row) => createCard(row, titles.get(toCaseId(createSubject(row))), people, callerId));
}

function createCard(
  row: CaseRow,
  title: SubjectTitle | undefined,
  people: ReadonlyMap<string, string | null>,
  callerId: string,
): CaseCard {
  const { claimed_by, claimed_at, decision } = row;
  const claimedUntil = claimed_at && new Date(claimed_at.getTime() + CLAIM_LIFETIME_ms).toISOString();
  return {
    id: row.case_id,
    subject: createSubject(row),
    title: title?.title ?? null,
    picture: title?.picture ?? null,
    reportText: row.report_text,
    owner: createPersonView(row.owner_id, people),
    state: row.appealed_at !== null ? 'appealed' : row.is_open ? 'open' : 'decided',
    priority: row.is_urgent ? 'high' : 'normal',
    reasons: Object.entries(row.reasons)
      .map(([reason, count]) => ({ reason: reason as ReportReason, count }))
      .sort((one, other) => other.count - one.count),
    reportCount: row.report_count,
    round: row.round,
    openedAt: row.opened_at.toISOString(),
    lastReportAt: row.last_report_at?.toISOString() ?? null,
    isHidden: row.is_holding,
    claim:
      claimed_by !== null && claimedUntil
        ? { by: createPersonView(claimed_by, people), until: claimedUntil, isMine: claimed_by === callerId }
        : null,
    canClaim: canClaim(row, callerId),
    decision: decision && {
      id: decision.id,
      outcome: decision.outcome,
      ruleId: createRuleView(decision.rule).id,
      isAutomated: decision.isAutomated,
      by: createPersonView(decision.by, people),
      at: new Date(decision.at).toISOString(),
      isReversed: row.appeal_outcome === 'overturned',
      changeBy: row.change_by?.toISOString() ?? null,
    },
    appealedAt: row.appealed_at?.toISOString() ?? null,
  };
}

/**
 * Returns true if the caller can claim a case. It is then neither about their own content nor about an appeal against
 * their own decision.
 */
const canClaim = (row: CaseRow, callerId: string): boolean =>
  row.claimed_by === null && isWaiting(row) && row.owner_id !== callerId && row.appealed_moderator_id !== callerId;

const isWaiting = ({ is_open, appealed_at }: CaseRow): boolean => is_open || appealed_at !== null;
