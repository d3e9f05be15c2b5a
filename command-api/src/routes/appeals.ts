import {
  appealFields,
  DECISION_ID,
  DomainError,
  fileAppeal,
  moderationCase,
  person,
  type AppealAnswer,
} from '@alpenglow/domain';
import {
  hasStatementToken,
  jsonBody,
  parseInput,
  requestIdOf,
  setPosition,
  type Authentication,
  type CommandHandler,
  type DecisionDirectory,
  type StatementTokens,
} from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../ad-input.ts';

export interface AppealDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly statementTokens: StatementTokens;
  readonly decisions: DecisionDirectory;
}

/** Appeals of people whose content was decided about, or who have the token of a decision, to be mounted at `/account/decisions`. */
export function appealRoutes({ commands, authentication, statementTokens, decisions }: AppealDependencies): Router {
  const router = Router();

  /** As whom whoever has the token of a decision appeals. Of somebody who is being erased, or was, nothing more may be kept: DECISION_NOT_FOUND. */
  async function ownerOf(caseId: string): Promise<string> {
    const { state } = await commands.load(moderationCase, caseId);
    if (!state?.ownerId || state.decision?.facts === '') throw new DomainError('DECISION_NOT_FOUND');
    const { erasure } = (await commands.load(person, state.ownerId)).state;
    if (erasure !== null) throw new DomainError('DECISION_NOT_FOUND');
    return state.ownerId;
  }

  router.post<{ id: string }>('/:id/appeal', jsonBody, async (req, res) => {
    const decisionId = req.params.id;
    const signedIn = hasStatementToken(req, decisionId, statementTokens)
      ? null
      : (await authentication.require(req)).account.accountId;
    const { text } = parseInput(appealFields, bodyOf(req));
    const caseId = DECISION_ID.test(decisionId) ? await decisions.caseOf(decisionId) : null;
    if (caseId === null) throw new DomainError('DECISION_NOT_FOUND');
    const accountId = signedIn ?? (await ownerOf(caseId));
    const handled = await commands.handle(
      moderationCase,
      caseId,
      (state, context) => fileAppeal({ accountId, decisionId, text }, state, context),
      { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) },
    );
    setPosition(res, handled);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({
        success: true,
        message: 'Your appeal is filed',
        data: { id: decisionId, appealedAt: handled.state?.appeal?.filedAt ?? new Date().toISOString() },
      } satisfies AppealAnswer);
  });

  return router;
}
