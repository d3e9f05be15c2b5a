import {
  CASE_ID,
  CASE_STATES,
  DomainError,
  type CaseAnswer,
  type CasesAnswer,
  type EventStore,
} from '@alpenglow/domain';
import {
  parseInput,
  requestIdOf,
  shownOf,
  waitForPosition,
  type Authentication,
  type Pool,
  type Principal,
  type ReadModelProgress,
  type StaffReads,
} from '@alpenglow/infra';
import { Router, type Response } from 'express';
import * as z from 'zod/mini';
import { parsePageQuery } from '../admin/page-query.ts';
import { createCaseReader } from './case-reader.ts';

export interface CaseReadDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly staffReads: StaffReads;
}

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
const NO_LIST = `state must be one of ${CASE_STATES.join(', ')}`;
const listQuery = z.object({ state: z._default(z.enum(CASE_STATES, NO_LIST), 'open') });

/** The queue of cases, for moderators, to be mounted at `/admin/moderation/cases`. */
export function caseReadRoutes(deps: CaseReadDependencies): Router {
  const { authentication, progress, staffReads } = deps;
  const cases = createCaseReader(deps);
  const router = Router();

  /** Keeps who has seen whose data, before they see it. */
  const note = ({ account }: Principal, res: Response, what: string, shown: ReturnType<typeof shownOf>) =>
    staffReads.note({ staffId: account.accountId, what, ...shown, requestId: requestIdOf(res) });

  router.get('/', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const { cursor, limit } = req.query;
    const { state } = parseInput(listQuery, req.query);
    const found = await cases.list(state, parsePageQuery({ cursor, limit }), moderator.account.accountId);
    await note(moderator, res, 'listCases', shownOf(found.data.map(({ owner }) => owner?.id ?? null)));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, ...found } satisfies CasesAnswer);
  });

  router.get<{ id: string }>('/:id', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const { id } = req.params;
    if (!CASE_ID.test(id)) throw new DomainError('CASE_NOT_FOUND');
    const data = await cases.find(id, moderator.account.accountId);
    await note(moderator, res, 'getCase', { subjectId: data.owner?.id ?? id, people: 1 });
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies CaseAnswer);
  });

  return router;
}
