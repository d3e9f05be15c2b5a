import {
  account,
  DomainError,
  listing,
  moderationCase,
  toCaseId,
  toStreamId,
  toUserView,
  type AccountState,
  type Decision,
  type AccountEvent,
  type DecideWithoutReport,
  type TakeDownFields,
  isStandIn,
  endAccount,
  findLastPosition,
  carryOutDecision,
  findDecidedRequestIds,
} from '@alpenglow/domain';
import { clearVerification, decideWithoutReport, featureAd, verifyAccountByAdmin } from '@alpenglow/domain/deciders';
import {
  createOperationRouter,
  getInput,
  getPath,
  type CommandOrigin,
  type OperationHandler,
  setPosition,
  setRevision,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createOrigin } from '../origin.ts';
import { createAdResponse } from './ads.ts';
import { clearCodes } from '../clear-codes.ts';
import { runFollowUp } from '../follow-up.ts';
import { parseReason } from '../parse-reason.ts';

/**
 * The operations with which admins change users, ads and verification codes. Each event records the
 * admin as its actor. To remove an ad or to close an account is a decision in a moderation case, so the owner gets a
 * statement of reasons and may appeal.
 */
export function adminRoutes(
  deps: Dependencies<'commands' | 'authentication' | 'sessions' | 'ads' | 'openCodes' | 'adminEmail' | 'log'>,
) {
  const { commands, authentication } = deps;
  const router = createOperationRouter();

  /**
   * Returns the id of the account that owns or owned the ad. A repeated request may be about an ad that its first
   * attempt has deleted. Throws AD_NOT_FOUND if the ad never existed.
   */
  async function requireOwner(adId: string): Promise<string> {
    const accountId = await deps.ads.ownerOf(adId, { includesDeleted: true });
    if (accountId === null) throw new DomainError('AD_NOT_FOUND');
    return accountId;
  }

  router.on('deleteUser', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { id: accountId } = getPath(req);
    const moderatorId = admin.account.accountId;
    if (accountId === moderatorId) throw new DomainError('OWN_ACCOUNT');
    const [fields, origin] = [getInput(req), createOrigin(admin, res)];
    const { state, revision } = await commands.load(account, accountId);
    if (state && !isStandIn(state)) {
      const { ad } = (await commands.load(listing, accountId)).state;
      const position = await decideSubject(
        deps,
        fields,
        {
          moderatorId,
          outcome: 'account_closed',
          subject: { kind: 'account', id: accountId },
          ownerId: accountId,
          ownerSince: state.registeredAt,
          evidence: { stream: toStreamId(account, accountId), revision },
          wasHidden: ad !== null && ad.holdingCaseIds.length > 0,
        },
        origin,
      );
      setRevision(res, { revision: (await commands.load(account, accountId)).revision, position });
    } else {
      // The account is closed, and this completes the deletion of its content. An account that is registered after it
      // belongs to another person.
      setRevision(res, await endAccount(deps, accountId, origin, { reason: fields.reason, registeredBy: '' }));
    }
    res.json({ success: true, message: 'User deleted' });
  });

  const verifyUser: OperationHandler<'verifyUser' | 'verifyUserAgain'> = async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const [reason, origin] = [parseReason(req), createOrigin(admin, res)];
    const handled = await commands.execute(account, getPath(req).id, verifyAccountByAdmin, { reason }, origin);
    if (!handled.state) throw new DomainError('USER_NOT_FOUND');
    setRevision(res, handled);
    res.setHeader('Cache-Control', 'no-store').json({
      success: true,
      user: toUserView(handled.state, deps.adminEmail),
      message: 'User verified',
    });
  };
  router.on('verifyUser', verifyUser);
  router.on('verifyUserAgain', verifyUser);

  router.on('deleteAdAsAdmin', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { id: adId } = getPath(req);
    const fields = getInput(req);
    const accountId = await requireOwner(adId);
    const { state, revision } = await commands.load(listing, accountId);
    if (state.ad?.adId !== adId) throw new DomainError('AD_NOT_FOUND');
    const position = await decideSubject(
      deps,
      fields,
      {
        moderatorId: admin.account.accountId,
        outcome: 'removed',
        subject: { kind: 'ad', id: adId },
        ownerId: accountId,
        evidence: { stream: toStreamId(listing, accountId), revision },
        wasHidden: state.ad.holdingCaseIds.length > 0,
      },
      createOrigin(admin, res),
    );
    setRevision(res, { revision: (await commands.load(listing, accountId)).revision, position });
    res.json(createAdResponse('Ad deleted', adId));
  });

  router.on('featureAd', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { id: adId } = getPath(req);
    const { featured: isFeatured } = getInput(req);
    const accountId = await requireOwner(adId);
    const command = { adId, isFeatured, accountId };
    const handled = await commands.execute(listing, accountId, featureAd, command, createOrigin(admin, res));
    setRevision(res, handled);
    res.json(createAdResponse(isFeatured ? 'Ad featured' : 'Ad no longer featured', adId));
  });

  const clearAllCodes: OperationHandler<'clearVerificationCodes' | 'deleteVerificationCodes'> = async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { cleared, mayBeMore, position } = await clearCodes(deps, parseReason(req), createOrigin(admin, res));
    setPosition(res, { position });
    res.json({
      success: true,
      message: `Verification codes cleared: ${cleared}${mayBeMore ? '; there may be more' : ''}`,
      data: { cleared },
    });
  };
  router.on('clearVerificationCodes', clearAllCodes);
  router.on('deleteVerificationCodes', clearAllCodes);

  router.on('clearVerificationCode', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const reason = parseReason(req);
    const clearCodeOfUser: Decision<AccountState, AccountEvent> = (state, context) => {
      if (!state || isStandIn(state)) throw new DomainError('USER_NOT_FOUND');
      return clearVerification({ reason }, state, context);
    };
    const handled = await commands.handle(account, getPath(req).id, clearCodeOfUser, createOrigin(admin, res));
    const cleared = handled.events.length;
    setPosition(res, handled);
    res.json({
      success: true,
      message: `Verification codes cleared: ${cleared}`,
      data: { cleared },
    });
  });

  return router;
}

/**
 * Decides the case of the subject for an admin, and applies the decision. Changes nothing if the admin has already
 * made the same decision. If the process ends in between, the job `settle-case` applies the decision. Returns the
 * position of the last event. Throws OWN_CONTENT, CASE_CLAIMED, APPEAL_PENDING and REMOVAL_UNDECIDED.
 */
async function decideSubject(
  deps: Dependencies<'commands' | 'sessions' | 'log'>,
  { reason, rule }: TakeDownFields,
  command: Omit<DecideWithoutReport, 'rule' | 'facts'>,
  origin: CommandOrigin,
) {
  const { commands } = deps;
  const caseId = toCaseId(command.subject);
  const { state } = await commands.load(moderationCase, caseId);
  const decidedRemovalIds = await findDecidedRequestIds(commands, state);
  const decision = { ...command, rule, facts: reason, decidedRemovalIds };
  const decided = await commands.execute(moderationCase, caseId, decideWithoutReport, decision, origin);
  const applied = await runFollowUp(deps.log, 'settle a case', () =>
    carryOutDecision(deps, caseId, { decidesConsequence: true }, origin),
  );
  return findLastPosition([decided, { position: applied }]);
}
