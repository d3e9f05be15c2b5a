import {
  DomainError,
  outcomesOf,
  toCaseId,
  type AdminUserDetailView,
  type CaseId,
  type CaseList,
  type CaseView,
  type ResponseOf,
  type EventStore,
  type ReportReason,
  type Subject,
} from '@alpenglow/domain';
import { MODERATION_CASES } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { readNames } from '../read-names.ts';
import { createPage, type PageQuery } from '../paging.ts';
import { readLinks } from './ad-links.ts';
import { CASE_COLUMNS, CASES, createCards, oldestClaim, type CaseRow } from './case-cards.ts';
import { listDecisions, listHiddenPhotos, listLinkedCases, listReports } from './case-parts.ts';
import { readContent } from './content-reader.ts';
import { createPersonView, createStaffDecision, createSubject, type DecisionRow } from './decision-rows.ts';
import { readDecisionTitles } from './decision-titles.ts';
import { readTitles } from './subject-titles.ts';

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

const MAX_OWNER_CASES = 50;

export type CaseReader = ReturnType<typeof createCaseReader>;

/** Creates an object that reads moderation cases for moderators. */
export function createCaseReader({
  pool,
  store,
}: Dependencies<'pool'> & { readonly store: Pick<EventStore, 'readStream'> }) {
  return {
    async list(
      state: CaseList,
      { after, limit }: PageQuery,
      callerId: string,
      { kind, reason }: CaseFilter,
    ): Promise<Omit<ResponseOf<'listCases'>, 'success'>> {
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
      const counts = await countWaiting(pool, callerId);
      // The filtered cases are not counted, because no page shows their number.
      const isFiltered = kind !== null || reason !== null;
      const total = isFiltered ? null : state === 'decided' ? await countDecided(pool) : counts[state];
      return { data: [...(await createCards(pool, page.rows, callerId))], counts, nextCursor: page.nextCursor, total };
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
        listDecisions(pool, 'd.owner_id = $1', [ownerId]),
        readLinks(pool, ownerId),
      ]);
      const titles = await readDecisionTitles({ pool, store }, ownerDecisions);
      const people = await readNames(pool, [
        ...ownerDecisions.flatMap((decision) => [decision.moderator_id, decision.appeal_moderator_id]),
        ...links.map((link) => link.ownerId),
      ]);
      return {
        cases: [...(await createCards(pool, rows, callerId))],
        decisions: ownerDecisions.map((decision) =>
          createStaffDecision(decision, titles.get(decision.decision_id), people),
        ),
        links: links.map(({ ownerId: linkedId, ...link }) => ({ ...link, owner: createPersonView(linkedId, people) })),
      };
    },

    /**
     * Finds a moderation case with its reports, decisions and content. The response of the owner is in no read model.
     * Rejects with CASE_NOT_FOUND.
     */
    async find(caseId: CaseId, callerId: string): Promise<Omit<CaseView, 'response'>> {
      const { rows } = await pool.query<CaseRow>({
        name: 'case-find',
        text: `select ${CASE_COLUMNS} from ${CASES} where c.case_id = $2`,
        values: [oldestClaim(), caseId],
      });
      const [row] = rows;
      const [card] = row ? await createCards(pool, [row], callerId) : [];
      if (!row || !card) throw new DomainError('CASE_NOT_FOUND');
      const subject = createSubject(row);
      const caseDecisions = await listDecisions(pool, 'd.case_id = $1', [caseId]);
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
        row.owner_id === null
          ? []
          : await listDecisions(pool, 'd.owner_id = $1 and d.case_id <> $2', [row.owner_id, caseId]);
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
        reports: await listReports(pool, caseId),
        judged: reviewed,
        now: current,
        hiddenPhotos: [...(await listHiddenPhotos(pool, [...reviewed.photos, ...current.photos]))],
        path: titles.get(toCaseId(subject))?.staffPath ?? null,
        decisions: caseDecisions.map(createView),
        ownerDecisions: ownerDecisions.map(createView),
        appeal: appealedDecision?.appealed_at
          ? { text: appealedDecision.appeal_text ?? '', filedAt: appealedDecision.appealed_at.toISOString() }
          : null,
        linkedCases: [...(await listLinkedCases(pool, row, links, callerId))],
        links: links.map(({ ownerId, ...link }) => ({ ...link, owner: createPersonView(ownerId, people) })),
      };
    },
  };
}

async function countWaiting(
  pool: Dependencies<'pool'>['pool'],
  callerId: string,
): Promise<ResponseOf<'listCases'>['counts']> {
  const { rows } = await pool.query<ResponseOf<'listCases'>['counts']>({
    name: 'cases-waiting',
    text: `select count(*) filter (where c.is_open)::int as open,
                  count(*) filter (where c.appealed_at is not null)::int as appeals,
                  count(*) filter (where ${CLAIMED})::int as mine
             from ${MODERATION_CASES.table} c where c.is_open or c.appealed_at is not null`,
    values: [oldestClaim(), callerId],
  });
  return rows[0] ?? { open: 0, mine: 0, appeals: 0 };
}

async function countDecided(pool: Dependencies<'pool'>['pool']): Promise<number> {
  const { rows } = await pool.query<{ total: number }>({
    name: 'cases-decided-count',
    text: `select count(*)::int as total from ${MODERATION_CASES.table} c where ${LISTS.decided.where}`,
  });
  return rows[0]?.total ?? 0;
}
