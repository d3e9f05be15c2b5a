import {
  AD_ID,
  adChanges,
  bumpAd,
  deleteAd,
  DEMO_FALLBACK_PHOTOS,
  DomainError,
  housePictureId,
  isHousePicture,
  listing,
  media,
  newAdFields,
  postAd,
  updateAd,
  type AdWriteAnswer,
  type ListingEvent,
  type ListingState,
  type DecisionContext,
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
  type Principal,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { clientIdOf, mediaIdsOf, normaliseAdInput } from '../ad-input.ts';

export interface AdDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly ads: AdDirectory;
}

/** The ads calls that write, of the specification, section 7. */
export function adRoutes(deps: AdDependencies): Router {
  const router = Router();

  /** Handles a command on the asker's own slot. An ad that is nobody's is not found, rather than somebody else's. */
  async function onOwnListing(
    principal: Principal,
    res: Response,
    adId: string | null,
    decide: (state: ListingState, context: DecisionContext) => readonly ListingEvent[],
    ifRevision: number | null = null,
  ) {
    const { accountId } = principal.account;
    const origin = { actor: { kind: 'account', accountId } as const, correlationId: requestIdOf(res) };
    try {
      return await deps.commands.handle(listing, accountId, decide, origin, { ifRevision });
    } catch (error) {
      if (adId !== null && error instanceof DomainError && error.code === 'ONLY_OWNER' && !(await deps.ads.exists(adId))) {
        throw new DomainError('AD_NOT_FOUND');
      }
      throw error;
    }
  }

  /** Media ids that are the asker's own uploads or house pictures. */
  async function ownPhotos(principal: Principal, photos: readonly string[]): Promise<readonly string[]> {
    const ids = mediaIdsOf(photos);
    for (const id of ids) {
      if (isHousePicture(id)) continue;
      const { state } = await deps.commands.load(media, id);
      const isShowable = state?.status === 'ready' || state?.status === 'processing';
      if (!isShowable || state.ownerId !== principal.account.accountId) throw new DomainError('PHOTO_NOT_YOURS');
    }
    return ids;
  }

  router.post('/', jsonBody, async (req, res) => {
    const principal = await deps.authentication.require(req);
    const poster = posterOf(principal);
    if (!poster.isProvider) throw new DomainError('ONLY_PROVIDERS_POST');
    const body = bodyOf(req);
    const { photos, ...fields } = parseInput(newAdFields, normaliseAdInput(body));
    const own = await ownPhotos(principal, photos);
    const command = {
      poster,
      clientId: clientIdOf(body),
      fields,
      photos: own.length > 0 ? own : Array.from({ length: DEMO_FALLBACK_PHOTOS }, (_, index) => housePictureId(index + 1)),
      isDemo: false,
    };
    const handled = await onOwnListing(principal, res, null, (state, context) => postAd(command, state, context));
    const id = handled.state.ad?.adId ?? '';
    setRevision(res, handled);
    res.status(201).setHeader('Location', `/api/ads/${id}`).json(written('Ad posted successfully!', id));
  });

  router.put('/:id', jsonBody, async (req, res) => {
    const principal = await deps.authentication.require(req);
    const adId = idOf(req);
    const { photos, ...changes } = parseInput(adChanges, normaliseAdInput(bodyOf(req)));
    const own = photos === undefined ? null : await ownPhotos(principal, photos);
    const command = { poster: posterOf(principal), adId, changes, photos: own };
    const handled = await onOwnListing(principal, res, adId, (state) => updateAd(command, state), ifMatchOf(req));
    setRevision(res, handled);
    res.json(written('Ad updated successfully!', adId));
  });

  router.delete('/:id', async (req, res) => {
    const principal = await deps.authentication.require(req);
    const adId = idOf(req);
    const handled = await onOwnListing(principal, res, adId, (state) => deleteAd({ poster: posterOf(principal), adId }, state), ifMatchOf(req));
    setRevision(res, handled);
    res.json(written('Ad deleted', adId));
  });

  router.post('/:id/bump', async (req, res) => {
    const principal = await deps.authentication.require(req);
    const adId = idOf(req);
    const handled = await onOwnListing(principal, res, adId, (state, context) => bumpAd({ poster: posterOf(principal), adId }, state, context), ifMatchOf(req));
    setRevision(res, handled);
    res.json(written('Ad bumped to top!', adId));
  });

  return router;
}

function posterOf({ account, user }: Principal) {
  return { accountId: account.accountId, isProvider: user.isProvider, emailVerified: user.isEmailVerified };
}

function idOf(req: Request): string {
  const id = req.params['id'];
  if (typeof id !== 'string' || !AD_ID.test(id)) throw new DomainError('AD_NOT_FOUND');
  return id;
}

function bodyOf(req: Request): Readonly<Record<string, unknown>> {
  return req.body as Readonly<Record<string, unknown>>;
}

function written(message: string, id: string): AdWriteAnswer {
  return { success: true, message, ad: { id }, data: { id } };
}
