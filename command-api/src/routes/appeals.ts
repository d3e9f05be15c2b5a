import { DECISION_ID, DomainError, moderationCase, person, type CaseId } from '@alpenglow/domain';
import { fileAppeal } from '@alpenglow/domain/deciders';
import { hasStatementToken, createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin } from '../origin.ts';

/**
 * The operation to appeal against a moderation decision. The caller must own the content, or have the token from the
 * mail about the decision.
 */
export function appealRoutes({
  commands,
  authentication,
  statementTokens,
  decisions,
}: Dependencies<'commands' | 'authentication' | 'statementTokens' | 'decisions'>) {
  const router = createOperationRouter();

  /**
   * Returns the owner of the content that a moderation case is about. The caller has a token from a mail instead of a
   * session. Throws DECISION_NOT_FOUND if the erasure of the owner's data was requested, because no further data about
   * the owner may then be stored.
   */
  async function findOwner(caseId: CaseId): Promise<string> {
    const { state } = await commands.load(moderationCase, caseId);
    if (!state?.ownerId || state.decision?.facts === '') throw new DomainError('DECISION_NOT_FOUND');
    const { erasure } = (await commands.load(person, state.ownerId)).state;
    if (erasure !== null) throw new DomainError('DECISION_NOT_FOUND');
    return state.ownerId;
  }

  router.on('appeal', async (req, res) => {
    const decisionId = req.params.id;
    const signedIn = hasStatementToken(req, decisionId, statementTokens)
      ? null
      : (await authentication.require(req)).account;
    const { text } = getInput(req);
    const caseId = DECISION_ID.test(decisionId) ? await decisions.caseOf(decisionId) : null;
    if (caseId === null) throw new DomainError('DECISION_NOT_FOUND');
    const accountId = signedIn?.accountId ?? (await findOwner(caseId));
    const command = { accountId, registeredAt: signedIn?.registeredAt ?? null, decisionId, text };
    const origin = createAccountOrigin(accountId, res);
    const handled = await commands.execute(moderationCase, caseId, fileAppeal, command, origin);
    setPosition(res, handled);
    res.setHeader('Cache-Control', 'no-store').json({
      success: true,
      message: 'Your appeal has been filed',
      data: { id: decisionId, appealedAt: handled.state?.appeal?.filedAt ?? new Date().toISOString() },
    });
  });

  return router;
}
