import { DomainError, follows, stopFollowMails, unsubscribeFields } from '@alpenglow/domain';
import {
  jsonBody,
  parseInput,
  requestIdOf,
  setPosition,
  type CommandHandler,
  type UnsubscribeTokens,
} from '@alpenglow/infra';
import { Router, type Response } from 'express';
import { bodyOf } from '../ad-input.ts';

export interface UnsubscribeDependencies {
  readonly commands: CommandHandler;
  readonly unsubscribeTokens: UnsubscribeTokens;
}

/**
 * Ends mails about threads for whoever has one of them, without a session: by the page its link leads to, or by a mail program at one click (RFC 8058),
 * whose body, a form, says nothing that is needed. Twice is once.
 */
export function unsubscribeRoutes({ commands, unsubscribeTokens }: UnsubscribeDependencies): Router {
  const router = Router();

  async function end(token: string, res: Response): Promise<void> {
    const scope = unsubscribeTokens.read(token);
    if (!scope) throw new DomainError('UNSUBSCRIBE_FAILED');
    const { accountId, threadId } = scope;
    const origin = { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) } as const;
    const handled = await commands.handle(
      follows,
      accountId,
      (state) => stopFollowMails(threadId, accountId, state),
      origin,
    );
    setPosition(res, handled);
    res.json({ success: true, message: 'You will get no more of these mails' });
  }

  router.post('/unsubscribe', jsonBody, (req, res) => end(parseInput(unsubscribeFields, bodyOf(req)).token, res));
  router.post('/unsubscribe/:token', (req, res) => end(req.params.token, res));
  return router;
}
