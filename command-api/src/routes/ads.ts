import {
  DomainError,
  listing,
  type ResponseOf,
  type ListingEvent,
  type ListingState,
  type Decider,
} from '@alpenglow/domain';
import { OWN_AD_COMMANDS, postAd, updateAd } from '@alpenglow/domain/deciders';
import {
  parseIfMatch,
  createOperationRouter,
  getInput,
  getPath,
  setRevision,
  type LoadedState,
  type Principal,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createOrigin } from '../origin.ts';
import { getBody, parseClientId, normaliseAdInput } from '../ad-input.ts';
import { createOwnMediaResolver } from '../own-media.ts';

/** The operations that change the caller's own ad. */
export function adRoutes(deps: Dependencies<'commands' | 'authentication' | 'ads'>) {
  const router = createOperationRouter();
  const ownMedia = createOwnMediaResolver(deps.commands);

  /**
   * Executes a command on the slot of the caller. A slot contains the single ad of an account. If the requested ad does
   * not exist, the error ONLY_OWNER is replaced with AD_NOT_FOUND.
   */
  async function handleOnOwnListing<Command>(
    principal: Principal,
    res: Response,
    adId: string | null,
    decide: Decider<Command, ListingState, ListingEvent>,
    command: Command,
    options: { readonly ifRevision?: number | null; readonly loaded?: LoadedState<ListingState> } = {},
  ) {
    const { accountId } = principal.account;
    const origin = createOrigin(principal, res);
    try {
      return await deps.commands.execute(listing, accountId, decide, command, origin, options);
    } catch (error) {
      const isOtherOwner = error instanceof DomainError && error.code === 'ONLY_OWNER';
      if (isOtherOwner && adId !== null && (await deps.ads.ownerOf(adId)) === null)
        throw new DomainError('AD_NOT_FOUND');
      throw error;
    }
  }

  /** Loads the caller's account and the slot with the caller's single ad in parallel. */
  const loadOwner = (req: Request) =>
    deps.authentication.requireAndRead(req, (accountId) => deps.commands.load(listing, accountId));

  router.on('postAd', async (req, res) => {
    const principal = await deps.authentication.require(req);
    const poster = createPoster(principal);
    if (!poster.isProvider) throw new DomainError('ONLY_PROVIDERS_POST');
    const body = getBody(req);
    const { photos, video, ...fields } = getInput(req, normaliseAdInput);
    const command = {
      poster,
      clientId: parseClientId(body),
      fields,
      photos: await ownMedia.requireOwnPhotos(principal.account, photos),
      video: video === null ? null : await ownMedia.requireOwnVideo(principal.account, video),
      isDemo: false,
      registeredAt: principal.account.registeredAt,
    };
    const handled = await handleOnOwnListing(principal, res, null, postAd, command);
    const id = handled.state.ad?.adId ?? '';
    setRevision(res, handled);
    res.status(201).setHeader('Location', `/api/ads/${id}`).json(createAdResponse('Ad posted successfully!', id));
  });

  router.on('updateAd', async (req, res) => {
    const principal = await deps.authentication.require(req);
    const poster = createPoster(principal);
    const { id: adId } = getPath(req);
    const { photos, video, ...changes } = getInput(req, normaliseAdInput);
    const command = {
      poster,
      adId,
      changes,
      photos: photos && (await ownMedia.requireOwnPhotos(principal.account, photos)),
      video: video && (await ownMedia.requireOwnVideo(principal.account, video)),
    };
    const options = { ifRevision: parseIfMatch(req) };
    const handled = await handleOnOwnListing(principal, res, adId, updateAd, command, options);
    setRevision(res, handled);
    res.json(createAdResponse('Ad updated successfully!', adId));
  });

  for (const [id, { decide, message }] of Object.entries(OWN_AD_COMMANDS)) {
    router.on(id as keyof typeof OWN_AD_COMMANDS, async (req, res) => {
      const [principal, loaded] = await loadOwner(req);
      const { id: adId } = getPath(req);
      const command = { poster: createPoster(principal), adId };
      const options = { loaded, ifRevision: parseIfMatch(req) };
      const handled = await handleOnOwnListing(principal, res, adId, decide, command, options);
      setRevision(res, handled);
      res.json(createAdResponse(message, adId));
    });
  }

  return router;
}

function createPoster({ account, user }: Principal) {
  return { accountId: account.accountId, isProvider: user.isProvider, emailVerified: user.canPostAds };
}

/** Returns the response body for an operation that changed an ad. */
export function createAdResponse(message: string, id: string): ResponseOf<'postAd'> {
  return { success: true, message, ad: { id }, data: { id } };
}
