import {
  ALL_REPORT_REASONS,
  parseCaseId,
  CASE_LISTS,
  DomainError,
  SUBJECT_KINDS,
  type CaseResponse,
  type CasesResponse,
} from '@alpenglow/domain';
import { createOperationRouter, parseInput, summarizeSubjects, waitForPosition } from '@alpenglow/infra';
import * as z from 'zod/mini';
import { recordRead } from '../record-read.ts';
import { sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import { parsePageQuery } from '../admin/page-query.ts';
import { choice } from '../query-fields.ts';
import { createCaseReader } from './case-reader.ts';

const READ_MODELS = [
  'moderation_cases',
  'decisions',
  'reports',
  'accounts',
  'ad_cards',
  'ad_links',
  'media_items',
  'community_posts',
  'community_threads',
  'articles',
];
const BAD_STATE = `state must be one of ${CASE_LISTS.join(', ')}`;
const listQuery = z.object({
  state: z._default(z.enum(CASE_LISTS, BAD_STATE), 'open'),
  kind: choice('kind', SUBJECT_KINDS),
  reason: choice('reason', ALL_REPORT_REASONS),
});

/** The API operations with which moderators read moderation cases. */
export function caseReadRoutes(deps: Dependencies<'pool' | 'store' | 'authentication' | 'progress' | 'staffReads'>) {
  const { authentication, progress } = deps;
  const cases = createCaseReader(deps);
  const router = createOperationRouter();

  router.on('listCases', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const { state, kind, reason } = parseInput(listQuery, req.query);
    const filter = { kind: kind || null, reason: reason || null };
    const found = await cases.list(state, parsePageQuery(req.query), moderator.account.accountId, filter);
    const subjects = summarizeSubjects(found.data.map(({ owner }) => owner?.id ?? null));
    await recordRead(deps, res, moderator, 'listCases', subjects);
    sendUncached<CasesResponse>(res, { success: true, ...found });
  });

  router.on('getCase', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const id = parseCaseId(req.params.id);
    if (id === null) throw new DomainError('CASE_NOT_FOUND');
    const data = await cases.find(id, moderator.account.accountId);
    await recordRead(deps, res, moderator, 'getCase', { subjectId: data.owner?.id ?? id, people: 1 });
    sendUncached<CaseResponse>(res, { success: true, data });
  });

  return router;
}
