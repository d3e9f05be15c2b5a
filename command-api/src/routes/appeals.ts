import { DECISION_ID, DomainError, moderationCase, person, type CaseId } from '@alpenglow/domain';
import { fileAppeal, respondToDecision } from '@alpenglow/domain/deciders';
import { hasStatementToken, createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin } from '../origin.ts';

/**
 * The operations to appeal against a moderation decision, and to respond to an automated one. The caller must
 * own the content. For an appeal, the token from the mail about the decision is sufficient.
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

  /** Returns the case of a decision. Throws DECISION_NOT_FOUND. */
  async function requireCase(decisionId: string): Promise<CaseId> {
    const caseId = DECISION_ID.test(decisionId) ? await decisions.caseOf(decisionId) : null;
    if (caseId === null) throw new DomainError('DECISION_NOT_FOUND');
    return caseId;
  }

  router.on('appeal', async (req, res) => {
    const decisionId = req.params.id;
    const signedIn = hasStatementToken(req, decisionId, statementTokens)
      ? null
      : (await authentication.require(req)).account;
    const { text } = getInput(req);
    const caseId = await requireCase(decisionId);
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

  router.on('respondToDecision', async (req, res) => {
    const { account } = await authentication.require(req);
    const { id: decisionId } = req.params;
    const { text } = getInput(req);
    const caseId = await requireCase(decisionId);
    const { accountId, registeredAt } = account;
    const command = { accountId, registeredAt, decisionId, text };
    const origin = createAccountOrigin(accountId, res);
    const handled = await commands.execute(moderationCase, caseId, respondToDecision, command, origin);
    setPosition(res, handled);
    res.setHeader('Cache-Control', 'no-store').json({
      success: true,
      message: 'Your response has been stored',
      data: { id: decisionId, at: handled.state?.response?.at ?? new Date().toISOString() },
    });
  });

  return router;
}
