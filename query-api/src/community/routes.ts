import type { FollowsAnswer, HiddenPostsAnswer, PostHistoryAnswer, ThreadAnswer } from '@alpenglow/domain';
import {
  requestIdOf,
  waitForPosition,
  type Authentication,
  type Pool,
  type Principal,
  type ReadModelProgress,
  type StaffReads,
} from '@alpenglow/infra';
import { Router } from 'express';
import { parsePageQuery } from '../admin/page-query.ts';
import { askedOf, sendAnswer } from '../send-answer.ts';
import type { CommunityAnswers } from './community-answers.ts';
import { listHiddenPosts } from './hidden-posts.ts';
import { isAuthor, type Asker } from './members.ts';
import { readPostHistory } from './post-history.ts';
import { foundThread, type ThreadReader } from './thread-reader.ts';

export interface CommunityReadDependencies {
  readonly pool: Pool;
  readonly threads: ThreadReader;
  readonly answers: CommunityAnswers;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly staffReads: StaffReads;
  readonly adminEmail: string | null;
}

const OF_THREADS = ['community_threads', 'community_posts'];

/** The calls of the community that read, to be mounted at `/community`. */
export function communityReadRoutes({
  pool,
  threads,
  answers,
  authentication,
  progress,
  staffReads,
}: CommunityReadDependencies): Router {
  const router = Router();

  router.get('/threads', waitForPosition(progress, OF_THREADS), (req, res) =>
    sendAnswer(req, res, answers.list(askedOf(req))),
  );

  router.get<{ id: string }>(
    '/threads/:id',
    waitForPosition(progress, [...OF_THREADS, 'thread_follows', 'helpful_marks']),
    async (req, res) => {
      const principal = await authentication.optional(req);
      if (!principal) {
        await sendAnswer(req, res, answers.thread(req.params.id, askedOf(req)));
        return;
      }
      const found = foundThread(await threads.find(req.params.id, req.query, askerOf(principal)));
      res.setHeader('Cache-Control', 'no-store').json({ success: true, ...found } satisfies ThreadAnswer);
    },
  );

  router.get<{ id: string; number: string }>(
    '/threads/:id/posts/:number/history',
    waitForPosition(progress, OF_THREADS),
    async (req, res) => {
      const asker = askerOf(await authentication.require(req));
      const { authorId, versions: data } = await readPostHistory(pool, req.params.id, req.params.number, asker);
      if (!isAuthor(asker, authorId))
        await staffReads.note({
          staffId: asker.accountId,
          what: 'getPostHistory',
          subjectId: authorId,
          people: 1,
          requestId: requestIdOf(res),
        });
      res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies PostHistoryAnswer);
    },
  );

  router.get('/locations', waitForPosition(progress, OF_THREADS), (req, res) =>
    sendAnswer(req, res, answers.locations()),
  );

  router.get('/follows', waitForPosition(progress, [...OF_THREADS, 'thread_follows']), async (req, res) => {
    const data = await threads.follows(askerOf(await authentication.require(req)));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies FollowsAnswer);
  });

  return router;
}

/** The calls for moderators that read, to be mounted at `/admin/community`. */
export function communityAdminReadRoutes({
  pool,
  authentication,
  progress,
  adminEmail,
}: CommunityReadDependencies): Router {
  const router = Router();

  router.get('/hidden', waitForPosition(progress, OF_THREADS), async (req, res) => {
    const asker = askerOf(await authentication.requireModerator(req));
    const { cursor, limit } = req.query;
    const page = await listHiddenPosts(pool, adminEmail, asker, parsePageQuery({ cursor, limit }));
    res.setHeader('Cache-Control', 'no-store').json({ success: true, ...page } satisfies HiddenPostsAnswer);
  });

  return router;
}

function askerOf({ account, user }: Principal): NonNullable<Asker> {
  return { accountId: account.accountId, isVerified: user.isEmailVerified, isModerator: user.isModerator };
}
