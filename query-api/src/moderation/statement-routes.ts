import {
  DECISION_ID,
  DomainError,
  REPORT_REFERENCE,
  type ReportStatusAnswer,
  type StatementAnswer,
  type StatementsAnswer,
  type StatementView,
} from '@alpenglow/domain';
import {
  hasStatementToken,
  inclusionProofView,
  waitForPosition,
  type AuditLog,
  type Authentication,
  type Pool,
  type ReadModelProgress,
  type StatementTokens,
} from '@alpenglow/infra';
import { Router } from 'express';
import { pageOf, parsePageQuery } from '../admin/page-query.ts';
import { DECISION_COLUMNS, statementOf, subjectOfRow, type DecisionRow } from './decision-rows.ts';
import { keyOf, readTitles } from './subject-titles.ts';

export interface StatementDependencies {
  readonly pool: Pool;
  readonly auditLog: AuditLog;
  readonly authentication: Authentication;
  readonly statementTokens: StatementTokens;
  readonly progress: ReadModelProgress;
}

const READ_MODELS = ['decisions', 'moderation_cases', 'ad_cards', 'community_posts', 'community_threads'];
/** What stays is told to those alone whose content was out of sight until then. */
const IS_TOLD = `(d.outcome <> 'kept' or d.was_hidden)`;

/** Statements of reasons for those whose content was decided about, one of them also for whoever has its token, to be mounted at `/account/decisions`. */
export function statementRoutes({
  pool,
  auditLog,
  authentication,
  statementTokens,
  progress,
}: StatementDependencies): Router {
  const router = Router();

  async function proofOf(eventId: string): Promise<StatementView['proof']> {
    const proof = await auditLog.proofOf(eventId);
    return proof && { ...inclusionProofView(proof), day: proof.root.day };
  }

  router.get('/', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const { account } = await authentication.require(req);
    const { cursor, limit: most } = req.query;
    const { after, limit } = parsePageQuery({ cursor, limit: most });
    const { rows } = await pool.query<DecisionRow>({
      name: 'decisions-of-owner',
      text: `select ${DECISION_COLUMNS} from rm.decisions d where d.owner_id = $1 and ${IS_TOLD} and ($2::timestamptz is null or (d.decided_at, d.decision_id) < ($2, $3))
             order by d.decided_at desc, d.decision_id desc limit $4`,
      values: [account.accountId, after?.at ?? null, after?.id ?? null, limit + 1],
    });
    const page = pageOf(rows, limit, ({ decided_at, decision_id: id }) => ({ at: decided_at.toISOString(), id }));
    const titles = await readTitles(pool, page.rows.map(subjectOfRow));
    const data = page.rows.map((row) => statementOf(row, titles.get(keyOf(subjectOfRow(row))), null));
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data, nextCursor: page.nextCursor } satisfies StatementsAnswer);
  });

  router.get<{ id: string }>('/:id', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const { id } = req.params;
    const reader = hasStatementToken(req, id, statementTokens)
      ? null
      : (await authentication.require(req)).account.accountId;
    const { rows } = DECISION_ID.test(id)
      ? await pool.query<DecisionRow>({
          name: 'decision-to-read',
          // By its token, only while there is something to read: the facts go with whoever is erased.
          text: `select ${DECISION_COLUMNS} from rm.decisions d where d.decision_id = $1 and (d.owner_id = $2 or ($2::text is null and d.facts <> '')) and ${IS_TOLD}`,
          values: [id, reader],
        })
      : { rows: [] };
    const [row] = rows;
    if (!row) throw new DomainError('DECISION_NOT_FOUND');
    const titles = await readTitles(pool, [subjectOfRow(row)]);
    const data = statementOf(row, titles.get(keyOf(subjectOfRow(row))), await proofOf(row.event_id));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies StatementAnswer);
  });

  return router;
}

/** What became of a report, for whoever has its reference, to be mounted at `/reports`. */
export function reportStatusRoutes({ pool, progress }: Pick<StatementDependencies, 'pool' | 'progress'>): Router {
  const router = Router();

  router.get<{ reference: string }>(
    '/:reference',
    waitForPosition(progress, ['reports', 'moderation_cases']),
    async (req, res) => {
      const reference = req.params.reference.trim().toUpperCase();
      const { rows } = REPORT_REFERENCE.test(reference)
        ? await pool.query<{ filed_at: Date; is_decided: boolean }>({
            name: 'report-status',
            text: `select r.filed_at, coalesce(c.decided_at >= r.filed_at, false) as is_decided from rm.reports r left join rm.moderation_cases c using (case_id) where r.reference = $1 order by r.filed_at limit 1`,
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
      res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies ReportStatusAnswer);
    },
  );

  return router;
}
