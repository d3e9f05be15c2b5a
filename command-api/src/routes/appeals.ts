import { appealFields, DECISION_ID, DomainError, fileAppeal, moderationCase, type AppealAnswer } from '@alpenglow/domain';
import { jsonBody, parseInput, requestIdOf, setPosition, type Authentication, type CommandHandler, type DecisionDirectory } from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../ad-input.ts';

export interface AppealDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly decisions: DecisionDirectory;
}

/** Appeals of people whose content was decided about, to be mounted at `/account/decisions`. */
export function appealRoutes({ commands, authentication, decisions }: AppealDependencies): Router {
  const router = Router();

  router.post<{ id: string }>('/:id/appeal', jsonBody, async (req, res) => {
    const { account } = await authentication.require(req);
    const { text } = parseInput(appealFields, bodyOf(req));
    const decisionId = req.params.id;
    const { accountId } = account;
    const caseId = DECISION_ID.test(decisionId) ? await decisions.caseOf(decisionId) : null;
    if (caseId === null) throw new DomainError('DECISION_NOT_FOUND');
    const handled = await commands.handle(moderationCase, caseId, (state, context) => fileAppeal({ accountId, decisionId, text }, state, context), { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) });
    setPosition(res, handled);
    res.setHeader('Cache-Control', 'no-store').json({ success: true, message: 'Your appeal is filed', data: { id: decisionId, appealedAt: handled.state?.appeal?.filedAt ?? new Date().toISOString() } } satisfies AppealAnswer);
  });

  return router;
}
