import {
  account,
  DomainError,
  listing,
  toUserView,
  type AccountState,
  type Decision,
  type AccountEvent,
  isStandIn,
} from '@alpenglow/domain';
import { clearVerification, featureAd, removeAdByAdmin, verifyAccountByAdmin } from '@alpenglow/domain/deciders';
import {
  endAccount,
  createOperationRouter,
  getInput,
  getPath,
  type OperationHandler,
  setPosition,
  setRevision,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createOrigin } from '../origin.ts';
import { createAdResponse } from './ads.ts';
import { clearCodes } from '../clear-codes.ts';
import { parseReason } from '../parse-reason.ts';

/**
 * The operations with which admins change users, ads and verification codes. Each event records the
 * admin as its actor.
 */
export function adminRoutes(
  deps: Dependencies<'commands' | 'authentication' | 'sessions' | 'ads' | 'openCodes' | 'adminEmail'>,
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
    if (accountId === admin.account.accountId) throw new DomainError('OWN_ACCOUNT');
    setRevision(res, await endAccount(deps, accountId, createOrigin(admin, res), { reason: parseReason(req) }));
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
    const reason = parseReason(req);
    const accountId = await requireOwner(adId);
    const command = { adId, accountId, reason };
    const handled = await commands.execute(listing, accountId, removeAdByAdmin, command, createOrigin(admin, res));
    setRevision(res, handled);
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
