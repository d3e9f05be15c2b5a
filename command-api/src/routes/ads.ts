import {
  bumpAd,
  deleteAd,
  FALLBACK_PICTURES,
  DomainError,
  listing,
  newAdFields,
  adChanges,
  postAd,
  updateAd,
  type AdWriteAnswer,
  type DecisionContext,
  type ListingEvent,
  type ListingState,
} from '@alpenglow/domain';
import {
  ifMatchOf,
  jsonBody,
  parseInput,
  requestIdOf,
  setRevision,
  type AdDirectory,
  type Authentication,
  type CommandHandler,
  type Loaded,
  type Principal,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { adIdOf, bodyOf, clientIdOf, normaliseAdInput } from '../ad-input.ts';
import { createOwnMedia } from '../own-media.ts';

export interface AdDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly ads: AdDirectory;
}

/** The calls on one's own ad that write, of the specification, section 7. */
export function adRoutes(deps: AdDependencies): Router {
  const router = Router();
  const ownMedia = createOwnMedia(deps.commands);

  /** Handles a command on the asker's own slot. An ad that is nobody's is not found, rather than somebody else's. */
  async function onOwnListing(
    principal: Principal,
    res: Response,
    adId: string | null,
    decide: (state: ListingState, context: DecisionContext) => readonly ListingEvent[],
    options: { readonly ifRevision?: number | null; readonly loaded?: Loaded<ListingState> } = {},
  ) {
    const { accountId } = principal.account;
    const origin = { actor: { kind: 'account', accountId } as const, correlationId: requestIdOf(res) };
    try {
      return await deps.commands.handle(listing, accountId, decide, origin, options);
    } catch (error) {
      const isAnothers = error instanceof DomainError && error.code === 'ONLY_OWNER';
      if (isAnothers && adId !== null && (await deps.ads.ownerOf(adId)) === null) throw new DomainError('AD_NOT_FOUND');
      throw error;
    }
  }

  /** Who is asking, and their slot, read at the same time. */
  const requireOwner = (req: Request) =>
    deps.authentication.requireWith(req, (accountId) => deps.commands.load(listing, accountId));

  router.post('/', jsonBody, async (req, res) => {
    const principal = await deps.authentication.require(req);
    const poster = posterOf(principal);
    if (!poster.isProvider) throw new DomainError('ONLY_PROVIDERS_POST');
    const body = bodyOf(req);
    const { photos, video, ...fields } = parseInput(newAdFields, normaliseAdInput(body));
    const own = await ownMedia.photosOf(poster.accountId, photos);
    const command = {
      poster,
      clientId: clientIdOf(body),
      fields,
      photos: own.length > 0 ? own : FALLBACK_PICTURES,
      video: video === null ? null : await ownMedia.videoOf(poster.accountId, video),
      isDemo: false,
    };
    const handled = await onOwnListing(principal, res, null, (state, context) => postAd(command, state, context));
    const id = handled.state.ad?.adId ?? '';
    setRevision(res, handled);
    res.status(201).setHeader('Location', `/api/ads/${id}`).json(written('Ad posted successfully!', id));
  });

  router.put('/:id', jsonBody, async (req, res) => {
    const principal = await deps.authentication.require(req);
    const poster = posterOf(principal);
    const adId = adIdOf(req);
    const { photos, video, ...changes } = parseInput(adChanges, normaliseAdInput(bodyOf(req)));
    const command = {
      poster,
      adId,
      changes,
      photos: photos && (await ownMedia.photosOf(poster.accountId, photos)),
      video: video && (await ownMedia.videoOf(poster.accountId, video)),
    };
    const handled = await onOwnListing(principal, res, adId, (state) => updateAd(command, state), {
      ifRevision: ifMatchOf(req),
    });
    setRevision(res, handled);
    res.json(written('Ad updated successfully!', adId));
  });

  router.delete('/:id', async (req, res) => {
    const [principal, loaded] = await requireOwner(req);
    const adId = adIdOf(req);
    const options = { loaded, ifRevision: ifMatchOf(req) };
    const handled = await onOwnListing(
      principal,
      res,
      adId,
      (state) => deleteAd({ poster: posterOf(principal), adId }, state),
      options,
    );
    setRevision(res, handled);
    res.json(written('Ad deleted', adId));
  });

  router.post('/:id/bump', async (req, res) => {
    const [principal, loaded] = await requireOwner(req);
    const adId = adIdOf(req);
    const options = { loaded, ifRevision: ifMatchOf(req) };
    const handled = await onOwnListing(
      principal,
      res,
      adId,
      (state, context) => bumpAd({ poster: posterOf(principal), adId }, state, context),
      options,
    );
    setRevision(res, handled);
    res.json(written('Ad bumped to top!', adId));
  });

  return router;
}

function posterOf({ account, user }: Principal) {
  return { accountId: account.accountId, isProvider: user.isProvider, emailVerified: user.canPostAds };
}

function written(message: string, id: string): AdWriteAnswer {
  return { success: true, message, ad: { id }, data: { id } };
}
