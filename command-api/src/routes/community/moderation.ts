import {
  caseIdOf,
  caseSubjectOf,
  decideDirectly,
  DomainError,
  hideFields,
  lockFields,
  lockThread,
  moderationCase,
  moveFields,
  moveThread,
  pinFields,
  pinThread,
  postAt,
  postIdOf,
  streamOf,
  thread,
  type Position,
  type Subject,
  type ThreadEvent,
  type ThreadState,
} from '@alpenglow/domain';
import { jsonBody, parseInput, setRevision, settleCase } from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { bodyOf } from '../../ad-input.ts';
import { afterwards } from '../../afterwards.ts';
import { lastPositionOf } from '../../last-position.ts';
import { written } from './answers.ts';
import { normalisePlaceInput } from './place-input.ts';
import { originOf, postNumberOf, threadIdOf, type CommunityDependencies } from './requests.ts';

/** What moderators do with threads and posts; each is the actor of what they do. Hiding and restoring are decisions of a case, which the author reads and may appeal against. */
export function moderationRoutes({
  commands,
  authentication,
  log,
}: Pick<CommunityDependencies, 'commands' | 'authentication' | 'log'>): Router {
  const router = Router();

  /** Handles a command on the thread a path names, and answers. */
  async function onThread(
    req: Request,
    res: Response,
    { message, number }: { readonly message: string; readonly number: number },
    decide: (state: ThreadState) => readonly ThreadEvent[],
  ) {
    const handled = await commands.handle(
      thread,
      threadIdOf(req),
      decide,
      originOf(await authentication.requireModerator(req), res),
    );
    setRevision(res, handled);
    res.json(written(message, handled.state, number));
  }

  router.put('/:id/posts/:number/hidden', jsonBody, async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const threadId = threadIdOf(req);
    const number = postNumberOf(req);
    const { hidden: isHidden, reason } = parseInput(hideFields, bodyOf(req));
    const found = await commands.load(thread, threadId);
    const { state, revision } = found;
    if (!state) throw new DomainError('THREAD_NOT_FOUND');
    const post = postAt(state.posts, number);
    if (!post || post.status === 'deleted') throw new DomainError('POST_NOT_FOUND');
    const wasHidden = post.status === 'hidden';
    const subject: Subject = caseSubjectOf({ kind: 'post', id: postIdOf(threadId, number) });
    const caseId = caseIdOf(subject);
    const origin = originOf(moderator, res);
    // Twice is once: what is so already, by a moderator's word, is decided.
    const { state: before } = await commands.load(moderationCase, caseId);
    let position: Position | null = null;
    const isDecided = wasHidden === isHidden && (!isHidden || before?.isOpen === false);
    if (!isDecided) {
      const said = {
        moderatorId: moderator.account.accountId,
        outcome: isHidden ? 'hidden' : 'kept',
        rule: 'other',
        facts: reason ?? '',
        wasHidden,
      } as const;
      const judged = { subject, ownerId: post.accountId, evidence: { stream: streamOf(thread, threadId), revision } };
      const decided = await commands.handle(
        moderationCase,
        caseId,
        (now, context) => decideDirectly({ ...said, ...judged }, now, context),
        origin,
      );
      // If this fails, the job `settle-case` finishes it.
      const settled = await afterwards(log, 'settle a case', () => settleCase(commands, caseId, origin));
      position = lastPositionOf([decided, { position: settled }]);
    }
    const now = (await afterwards(log, 'read a thread', () => commands.load(thread, threadId))) ?? found;
    setRevision(res, { revision: now.revision, position: lastPositionOf([now, { position }]) });
    res.json(written(isHidden ? 'Post hidden' : 'Post restored', now.state, number));
  });

  router.put('/:id/locked', jsonBody, async (req, res) => {
    await authentication.requireModerator(req);
    const { locked: isLocked } = parseInput(lockFields, bodyOf(req));
    await onThread(req, res, { message: isLocked ? 'Thread closed' : 'Thread opened', number: 0 }, (state) =>
      lockThread(isLocked, state),
    );
  });

  router.put('/:id/pinned', jsonBody, async (req, res) => {
    await authentication.requireModerator(req);
    const { pinned: isPinned } = parseInput(pinFields, bodyOf(req));
    await onThread(req, res, { message: isPinned ? 'Thread pinned' : 'Thread no longer pinned', number: 0 }, (state) =>
      pinThread(isPinned, state),
    );
  });

  router.put('/:id/place', jsonBody, async (req, res) => {
    await authentication.requireModerator(req);
    const place = parseInput(moveFields, normalisePlaceInput(bodyOf(req)));
    await onThread(req, res, { message: 'Thread moved', number: 0 }, (state) => moveThread(place, state));
  });

  return router;
}
