import {
  type AdminUserDetailView,
  LINKED_CASES_MAX,
  outcomesOf,
  toCaseId,
  parsePhotoUrl,
  photoUrl,
  reportReference,
  CLAIM_LIFETIME_ms,
  DomainError,
  type AppealOutcome,
  type CaseCard,
  type CaseList,
  type CaseView,
  type CasesResponse,
  type EventStore,
  type Evidence,
  type Outcome,
  type ReportReason,
  type Subject,
  type CaseId,
} from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import { readNames } from '../read-names.ts';
import { createPage, type PageQuery } from '../paging.ts';
import { readContent } from './content-reader.ts';
import {
  DECISION_COLUMNS,
  createPersonView,
  createRuleView,
  createStaffDecision,
  createSubject,
  type DecisionRow,
} from './decision-rows.ts';
import { readLinks, type AdLink } from './ad-links.ts';
import { readDecisionTitles } from './decision-titles.ts';
import { readTitles, type SubjectTitle } from './subject-titles.ts';
import { isHeld } from '../uploads/holds.ts';

const CASE_COLUMNS = `c.case_id, c.kind, c.subject_id, c.owner_id, c.round, c.opened_at, c.is_open, c.is_urgent,
  c.reasons, c.report_count, c.last_report_at, c.evidence,
  case when c.claimed_at > $1 then c.claimed_by end as claimed_by,
  c.claimed_at, c.is_holding, c.decision, c.decided_at, c.appealed_at, d.appeal_outcome, d.change_by,
  (select r.text from rm.reports r where r.case_id = c.case_id order by r.filed_at desc limit 1) as report_text`;

interface CaseRow {
  readonly case_id: CaseId;
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
  readonly report_text: string | null;
  readonly appeal_outcome: AppealOutcome | null;
  readonly change_by: Date | null;
}

/** The tables of `CASE_COLUMNS`: the cases `c`, with the newest decision `d` of each. */
const CASES = `rm.moderation_cases c left join rm.decisions d on d.decision_id = c.decision->>'id'`;

/** Filters of a list of moderation cases. A filter that is null matches every case. */
export interface CaseFilter {
  readonly kind: Subject['kind'] | null;
  readonly reason: ReportReason | null;
}

interface List {
  /**
   * The SQL condition that selects the moderation cases of the list. Claims before the time `$1` have expired, and `$2`
   * is the account id of the caller.
   */
  readonly where: string;
  /** The SQL expression of the sort key, which is a time. */
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

const CLAIMED = 'c.claimed_by = $2 and c.claimed_at > $1';

/**
 * The SQL expression of a sort key that puts urgent moderation cases first. It subtracts 25 years from the time of an
 * urgent case, because no other case is that old.
 */
const URGENT_FIRST = `case when c.is_urgent then c.opened_at - interval '25 years' else c.opened_at end`;

const LISTS: Readonly<Record<CaseList, List>> = {
  open: { where: 'c.is_open', by: URGENT_FIRST, direction: 'asc' },
  mine: { where: `(c.is_open or c.appealed_at is not null) and ${CLAIMED}`, by: 'c.claimed_at', direction: 'asc' },
  appeals: { where: 'c.appealed_at is not null', by: 'c.appealed_at', direction: 'asc' },
  decided: {
    where: 'c.decided_at is not null and not c.is_open and c.appealed_at is null',
    by: 'c.decided_at',
    direction: 'desc',
  },
};

const MAX_DECISIONS = 50;
const MAX_REPORTS = 100;
const MAX_OWNER_CASES = 50;

export type CaseReader = ReturnType<typeof createCaseReader>;

/** Creates an object that reads moderation cases for moderators. */
export function createCaseReader({
  pool,
  store,
}: Dependencies<'pool'> & { readonly store: Pick<EventStore, 'readStream'> }) {
  async function countWaiting(callerId: string): Promise<CasesResponse['counts']> {
    const { rows } = await pool.query<CasesResponse['counts']>({
      name: 'cases-waiting',
      text: `select count(*) filter (where c.is_open)::int as open,
                    count(*) filter (where c.appealed_at is not null)::int as appeals,
                    count(*) filter (where ${CLAIMED})::int as mine
               from rm.moderation_cases c where c.is_open or c.appealed_at is not null`,
      values: [oldestClaim(), callerId],
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

  async function createCards(rows: readonly CaseRow[], callerId: string): Promise<readonly CaseCard[]> {
    const titles = await readTitles(pool, rows.map(createSubject));
    const people = await readNames(
      pool,
      rows.flatMap((row) => [row.owner_id, row.claimed_by, row.decision?.by ?? null]),
    );
    return rows.map((row) => createCard(row, titles.get(toCaseId(createSubject(row))), people, callerId));
  }

  async function listDecisions(condition: string, values: readonly string[]): Promise<readonly DecisionRow[]> {
    const { rows } = await pool.query<DecisionRow>(
      `select ${DECISION_COLUMNS}
         from rm.decisions d
        where ${condition}
        order by d.decided_at desc limit ${MAX_DECISIONS}`,
      [...values],
    );
    return rows;
  }

  async function listReports(caseId: CaseId): Promise<CaseView['reports']> {
    const { rows } = await pool.query<{
      report_id: string;
      reason: ReportReason;
      text: string | null;
      filed_at: Date;
      reporter_id: string | null;
    }>({
      name: 'reports-of-case',
      text: `select report_id, reason, text, filed_at, reporter_id
               from rm.reports
              where case_id = $1
              order by filed_at desc limit ${MAX_REPORTS}`,
      values: [caseId],
    });
    return rows.map(({ report_id: id, reason, text, filed_at, reporter_id }) => ({
      id,
      reference: reportReference(id, filed_at.toISOString()),
      reason,
      text,
      at: filed_at.toISOString(),
      isSignedIn: reporter_id !== null,
    }));
  }

  /** Returns those of the photos that visitors do not see, because a case about the photo hides it. */
  async function listHiddenPhotos(urls: readonly string[]): Promise<readonly string[]> {
    const ids = urls.map(parsePhotoUrl).filter((id) => id !== null);
    if (ids.length === 0) return [];
    const { rows } = await pool.query<{ media_id: string }>({
      name: 'hidden-photos-of-case',
      text: `select p.media_id from unnest($1::text[]) as p (media_id) where ${isHeld('p.media_id')}`,
      values: [[...new Set(ids)]],
    });
    return rows.map(({ media_id }) => photoUrl(media_id));
  }

  /**
   * Lists the other open cases about the same owner, or about owners of linked ads. Cases that another moderator has
   * claimed, and cases about the content of the caller, are left out, because the caller cannot decide them.
   */
  async function listLinkedCases(
    { case_id, owner_id, is_open, appealed_at }: CaseRow,
    links: readonly AdLink[],
    callerId: string,
  ): Promise<CaseView['linkedCases']> {
    // Only an open case can be decided together with others.
    if (owner_id === null || !is_open || appealed_at !== null) return [];
    const { rows } = await pool.query<CaseRow>({
      name: 'linked-cases',
      text: `select ${CASE_COLUMNS} from ${CASES}
              where c.is_open and c.appealed_at is null and c.case_id <> $3
                and c.owner_id = any($4) and c.owner_id <> $2
                and (c.claimed_at is null or c.claimed_at <= $1 or c.claimed_by = $2)
              order by c.opened_at, c.case_id limit ${LINKED_CASES_MAX}`,
      values: [oldestClaim(), callerId, case_id, [owner_id, ...links.map(({ ownerId }) => ownerId)]],
    });
    const linkedBy = (ownerId: string | undefined) => [
      ...new Set(links.flatMap((link) => (link.ownerId === ownerId ? link.by : []))),
    ];
    return (await createCards(rows, callerId)).map((card) => ({
      case: card,
      by: card.owner?.id === owner_id ? ['owner'] : linkedBy(card.owner?.id),
    }));
  }

  return {
    async list(
      state: CaseList,
      { after, limit }: PageQuery,
      callerId: string,
      { kind, reason }: CaseFilter,
    ): Promise<Omit<CasesResponse, 'success'>> {
      const { where, by, direction } = LISTS[state];
      const afterCursor = `(${by}, c.case_id) ${direction === 'asc' ? '>' : '<'} ($3, $4)`;
      const { rows } = await pool.query<CaseRow & { readonly sorted_by: Date }>({
        name: `cases-${state}`,
        text: `select ${CASE_COLUMNS}, ${by} as sorted_by
                 from ${CASES}
                where ${where} and $2::text is not null and ($3::timestamptz is null or ${afterCursor})
                  and ($6::text is null or c.kind = $6) and ($7::text is null or c.reasons ? $7)
                order by ${by} ${direction}, c.case_id ${direction} limit $5`,
        values: [oldestClaim(), callerId, after?.key ?? null, after?.id ?? null, limit + 1, kind, reason],
      });
      const page = createPage(rows, limit, ({ sorted_by, case_id }) => [sorted_by, case_id]);
      const counts = await countWaiting(callerId);
      // The filtered cases are not counted, because no page shows their number.
      const isFiltered = kind !== null || reason !== null;
      const total = isFiltered ? null : state === 'decided' ? await countDecided() : counts[state];
      return { data: [...(await createCards(page.rows, callerId))], counts, nextCursor: page.nextCursor, total };
    },

    /**
     * Returns the newest moderation cases about content of an account, the decisions in them, and the ads of other
     * accounts that may belong to the same person.
     */
    async findOfOwner(ownerId: string, callerId: string): Promise<AdminUserDetailView['moderation']> {
      const [{ rows }, ownerDecisions, links] = await Promise.all([
        pool.query<CaseRow>({
          name: 'cases-of-owner',
          text: `select ${CASE_COLUMNS} from ${CASES}
                  where $1::timestamptz is not null and c.owner_id = $2
                  order by greatest(c.opened_at, c.last_report_at) desc, c.case_id limit ${MAX_OWNER_CASES}`,
          values: [oldestClaim(), ownerId],
        }),
        listDecisions('d.owner_id = $1', [ownerId]),
        readLinks(pool, ownerId),
      ]);
      const titles = await readDecisionTitles({ pool, store }, ownerDecisions);
      const people = await readNames(pool, [
        ...ownerDecisions.flatMap((decision) => [decision.moderator_id, decision.appeal_moderator_id]),
        ...links.map((link) => link.ownerId),
      ]);
      return {
        cases: [...(await createCards(rows, callerId))],
        decisions: ownerDecisions.map((decision) =>
          createStaffDecision(decision, titles.get(decision.decision_id), people),
        ),
        links: links.map(({ ownerId: linkedId, ...link }) => ({ ...link, owner: createPersonView(linkedId, people) })),
      };
    },

    /** Finds a moderation case with its reports, decisions and content. Rejects with CASE_NOT_FOUND. */
    async find(caseId: CaseId, callerId: string): Promise<CaseView> {
      const { rows } = await pool.query<CaseRow>({
        name: 'case-find',
        text: `select ${CASE_COLUMNS} from ${CASES} where c.case_id = $2`,
        values: [oldestClaim(), caseId],
      });
      const [row] = rows;
      const [card] = row ? await createCards([row], callerId) : [];
      if (!row || !card) throw new DomainError('CASE_NOT_FOUND');
      const subject = createSubject(row);
      const caseDecisions = await listDecisions('d.case_id = $1', [caseId]);
      // The appealed decision may not be the newest decision.
      const appealedDecision =
        row.appealed_at === null
          ? null
          : (caseDecisions.find(
              ({ appealed_at, appeal_decided_at }) => appealed_at !== null && appeal_decided_at === null,
            ) ?? null);
      // An appeal is judged with the version of the content on which the decision was based. Later reports may refer to
      // a newer version.
      const { evidence } = appealedDecision ?? row;
      const [reviewed, current] = [
        await readContent(store, subject, row.owner_id, evidence.revision),
        await readContent(store, subject, row.owner_id, null),
      ];
      const ownerDecisions =
        row.owner_id === null ? [] : await listDecisions('d.owner_id = $1 and d.case_id <> $2', [row.owner_id, caseId]);
      const allDecisions = [...caseDecisions, ...ownerDecisions];
      const titles = await readTitles(pool, [subject]);
      const decisionTitles = await readDecisionTitles({ pool, store }, allDecisions);
      const links = row.owner_id === null ? [] : await readLinks(pool, row.owner_id);
      const people = await readNames(pool, [
        ...allDecisions.flatMap((decision) => [decision.moderator_id, decision.appeal_moderator_id]),
        ...links.map(({ ownerId }) => ownerId),
      ]);
      const createView = (decision: DecisionRow) =>
        createStaffDecision(decision, decisionTitles.get(decision.decision_id), people);
      const isMine = card.claim?.isMine ?? false;
      const isOtherPerson = row.owner_id !== callerId && appealedDecision?.moderator_id !== callerId;
      return {
        ...card,
        outcomes: [...outcomesOf(row.kind)],
        canDecide: isMine && isOtherPerson,
        canClaim: isOtherPerson && card.claim === null && card.state !== 'decided',
        reports: await listReports(caseId),
        judged: reviewed,
        now: current,
        hiddenPhotos: [...(await listHiddenPhotos([...reviewed.photos, ...current.photos]))],
        path: titles.get(toCaseId(subject))?.path ?? null,
        decisions: caseDecisions.map(createView),
        ownerDecisions: ownerDecisions.map(createView),
        appeal: appealedDecision?.appealed_at
          ? { text: appealedDecision.appeal_text ?? '', filedAt: appealedDecision.appealed_at.toISOString() }
          : null,
        linkedCases: [...(await listLinkedCases(row, links, callerId))],
        links: links.map(({ ownerId, ...link }) => ({ ...link, owner: createPersonView(ownerId, people) })),
      };
    },
  };
}

function oldestClaim(): string {
  return new Date(Date.now() - CLAIM_LIFETIME_ms).toISOString();
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
