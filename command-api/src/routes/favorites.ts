import { DomainError, favorites, isAdHidden, listing, type ResponseOf } from '@alpenglow/domain';
import { addFavorite, removeFavorite } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setRevision } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createOrigin } from '../origin.ts';

/**
 * The operations that add an ad to the caller's favorites or remove an ad from them. The id of a favorite is
 * the id of its ad.
 */
export function favoriteRoutes({ commands, authentication, ads }: Dependencies<'commands' | 'authentication' | 'ads'>) {
  const router = createOperationRouter();

  router.on('addFavorite', async (req, res) => {
    const principal = await authentication.require(req);
    const { isProvider } = principal.user;
    if (isProvider) throw new DomainError('ONLY_CLIENTS_FAVORITE');
    const { adId } = getInput(req);
    const requireVisibleAd = async () => {
      const ownerId = await ads.ownerOf(adId);
      const ad = ownerId === null ? null : (await commands.load(listing, ownerId)).state.ad;
      if (ad?.adId !== adId || isAdHidden(ad)) throw new DomainError('AD_NOT_FOUND');
    };
    const { accountId } = principal.account;
    const [command, origin] = [{ accountId, isProvider, adId }, createOrigin(principal, res)];
    const options = { before: requireVisibleAd };
    const handled = await commands.execute(favorites, accountId, addFavorite, command, origin, options);
    setRevision(res, handled);
    res.status(handled.events.length > 0 ? 201 : 200).json(createResponse('Added to favorites', adId));
  });

  router.on('removeFavorite', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: adId } = getPath(req);
    const { accountId } = principal.account;
    const origin = createOrigin(principal, res);
    const handled = await commands.execute(favorites, accountId, removeFavorite, { accountId, adId }, origin);
    setRevision(res, handled);
    res.json(createResponse('Removed from favorites', adId));
  });

  return router;
}

function createResponse(message: string, adId: string): ResponseOf<'addFavorite'> {
  return { success: true, message, data: { id: adId, adId } };
}
