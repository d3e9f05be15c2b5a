import { moderationCase } from '@alpenglow/domain';
import { createOperationRouter, getPath, getQuery, summarizeSubjects, waitForPosition } from '@alpenglow/infra';
import { recordRead } from '../record-read.ts';
import { sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import { toPageQuery } from '../paging.ts';
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

/** The API operations with which moderators read moderation cases. */
export function caseReadRoutes(
  deps: Dependencies<'pool' | 'store' | 'commands' | 'authentication' | 'progress' | 'staffReads'>,
) {
  const { commands, authentication, progress } = deps;
  const cases = createCaseReader(deps);
  const router = createOperationRouter();

  router.on('listCases', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const { state, cursor, limit, ...filter } = getQuery(req);
    const found = await cases.list(state, toPageQuery({ cursor, limit }), moderator.account.accountId, filter);
    const subjects = summarizeSubjects(found.data.map(({ owner }) => owner?.id ?? null));
    await recordRead(deps, res, moderator, 'listCases', subjects);
    sendUncached(res, { success: true, ...found });
  });

  router.on('getCase', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const { id } = getPath(req);
    const found = await cases.find(id, moderator.account.accountId);
    const { state } = await commands.load(moderationCase, id);
    const data = { ...found, response: state?.response ?? null };
    const read = { subjectId: data.owner?.id ?? id, people: 1 };
    await recordRead(deps, res, moderator, 'getCase', read);
    sendUncached(res, { success: true, data });
  });

  return router;
}
