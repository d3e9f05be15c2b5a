import {
  DomainError,
  follows,
  followFields,
  followThread,
  requireReachableThread,
  thread,
  unfollowThread,
  type FollowAnswer,
} from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition } from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../../ad-input.ts';
import { originOf, threadIdOf, type CommunityDependencies } from './requests.ts';

/** Following threads. Mail goes to verified addresses alone. */
export function followRoutes({ commands, authentication }: CommunityDependencies): Router {
  const router = Router();

  router.put('/:id/follow', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const threadId = threadIdOf(req);
    const { mail } = parseInput(followFields, bodyOf(req));
    requireReachableThread((await commands.load(thread, threadId)).state);
    if (mail !== 'off' && !principal.user.isEmailVerified) throw new DomainError('VERIFICATION_REQUIRED');
    const { accountId } = principal.account;
    const handled = await commands.handle(
      follows,
      accountId,
      (state) => followThread({ accountId, threadId, mail }, state),
      originOf(principal, res),
    );
    setPosition(res, handled);
    res.json({ success: true, message: 'You follow this thread', data: { threadId, mail } } satisfies FollowAnswer);
  });

  router.delete('/:id/follow', async (req, res) => {
    const principal = await authentication.require(req);
    const threadId = threadIdOf(req);
    const { accountId } = principal.account;
    const handled = await commands.handle(
      follows,
      accountId,
      (state) => unfollowThread(threadId, accountId, state),
      originOf(principal, res),
    );
    setPosition(res, handled);
    res.json({
      success: true,
      message: 'You no longer follow this thread',
      data: { threadId, mail: null },
    } satisfies FollowAnswer);
  });

  return router;
}
