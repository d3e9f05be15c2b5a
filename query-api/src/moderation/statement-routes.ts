import {
  DECISION_ID,
  DomainError,
  isContinued,
  listing,
  moderationCase,
  REPORT_REFERENCE,
  type StatementView,
} from '@alpenglow/domain';
import {
  DECISIONS,
  MODERATION_CASES,
  REPORTS,
  hasStatementToken,
  toInclusionProofView,
  createOperationRouter,
  getQuery,
  waitForPosition,
  type RowOf,
} from '@alpenglow/infra';
import { sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import { createPage, toPageQuery } from '../paging.ts';
import { DECISION_COLUMNS, createStatement, isDecisionInForce, type DecisionRow } from './decision-rows.ts';
import { readDecisionTitles } from './decision-titles.ts';

type StatementDependencies = Dependencies<
  'pool' | 'store' | 'commands' | 'auditLog' | 'authentication' | 'statementTokens' | 'progress'
>;

const READ_MODELS = ['decisions', 'moderation_cases', 'ad_cards', 'community_posts', 'community_threads'];
/**
 * The SQL condition for the moderation decisions that the owner of the content receives. The condition excludes
 * decisions that changed nothing, because the content was visible before and after the decision. The removal of a photo
 * from an ad has its own decision about the photo.
 */
const IS_SHOWN_TO_OWNER = `d.outcome <> 'photo_removed' and (d.outcome <> 'kept' or d.was_hidden)`;

/**
 * The API operations that return statements of reasons, which explain moderation decisions to the owner of the content.
 * The owner can also read a single statement with the token from the mail about the decision.
 */
export function statementRoutes({
  pool,
  store,
  commands,
  auditLog,
  authentication,
  statementTokens,
  progress,
}: StatementDependencies) {
  const router = createOperationRouter();

  async function createProof(eventId: string): Promise<StatementView['proof']> {
    const proof = await auditLog.findProof(eventId);
    return proof && { ...toInclusionProofView(proof), day: proof.root.day };
  }

  const createView = async (
    row: DecisionRow,
    titles: Awaited<ReturnType<typeof readDecisionTitles>>,
    proof: StatementView['proof'],
  ): Promise<StatementView> =>
    createStatement(row, titles.get(row.decision_id), proof, {
      isChanged: await isChangedAsRequested(row),
      ...(await readResponse(row)),
    });

  /** Returns true if the owner has changed the ad since a moderator has requested a change. */
  async function isChangedAsRequested(row: DecisionRow): Promise<boolean> {
    if (row.outcome !== 'change_requested' || !isDecisionInForce(row) || row.owner_id === null) return false;
    const { ad } = (await commands.load(listing, row.owner_id)).state;
    return ad !== null && isContinued(row.subject_id, ad) && ad.contentRevision > row.evidence.revision;
  }

  /** Returns the response of the owner to an automated decision that waits for a moderator. */
  async function readResponse(row: DecisionRow): Promise<Pick<StatementView, 'canRespond' | 'response'>> {
    if (!row.is_automated || !isDecisionInForce(row)) return { canRespond: false, response: null };
    const { state } = await commands.load(moderationCase, row.case_id);
    const isWaiting = state?.isOpen === true && state.isHidingSubject && state.decision?.decisionId === row.decision_id;
    const response = isWaiting ? state.response : null;
    return { canRespond: isWaiting && response === null, response };
  }

  router.on('listDecisions', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const { account } = await authentication.require(req);
    const { after, limit } = toPageQuery(getQuery(req));
    const { rows } = await pool.query<DecisionRow>({
      name: 'decisions-of-owner',
      text: `select ${DECISION_COLUMNS}
               from ${DECISIONS.table} d
              where d.owner_id = $1 and d.decided_at >= $5 and ${IS_SHOWN_TO_OWNER}
                and ($2::timestamptz is null or (d.decided_at, d.decision_id) < ($2, $3))
              order by d.decided_at desc, d.decision_id desc limit $4`,
      // After an account is closed, a new account with the same e-mail address has the same id. The earlier decisions
      // are about the content of the closed account.
      values: [account.accountId, after?.key ?? null, after?.id ?? null, limit + 1, account.registeredAt],
    });
    const page = createPage(rows, limit, ({ decided_at, decision_id }) => [decided_at, decision_id]);
    const titles = await readDecisionTitles({ pool, store }, page.rows);
    const data = await Promise.all(page.rows.map((row) => createView(row, titles, null)));
    sendUncached(res, { success: true, data, nextCursor: page.nextCursor });
  });

  router.on('getDecision', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const { id } = req.params;
    const reader = hasStatementToken(req, id, statementTokens) ? null : (await authentication.require(req)).account;
    const { rows } = DECISION_ID.test(id)
      ? await pool.query<DecisionRow>({
          name: 'decision-to-read',
          // An erasure of the owner's personal data removes the facts of the decision. After an erasure, the token
          // therefore does not give access to the statement any more.
          text: `select ${DECISION_COLUMNS}
                   from ${DECISIONS.table} d
                  where d.decision_id = $1
                    and (d.owner_id = $2 and d.decided_at >= $3 or $2::text is null and d.facts <> '')
                    and ${IS_SHOWN_TO_OWNER}`,
          values: [id, reader?.accountId ?? null, reader?.registeredAt ?? null],
        })
      : { rows: [] };
    const [row] = rows;
    if (!row) throw new DomainError('DECISION_NOT_FOUND');
    const titles = await readDecisionTitles({ pool, store }, [row]);
    const data = await createView(row, titles, await createProof(row.event_id));
    sendUncached(res, { success: true, data });
  });

  return router;
}

/**
 * The API operation that returns the status of a report about content. The caller must have the reference of the
 * report.
 */
export function reportStatusRoutes({ pool, progress }: Pick<StatementDependencies, 'pool' | 'progress'>) {
  const router = createOperationRouter();

  router.on('getReport', waitForPosition(progress, ['reports', 'moderation_cases']), async (req, res) => {
    const reference = req.params.reference.trim().toUpperCase();
    const { rows } = REPORT_REFERENCE.test(reference)
      ? await pool.query<Pick<RowOf<typeof REPORTS>, 'filed_at'> & { readonly is_decided: boolean }>({
          name: 'report-status',
          text: `select r.filed_at, coalesce(c.decided_at >= r.filed_at, false) as is_decided
                   from ${REPORTS.table} r left join ${MODERATION_CASES.table} c using (case_id)
                  where r.reference = $1
                  order by r.filed_at limit 1`,
          values: [reference],
        })
      : { rows: [] };
    const [row] = rows;
    if (!row) throw new DomainError('REPORT_NOT_FOUND');
    const data = {
      reference,
      status: row.is_decided ? ('decided' as const) : ('received' as const),
      filedAt: row.filed_at.toISOString(),
    };
    sendUncached(res, { success: true, data });
  });

  return router;
}
