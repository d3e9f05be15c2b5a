import {
  toCaseId,
  toCaseSubject,
  DomainError,
  moderationCase,
  findPost,
  toPostId,
  toStreamId,
  thread,
  type Position,
  type Subject,
  type ThreadEvent,
  type ThreadState,
  type Decision,
  settleCase,
  findLastPosition,
  findDecidedRequestIds,
} from '@alpenglow/domain';
import { decideWithoutReport, lockThread, moveThread, pinThread } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setRevision, type RequestWithPath } from '@alpenglow/infra';
import type { Response } from 'express';
import { runFollowUp } from '../../follow-up.ts';
import { createOrigin } from '../../origin.ts';
import { createThreadResponse } from './thread-response.ts';
import { normalisePlaceInput } from './place-input.ts';
import type { CommunityDependencies } from './requests.ts';

/**
 * The operations with which moderators hide posts, and lock, pin and move threads. Each event records the moderator as
 * its actor. Hiding or restoring a post is a decision in a moderation case, so the author is notified and may appeal.
 */
export function moderationRoutes({
  commands,
  authentication,
  log,
}: Pick<CommunityDependencies, 'commands' | 'authentication' | 'log'>) {
  const router = createOperationRouter();

  /** Executes a command on the thread in the request path, and sends the response. */
  async function handleOnThread(
    req: RequestWithPath<{ readonly id: string }>,
    res: Response,
    message: string,
    decide: Decision<ThreadState, ThreadEvent>,
  ) {
    const { id: threadId } = getPath(req);
    const origin = createOrigin(await authentication.requireModerator(req), res);
    const handled = await commands.handle(thread, threadId, decide, origin);
    setRevision(res, handled);
    res.json(createThreadResponse(message, handled.state, 0));
  }

  router.on('hidePost', async (req, res) => {
    const moderator = await authentication.requireModerator(req);
    const { id: threadId, number } = getPath(req);
    const { hidden: isHidden, reason } = getInput(req);
    const loaded = await commands.load(thread, threadId);
    const { state, revision } = loaded;
    if (!state) throw new DomainError('THREAD_NOT_FOUND');
    const post = findPost(state.posts, number);
    if (!post || post.status === 'deleted') throw new DomainError('POST_NOT_FOUND');
    const wasHidden = post.status === 'hidden';
    const subject: Subject = toCaseSubject({ kind: 'post', id: toPostId(threadId, number) });
    const caseId = toCaseId(subject);
    const origin = createOrigin(moderator, res);
    // The operation is idempotent, so nothing is written if a moderator has already made the same decision.
    const { state: caseState } = await commands.load(moderationCase, caseId);
    let position: Position | null = null;
    const isAlreadyDecided = wasHidden === isHidden && (!isHidden || caseState?.isOpen === false);
    if (!isAlreadyDecided) {
      const command = {
        moderatorId: moderator.account.accountId,
        outcome: isHidden ? 'hidden' : 'kept',
        rule: 'other',
        facts: reason ?? '',
        wasHidden,
        subject,
        ownerId: post.accountId,
        evidence: { stream: toStreamId(thread, threadId), revision },
        decidedRemovalIds: await findDecidedRequestIds(commands, caseState),
      } as const;
      const decided = await commands.execute(moderationCase, caseId, decideWithoutReport, command, origin);
      // This step hides or restores the post. If it fails, the job `settle-case` repeats it.
      const settledPosition = await runFollowUp(log, 'settle a case', () => settleCase(commands, caseId, origin));
      position = findLastPosition([decided, { position: settledPosition }]);
    }
    const current = (await runFollowUp(log, 'read a thread', () => commands.load(thread, threadId))) ?? loaded;
    setRevision(res, { revision: current.revision, position: findLastPosition([current, { position }]) });
    res.json(createThreadResponse(isHidden ? 'Post hidden' : 'Post restored', current.state, number));
  });

  router.on('lockThread', async (req, res) => {
    await authentication.requireModerator(req);
    const { locked: isLocked } = getInput(req);
    await handleOnThread(req, res, isLocked ? 'Thread closed' : 'Thread opened', (state, context) =>
      lockThread({ isLocked }, state, context),
    );
  });

  router.on('pinThread', async (req, res) => {
    await authentication.requireModerator(req);
    const { pinned: isPinned } = getInput(req);
    await handleOnThread(req, res, isPinned ? 'Thread pinned' : 'Thread no longer pinned', (state, context) =>
      pinThread({ isPinned }, state, context),
    );
  });

  router.on('moveThread', async (req, res) => {
    await authentication.requireModerator(req);
    const place = getInput(req, normalisePlaceInput);
    await handleOnThread(req, res, 'Thread moved', (state, context) => moveThread(place, state, context));
  });

  return router;
}
