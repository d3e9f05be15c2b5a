import {
  addFavorite,
  DomainError,
  favorites,
  isAdHidden,
  listing,
  newFavorite,
  removeFavorite,
  type FavoriteAnswer,
} from '@alpenglow/domain';
import {
  jsonBody,
  parseInput,
  requestIdOf,
  setRevision,
  type AdDirectory,
  type Authentication,
  type CommandHandler,
  type Principal,
} from '@alpenglow/infra';
import { Router, type Response } from 'express';
import { adIdOf, bodyOf } from '../ad-input.ts';

export interface FavoriteDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly ads: AdDirectory;
}

/** The favorites calls that write, of the specification, section 7. The id of a favorite is that of its ad. */
export function favoriteRoutes({ commands, authentication, ads }: FavoriteDependencies): Router {
  const router = Router();

  router.post('/', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const { isProvider } = principal.user;
    if (isProvider) throw new DomainError('ONLY_CLIENTS_FAVORITE');
    const { adId } = parseInput(newFavorite, bodyOf(req));
    const ownerId = await ads.ownerOf(adId);
    const listed = ownerId === null ? null : (await commands.load(listing, ownerId)).state.ad;
    if (listed?.adId !== adId || isAdHidden(listed)) throw new DomainError('AD_NOT_FOUND');
    const { accountId } = principal.account;
    const handled = await commands.handle(
      favorites,
      accountId,
      (state) => addFavorite({ accountId, isProvider, adId }, state),
      originOf(principal, res),
    );
    setRevision(res, handled);
    res.status(handled.events.length > 0 ? 201 : 200).json(answered('Added to favorites', adId));
  });

  router.delete('/:id', async (req, res) => {
    const principal = await authentication.require(req);
    const adId = adIdOf(req);
    const { accountId } = principal.account;
    const handled = await commands.handle(
      favorites,
      accountId,
      (state) => removeFavorite({ accountId, adId }, state),
      originOf(principal, res),
    );
    setRevision(res, handled);
    res.json(answered('Removed from favorites', adId));
  });

  return router;
}

function originOf({ account }: Principal, res: Response) {
  return { actor: { kind: 'account', accountId: account.accountId } as const, correlationId: requestIdOf(res) };
}

function answered(message: string, adId: string): FavoriteAnswer {
  return { success: true, message, data: { id: adId, adId } };
}
