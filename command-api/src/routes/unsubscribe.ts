import { DomainError, follows } from '@alpenglow/domain';
import { stopFollowMails } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin } from '../origin.ts';

/**
 * The operations that unsubscribe an account from mails about threads. Each mail contains a token, so no session is
 * required. The request comes from the unsubscribe page, or from the one-click button of a mail program (RFC 8058). The
 * request body of a mail program is ignored. The operations are idempotent.
 */
export function unsubscribeRoutes({ commands, unsubscribeTokens }: Dependencies<'commands' | 'unsubscribeTokens'>) {
  const router = createOperationRouter();

  async function stopMails(token: string, res: Response): Promise<void> {
    const scope = unsubscribeTokens.read(token);
    if (!scope) throw new DomainError('UNSUBSCRIBE_FAILED');
    const { accountId, threadId } = scope;
    const origin = createAccountOrigin(accountId, res);
    const handled = await commands.execute(follows, accountId, stopFollowMails, { threadId, accountId }, origin);
    setPosition(res, handled);
    res.json({ success: true, message: 'You will get no more of these mails' });
  }

  router.on('unsubscribe', (req, res) => stopMails(getInput(req).token, res));
  router.on('unsubscribeByMailProgram', (req, res) => stopMails(req.params.token, res));
  return router;
}
