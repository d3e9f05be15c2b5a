import {
  account,
  DomainError,
  featureAd,
  featureFields,
  listing,
  removeAdByAdmin,
  userView,
  verifyAccountByAdmin,
  type AdWriteAnswer,
  type ClearedAnswer,
  type DoneAnswer,
  type ListingEvent,
  type ListingState,
  type UserAnswer,
} from '@alpenglow/domain';
import {
  jsonBody,
  parseInput,
  requestIdOf,
  setPosition,
  setRevision,
  type AdDirectory,
  type Authentication,
  type CommandHandler,
  type CommandOrigin,
  type OpenCodes,
  type Principal,
  type Sessions,
} from '@alpenglow/infra';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { adIdOf, bodyOf } from '../ad-input.ts';
import { clearCodes } from '../clear-codes.ts';
import { endAccount } from '../end-account.ts';

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
  async function onListing(adId: string, origin: CommandOrigin, decide: (state: ListingState, ownerId: string) => readonly ListingEvent[]) {
    const ownerId = await deps.ads.ownerOf(adId);
    if (ownerId === null) throw new DomainError('AD_NOT_FOUND');
    return commands.handle(listing, ownerId, (state) => decide(state, ownerId), origin);
  }

  router.delete('/users/:id', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const accountId = userIdOf(req);
    if (accountId === admin.account.accountId) throw new DomainError('OWN_ACCOUNT');
    setRevision(res, await endAccount(deps, accountId, originOf(admin, res)));
    res.json({ success: true, message: 'User deleted' } satisfies DoneAnswer);
  });

  const verifyUser: RequestHandler = async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const handled = await commands.handle(account, userIdOf(req), verifyAccountByAdmin, originOf(admin, res));
    if (!handled.state) throw new DomainError('USER_NOT_FOUND');
    setRevision(res, handled);
    res.setHeader('Cache-Control', 'no-store').json({ success: true, user: userView(handled.state, deps.adminEmail), message: 'User verified' } satisfies UserAnswer);
  };
  router.post('/users/:id/verify', verifyUser);
  router.put('/users/:id/verify', verifyUser);

  router.delete('/ads/:id', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const adId = adIdOf(req);
    const handled = await onListing(adId, originOf(admin, res), (state, ownerId) => removeAdByAdmin(adId, ownerId, state));
    setRevision(res, handled);
    res.json(written('Ad deleted', adId));
  });

  router.put('/ads/:id/featured', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const adId = adIdOf(req);
    const { featured: isFeatured } = parseInput(featureFields, bodyOf(req));
    const handled = await onListing(adId, originOf(admin, res), (state, ownerId) => featureAd({ adId, isFeatured }, ownerId, state));
    setRevision(res, handled);
    res.json(written(isFeatured ? 'Ad featured' : 'Ad no longer featured', adId));
  });

  const clear: RequestHandler = async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { cleared, mayBeMore, position } = await clearCodes(deps, originOf(admin, res));
    setPosition(res, { position });
    res.json({ success: true, message: `Verification codes cleared: ${cleared}${mayBeMore ? '; there may be more' : ''}`, data: { cleared } } satisfies ClearedAnswer);
  };
  router.post('/verification-codes/clear', clear);
  router.delete('/verification-codes/clear', clear);

  return router;
}

const USER_ID = /^[\w-]{1,64}$/u;

/** The user a request's path names. Throws USER_NOT_FOUND for what cannot be a user's id. */
function userIdOf(req: Request): string {
  const id = req.params['id'];
  if (typeof id !== 'string' || !USER_ID.test(id)) throw new DomainError('USER_NOT_FOUND');
  return id;
}

function originOf({ account: { accountId } }: Principal, res: Response): CommandOrigin {
  return { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) };
}

function written(message: string, id: string): AdWriteAnswer {
  return { success: true, message, ad: { id }, data: { id } };
}
