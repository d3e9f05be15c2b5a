import { DomainError, follows, thread } from '@alpenglow/domain';
import { followThread, requireVisibleThread, unfollowThread } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setPosition } from '@alpenglow/infra';
import type { CommunityDependencies } from './requests.ts';
import { createOrigin } from '../../origin.ts';

/** The operations to follow and unfollow threads. Mails about replies require a verified e-mail address. */
export function followRoutes({ commands, authentication }: CommunityDependencies) {
  const router = createOperationRouter();

  router.on('followThread', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: threadId } = getPath(req);
    const { mail } = getInput(req);
    requireVisibleThread((await commands.load(thread, threadId)).state);
    if (mail !== 'off' && !principal.user.isEmailVerified) throw new DomainError('VERIFICATION_REQUIRED');
    const { accountId } = principal.account;
    const command = { accountId, threadId, mail };
    const handled = await commands.execute(follows, accountId, followThread, command, createOrigin(principal, res));
    setPosition(res, handled);
    res.json({ success: true, message: 'You follow this thread', data: { threadId, mail } });
  });

  router.on('unfollowThread', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: threadId } = getPath(req);
    const { accountId } = principal.account;
    const command = { threadId, accountId };
    const handled = await commands.execute(follows, accountId, unfollowThread, command, createOrigin(principal, res));
    setPosition(res, handled);
    const data = { threadId, mail: null };
    res.json({ success: true, message: 'You no longer follow this thread', data });
  });

  return router;
}
