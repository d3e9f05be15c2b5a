import {
  LINKED_CASES_MAX,
  parsePhotoUrl,
  photoUrl,
  reportReference,
  type CaseId,
  type CaseView,
} from '@alpenglow/domain';
import { DECISIONS, REPORTS, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { isHeld } from '../uploads/holds.ts';
import type { AdLink } from './ad-links.ts';
import { CASE_COLUMNS, CASES, createCards, oldestClaim, type CaseRow } from './case-cards.ts';
import { DECISION_COLUMNS, type DecisionRow } from './decision-rows.ts';

type Pool = Dependencies<'pool'>['pool'];

const REPORT = REPORTS.select(['report_id', 'reason', 'text', 'filed_at', 'reporter_id']);
const MAX_DECISIONS = 50;
const MAX_REPORTS = 100;

/** Returns the newest decisions that match an SQL condition on `d`. */
export async function listDecisions(
  pool: Pool,
  condition: string,
  values: readonly string[],
): Promise<readonly DecisionRow[]> {
  const { rows } = await pool.query<DecisionRow>(
    `select ${DECISION_COLUMNS}
       from ${DECISIONS.table} d
      where ${condition}
      order by d.decided_at desc limit ${MAX_DECISIONS}`,
    [...values],
  );
  return rows;
}

/** Returns the newest reports of a case. */
export async function listReports(pool: Pool, caseId: CaseId): Promise<CaseView['reports']> {
  const { rows } = await pool.query<SelectedRow<typeof REPORT>>({
    name: 'reports-of-case',
    text: `select ${REPORT}
             from ${REPORTS.table}
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
export async function listHiddenPhotos(pool: Pool, urls: readonly string[]): Promise<readonly string[]> {
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
export async function listLinkedCases(
  pool: Pool,
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
  return (await createCards(pool, rows, callerId)).map((card) => ({
    case: card,
    by: card.owner?.id === owner_id ? ['owner'] : linkedBy(card.owner?.id),
  }));
}
