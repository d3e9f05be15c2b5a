import {
  account,
  clearVerification,
  DomainError,
  featureAd,
  featureFields,
  listing,
  reasonFields,
  removeAdByAdmin,
  userView,
  verifyAccountByAdmin,
  type AccountState,
  type AdWriteAnswer,
  type ClearedAnswer,
  type DoneAnswer,
  type ListingEvent,
  type ListingState,
  type UserAnswer,
} from '@alpenglow/domain';
import {
  endAccount,
  jsonBody,
  parseInput,
  setPosition,
  setRevision,
  type AdDirectory,
  type Authentication,
  type CommandHandler,
  type CommandOrigin,
  type OpenCodes,
  type Sessions,
} from '@alpenglow/infra';
import { Router, type Request, type RequestHandler } from 'express';
import { adIdOf, bodyOf } from '../ad-input.ts';
import { clearCodes } from '../clear-codes.ts';
import { staffOrigin, userIdOf } from './staff-requests.ts';

export interface AdminDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly sessions: Sessions;
  readonly ads: AdDirectory;
  readonly openCodes: OpenCodes;
  readonly adminEmail: string | null;
}

/** The admin calls that write, of the specification, section 7. Each needs an admin, who is the actor of every event. */
export function adminRoutes(deps: AdminDependencies): Router {
  const { commands, authentication } = deps;
  const router = Router();

  /** Handles a command on the ad a path names, in its owner's slot. */
  async function onListing(
    adId: string,
    origin: CommandOrigin,
    decide: (state: ListingState, ownerId: string) => readonly ListingEvent[],
  ) {
    const ownerId = await deps.ads.ownerOf(adId);
    if (ownerId === null) throw new DomainError('AD_NOT_FOUND');
    return commands.handle(listing, ownerId, (state) => decide(state, ownerId), origin);
  }

  router.delete('/users/:id', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = userIdOf(req);
    if (accountId === admin.account.accountId) throw new DomainError('OWN_ACCOUNT');
    setRevision(res, await endAccount(deps, accountId, staffOrigin(admin, res), { reason: reasonIn(req) }));
    res.json({ success: true, message: 'User deleted' } satisfies DoneAnswer);
  });

  const verifyUser: RequestHandler = async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const reason = reasonIn(req);
    const handled = await commands.handle(
      account,
      userIdOf(req),
      (state) => verifyAccountByAdmin(reason, state),
      staffOrigin(admin, res),
    );
    if (!handled.state) throw new DomainError('USER_NOT_FOUND');
    setRevision(res, handled);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({
        success: true,
        user: userView(handled.state, deps.adminEmail),
        message: 'User verified',
      } satisfies UserAnswer);
  };
  router.post('/users/:id/verify', jsonBody, verifyUser);
  router.put('/users/:id/verify', jsonBody, verifyUser);

  router.delete('/ads/:id', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const adId = adIdOf(req);
    const reason = reasonIn(req);
    const handled = await onListing(adId, staffOrigin(admin, res), (state, ownerId) =>
      removeAdByAdmin(adId, ownerId, state, reason),
    );
    setRevision(res, handled);
    res.json(written('Ad deleted', adId));
  });

  router.put('/ads/:id/featured', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const adId = adIdOf(req);
    const { featured: isFeatured } = parseInput(featureFields, bodyOf(req));
    const handled = await onListing(adId, staffOrigin(admin, res), (state, ownerId) =>
      featureAd({ adId, isFeatured }, ownerId, state),
    );
    setRevision(res, handled);
    res.json(written(isFeatured ? 'Ad featured' : 'Ad no longer featured', adId));
  });

  const clear: RequestHandler = async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { cleared, mayBeMore, position } = await clearCodes(deps, reasonIn(req), staffOrigin(admin, res));
    setPosition(res, { position });
    res.json({
      success: true,
      message: `Verification codes cleared: ${cleared}${mayBeMore ? '; there may be more' : ''}`,
      data: { cleared },
    } satisfies ClearedAnswer);
  };
  router.post('/verification-codes/clear', jsonBody, clear);
  // Before that of one account: no account has this id.
  router.delete('/verification-codes/clear', jsonBody, clear);

  router.delete('/verification-codes/:id', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const reason = reasonIn(req);
    const clearOfUser = (state: AccountState) => {
      if (!state || state.repeatOf !== null) throw new DomainError('USER_NOT_FOUND');
      return clearVerification(reason, state);
    };
    const handled = await commands.handle(account, userIdOf(req), clearOfUser, staffOrigin(admin, res));
    const cleared = handled.events.length;
    setPosition(res, handled);
    res.json({
      success: true,
      message: `Verification codes cleared: ${cleared}`,
      data: { cleared },
    } satisfies ClearedAnswer);
  });

  return router;
}

/** Why they did it, sealed in the event; null from clients that know only the calls of the specification. Throws INVALID_FIELDS. */
function reasonIn(req: Request): string | null {
  return parseInput(reasonFields, bodyOf(req)).reason;
}

function written(message: string, id: string): AdWriteAnswer {
  return { success: true, message, ad: { id }, data: { id } };
}
