import { createOperationRouter, getQuery, waitForPosition, type Principal } from '@alpenglow/infra';
import { recordRead } from '../record-read.ts';
import { sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import { toPageQuery } from '../paging.ts';
import { getCacheableQuery, sendCachedResponse } from '../send-cached-response.ts';
import type { CommunityResponses } from './community-responses.ts';
import { listHiddenPosts } from './hidden-posts.ts';
import { isAuthor, type Caller } from './members.ts';
import { readPostHistory } from './post-history.ts';
import { requireThread, type ThreadReader } from './thread-reader.ts';

interface CommunityReadDependencies
  extends Dependencies<'pool' | 'authentication' | 'progress' | 'staffReads' | 'adminEmail'> {
  readonly threads: ThreadReader;
  readonly responses: CommunityResponses;
}

/** The read models of community threads and their posts. */
export const THREAD_READ_MODELS = ['community_threads', 'community_posts'];
/** The read models that decide whether the author of a hidden post may read it. */
const POST_READ_MODELS = [...THREAD_READ_MODELS, 'moderation_cases'];

/** The API operations that read community threads and posts. */
export function communityReadRoutes({
  pool,
  threads,
  responses,
  authentication,
  progress,
  staffReads,
}: CommunityReadDependencies) {
  const router = createOperationRouter();

  router.on('listThreads', waitForPosition(progress, THREAD_READ_MODELS), (req, res) =>
    sendCachedResponse(req, res, responses.list(getCacheableQuery(req))),
  );

  router.on(
    'getThread',
    waitForPosition(progress, [...POST_READ_MODELS, 'thread_follows', 'helpful_marks']),
    async (req, res) => {
      const principal = await authentication.findPrincipal(req);
      if (!principal) {
        await sendCachedResponse(req, res, responses.thread(req.params.id, getCacheableQuery(req)));
        return;
      }
      const found = requireThread(await threads.find(req.params.id, () => getQuery(req), createCaller(principal)));
      sendUncached(res, { success: true, ...found });
    },
  );

  router.on('getPostHistory', waitForPosition(progress, POST_READ_MODELS), async (req, res) => {
    const caller = createCaller(await authentication.require(req));
    const { authorId, versions: data } = await readPostHistory(pool, req.params.id, req.params.number, caller);
    if (!isAuthor(caller, authorId))
      await recordRead({ staffReads }, res, { account: caller }, 'getPostHistory', { subjectId: authorId, people: 1 });
    sendUncached(res, { success: true, data });
  });

  router.on('listCommunityLocations', waitForPosition(progress, THREAD_READ_MODELS), (req, res) =>
    sendCachedResponse(req, res, responses.locations()),
  );

  router.on('listFollows', waitForPosition(progress, [...THREAD_READ_MODELS, 'thread_follows']), async (req, res) => {
    const data = await threads.listFollows(createCaller(await authentication.require(req)));
    sendUncached(res, { success: true, data });
  });

  return router;
}

/** The API operations with which moderators read hidden community posts. */
export function communityAdminReadRoutes({ pool, authentication, progress, adminEmail }: CommunityReadDependencies) {
  const router = createOperationRouter();

  router.on('listHiddenPosts', waitForPosition(progress, THREAD_READ_MODELS), async (req, res) => {
    const caller = createCaller(await authentication.requireModerator(req));
    const page = await listHiddenPosts(pool, adminEmail, caller, toPageQuery(getQuery(req)));
    sendUncached(res, { success: true, ...page });
  });

  return router;
}

function createCaller({ account, user }: Principal): NonNullable<Caller> {
  const { accountId, registeredAt } = account;
  return { accountId, registeredAt, isVerified: user.isEmailVerified, isModerator: user.isModerator };
}
