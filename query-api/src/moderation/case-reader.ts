import {
  CLAIM_LIFETIME_ms,
  DomainError,
  outcomesOf,
  reportReference,
  type CaseCard,
  type CaseListState,
  type CaseView,
  type CasesAnswer,
  type EventStore,
  type Evidence,
  type Outcome,
  type ReportReason,
  type Subject,
} from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { pageOf, type PageQuery } from '../admin/page-query.ts';
import { contentOf } from './content.ts';
import {
  DECISION_COLUMNS,
  personOf,
  ruleOf,
  staffDecisionOf,
  subjectOfRow,
  type DecisionRow,
} from './decision-rows.ts';
import { readLinks } from './links.ts';
import { keyOf, readTitles, type SubjectTitle } from './subject-titles.ts';

const CASE_COLUMNS = `c.case_id, c.kind, c.subject_id, c.owner_id, c.round, c.opened_at, c.is_open, c.is_urgent, c.reasons, c.report_count, c.last_report_at, c.evidence,
  case when c.claimed_at > $1 then c.claimed_by end as claimed_by, c.claimed_at, c.is_holding, c.decision, c.decided_at, c.appealed_at`;

interface CaseRow {
  readonly case_id: string;
  readonly kind: Subject['kind'];
  readonly subject_id: string;
  readonly owner_id: string | null;
  readonly round: number;
  readonly opened_at: Date;
  readonly is_open: boolean;
  readonly is_urgent: boolean;
  readonly reasons: Readonly<Partial<Record<ReportReason, number>>>;
  readonly report_count: number;
  readonly last_report_at: Date | null;
  readonly evidence: Evidence;
  readonly claimed_by: string | null;
  readonly claimed_at: Date | null;
  readonly is_holding: boolean;
  readonly decision: {
    readonly id: string;
    readonly outcome: Outcome;
    readonly rule: string;
    readonly isAutomated: boolean;
    readonly by: string | null;
    readonly at: string;
    readonly evidence: Evidence;
  } | null;
  readonly decided_at: Date | null;
  readonly appealed_at: Date | null;
}

interface List {
  /** SQL of the cases in it; `$1` is when claims made before have run out, `$2` the asker. */
  readonly where: string;
  /** SQL of what is sorted by, which is a time. */
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

const CLAIMED = 'c.claimed_by = $2 and c.claimed_at > $1';

/** Urgent ones first: they count as so much older than they are that nothing else comes before them. */
const URGENT_FIRST = `case when c.is_urgent then c.opened_at - interval '25 years' else c.opened_at end`;

const LISTS: Readonly<Record<CaseListState, List>> = {
  open: { where: 'c.is_open', by: URGENT_FIRST, direction: 'asc' },
  mine: { where: `(c.is_open or c.appealed_at is not null) and ${CLAIMED}`, by: 'c.claimed_at', direction: 'asc' },
  appeals: { where: 'c.appealed_at is not null', by: 'c.appealed_at', direction: 'asc' },
  decided: {
    where: 'c.decided_at is not null and not c.is_open and c.appealed_at is null',
    by: 'c.decided_at',
    direction: 'desc',
  },
};

const DECISIONS_SHOWN = 50;
const REPORTS_SHOWN = 100;

export interface CaseReader {
  list(
    state: CaseListState,
    page: Pick<PageQuery, 'after' | 'limit'>,
    askerId: string,
  ): Promise<Omit<CasesAnswer, 'success'>>;
  /** Rejects with CASE_NOT_FOUND. */
  find(caseId: string, askerId: string): Promise<CaseView>;
}

/** Reads the queue of moderators. */
export function createCaseReader({
  pool,
  store,
}: {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'readStream'>;
}): CaseReader {
  async function countWaiting(askerId: string): Promise<CasesAnswer['counts']> {
    const { rows } = await pool.query<CasesAnswer['counts']>({
      name: 'cases-waiting',
      text: `select count(*) filter (where c.is_open)::int as open, count(*) filter (where c.appealed_at is not null)::int as appeals,
             count(*) filter (where ${CLAIMED})::int as mine from rm.moderation_cases c where c.is_open or c.appealed_at is not null`,
      values: [claimsSince(), askerId],
    });
    return rows[0] ?? { open: 0, mine: 0, appeals: 0 };
  }

  async function countDecided(): Promise<number> {
    const { rows } = await pool.query<{ total: number }>({
      name: 'cases-decided-count',
      text: `select count(*)::int as total from rm.moderation_cases c where ${LISTS.decided.where}`,
    });
    return rows[0]?.total ?? 0;
  }

  async function cardsOf(rows: readonly CaseRow[], askerId: string): Promise<readonly CaseCard[]> {
    const titles = await readTitles(pool, rows.map(subjectOfRow));
    const people = await readNames(
      pool,
      rows.flatMap((row) => [row.owner_id, row.claimed_by, row.decision?.by ?? null]),
    );
    return rows.map((row) => cardOf(row, titles.get(keyOf(subjectOfRow(row))), people, askerId));
  }

  async function decisionsWhere(condition: string, values: readonly string[]): Promise<readonly DecisionRow[]> {
    const { rows } = await pool.query<DecisionRow>(
      `select ${DECISION_COLUMNS} from rm.decisions d where ${condition} order by d.decided_at desc limit ${DECISIONS_SHOWN}`,
      [...values],
    );
    return rows;
  }

  async function reportsOf(caseId: string): Promise<CaseView['reports']> {
    const { rows } = await pool.query<{
      report_id: string;
      reason: ReportReason;
      text: string | null;
      filed_at: Date;
      reporter_id: string | null;
    }>({
      name: 'reports-of-case',
      text: `select report_id, reason, text, filed_at, reporter_id from rm.reports where case_id = $1 order by filed_at desc limit ${REPORTS_SHOWN}`,
      values: [caseId],
    });
    return rows.map(({ report_id: id, reason, text, filed_at, reporter_id }) => ({
      id,
      reference: reportReference(id),
      reason,
      text,
      at: filed_at.toISOString(),
      isSignedIn: reporter_id !== null,
    }));
  }

  return {
    async list(state, { after, limit }, askerId) {
      const { where, by, direction } = LISTS[state];
      const behind = `(${by}, c.case_id) ${direction === 'asc' ? '>' : '<'} ($3, $4)`;
      const { rows } = await pool.query<CaseRow & { readonly sorted_by: Date }>({
        name: `cases-${state}`,
        text: `select ${CASE_COLUMNS}, ${by} as sorted_by from rm.moderation_cases c where ${where} and $2::text is not null and ($3::timestamptz is null or ${behind})
               order by ${by} ${direction}, c.case_id ${direction} limit $5`,
        values: [claimsSince(), askerId, after?.at ?? null, after?.id ?? null, limit + 1],
      });
      const page = pageOf(rows, limit, ({ sorted_by, case_id: id }) => ({ at: sorted_by.toISOString(), id }));
      const counts = await countWaiting(askerId);
      const total = state === 'decided' ? await countDecided() : counts[state];
      return { data: [...(await cardsOf(page.rows, askerId))], counts, nextCursor: page.nextCursor, total };
    },

    async find(caseId, askerId) {
      const { rows } = await pool.query<CaseRow>({
        name: 'case-find',
        text: `select ${CASE_COLUMNS} from rm.moderation_cases c where c.case_id = $2`,
        values: [claimsSince(), caseId],
      });
      const [row] = rows;
      const [card] = row ? await cardsOf([row], askerId) : [];
      if (!row || !card) throw new DomainError('CASE_NOT_FOUND');
      const subject = subjectOfRow(row);
      // An appeal is decided by the version its decision was about, not by one that was reported since.
      const evidence = row.appealed_at !== null && row.decision ? row.decision.evidence : row.evidence;
      const [judged, now] = [
        await contentOf(store, subject, row.owner_id, evidence.revision),
        await contentOf(store, subject, row.owner_id, null),
      ];
      const ofCase = await decisionsWhere('d.case_id = $1', [caseId]);
      const ofOwner =
        row.owner_id === null
          ? []
          : await decisionsWhere('d.owner_id = $1 and d.case_id <> $2', [row.owner_id, caseId]);
      const all = [...ofCase, ...ofOwner];
      const titles = await readTitles(pool, [subject, ...all.map(subjectOfRow)]);
      const links = row.owner_id === null ? [] : await readLinks(pool, row.owner_id);
      const people = await readNames(pool, [
        ...all.flatMap((one) => [one.moderator_id, one.appeal_moderator_id]),
        ...links.map(({ ownerId }) => ownerId),
      ]);
      const viewOf = (one: DecisionRow) => staffDecisionOf(one, titles.get(keyOf(subjectOfRow(one))), people);
      const appealed =
        row.appealed_at === null
          ? null
          : (ofCase.find(({ appealed_at, appeal_decided_at }) => appealed_at !== null && appeal_decided_at === null) ??
            null);
      const isMine = card.claim?.isMine ?? false;
      const isOther = row.owner_id !== askerId && (row.appealed_at === null || row.decision?.by !== askerId);
      return {
        ...card,
        outcomes: [...outcomesOf(row.kind)],
        canDecide: isMine && isOther,
        canClaim: isOther && card.claim === null && card.state !== 'decided',
        reports: await reportsOf(caseId),
        judged,
        now,
        path: titles.get(keyOf(subject))?.path ?? null,
        decisions: ofCase.map(viewOf),
        ownerDecisions: ofOwner.map(viewOf),
        appeal: appealed?.appealed_at
          ? { text: appealed.appeal_text ?? '', filedAt: appealed.appealed_at.toISOString() }
          : null,
        links: links.map(({ ownerId, ...link }) => ({ ...link, owner: personOf(ownerId, people) })),
      };
    },
  };
}

function claimsSince(): string {
  return new Date(Date.now() - CLAIM_LIFETIME_ms).toISOString();
}

function cardOf(
  row: CaseRow,
  title: SubjectTitle | undefined,
  people: ReadonlyMap<string, string | null>,
  askerId: string,
): CaseCard {
  const { claimed_by, claimed_at, decision } = row;
  const claimedUntil = claimed_at && new Date(claimed_at.getTime() + CLAIM_LIFETIME_ms).toISOString();
  return {
    id: row.case_id,
    subject: subjectOfRow(row),
    title: title?.title ?? null,
    owner: personOf(row.owner_id, people),
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
        ? { by: personOf(claimed_by, people), until: claimedUntil, isMine: claimed_by === askerId }
        : null,
    decision: decision && {
      id: decision.id,
      outcome: decision.outcome,
      ruleId: ruleOf(decision.rule).id,
      isAutomated: decision.isAutomated,
      by: personOf(decision.by, people),
      at: new Date(decision.at).toISOString(),
    },
    appealedAt: row.appealed_at?.toISOString() ?? null,
  };
}

/** Display names by account id; an account that is gone is not among them. */
async function readNames(pool: Pool, ids: readonly (string | null)[]): Promise<ReadonlyMap<string, string | null>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const { rows } = await pool.query<{ account_id: string; display_name: string }>({
    name: 'names-of-people',
    text: 'select account_id, display_name from rm.accounts where account_id = any($1)',
    values: [wanted],
  });
  return new Map(rows.map(({ account_id, display_name }) => [account_id, display_name]));
}
