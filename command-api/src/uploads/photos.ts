import {
  DomainError,
  ERRORS,
  media,
  photoBlobs,
  photoUrl,
  photoView,
  removeMedia,
  uploadMedia,
  type BlobStore,
  type ErrorCode,
  type KnownMedia,
  type UploadAnswer,
} from '@alpenglow/domain';
import { closingOf, createSlots, createSlotsPerKey, pollUntil, requestIdOf, type Authentication, type CommandHandler, type CommandOrigin } from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import type { StoredPhoto } from './photo-storage.ts';
import { photoReceiver } from './receive-photos.ts';

export interface UploadLimits {
  /** How long an answer waits for the worker's verdict. */
  readonly verdictWait_ms: number;
  /** How many uploads may stream in at once; a few more wait for their turn. */
  readonly maxUploads: number;
  /** How many of them may be one account's, those that wait included: nobody can hold all places. */
  readonly maxUploadsPerAccount: number;
  readonly turnWait_ms: number;
}
const LIMITS: UploadLimits = { verdictWait_ms: 10_000, maxUploads: 16, maxUploadsPerAccount: 2, turnWait_ms: 30_000 };
const MAX_WAITING = 64;
const RETRY_AFTER_s = 5;

export interface PhotoUploadDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly blobs: BlobStore;
  /** Aborts when the process is told to stop: then nobody waits for a verdict, and 202 says that it will come. */
  readonly stopping?: AbortSignal;
}

/**
 * `POST /uploads/photos` of the specification, section 7, to be mounted there. Answers 201 once the photos can be shown, 202
 * when that takes longer than 10 s, and refuses all of them when one is no picture.
 */
export function photoUploadRoutes({ commands, authentication, blobs, stopping }: PhotoUploadDependencies, limits: UploadLimits = LIMITS): Router {
  const router = Router();
  const slots = createSlots({ max: limits.maxUploads, maxWaiting: MAX_WAITING, wait_ms: limits.turnWait_ms });
  const accountSlots = createSlotsPerKey(limits.maxUploadsPerAccount);
  const receive = photoReceiver(blobs);

  /** Receives photos once there is a place. Throws UPLOADS_BUSY when there is none in time, or none for this account. */
  async function receiveInTurn(req: Request, res: Response, accountId: string, signal: AbortSignal): Promise<readonly StoredPhoto[]> {
    const own = accountSlots.take(accountId);
    if (!own) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
    try {
      const slot = await slots.take(signal);
      if (!slot) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
      return await receive(req, res).finally(() => slot.release());
    } finally {
      own.release();
    }
  }

  /**
   * Takes back photos that were stored, whatever has become of them since. A rejected one keeps its verdict. Where nothing can be
   * recorded now, a photo that has its event keeps its bytes, so that it is never there in part; the sweep finds it later. What
   * fails here is not told: the reason for taking back is what the client has to hear.
   */
  async function takeBack(photos: readonly StoredPhoto[], recorded: ReadonlySet<string>, origin: CommandOrigin): Promise<void> {
    const taken = photos.map(async ({ mediaId }) => {
      const isTakenBack = await commands
        .handle(media, mediaId, (state) => (state?.status === 'rejected' ? [] : removeMedia(state)), origin)
        .then(() => true, () => false);
      if (!isTakenBack && recorded.has(mediaId)) return;
      await blobs.remove(photoBlobs.original(mediaId));
      if (isTakenBack) await blobs.remove(photoBlobs.variants(mediaId));
    });
    await Promise.allSettled(taken);
  }

  async function record(photos: readonly StoredPhoto[], recorded: Set<string>, ownerId: string, origin: CommandOrigin): Promise<void> {
    for (const { mediaId, sizeBytes, contentType } of photos) {
      await commands.handle(media, mediaId, (state) => uploadMedia({ mediaId, ownerId, kind: 'photo', sizeBytes, contentType }, state), origin);
      recorded.add(mediaId);
    }
  }

  /** The photos as the worker judged them, or as they stand when the time is up. */
  async function verdicts(photos: readonly StoredPhoto[], signal: AbortSignal): Promise<readonly KnownMedia[]> {
    const deadline = Date.now() + limits.verdictWait_ms;
    const load = async (mediaId: string) => (await commands.load(media, mediaId)).state;
    return Promise.all(
      photos.map(async ({ mediaId }) => {
        const judged = async () => {
          const state = await load(mediaId);
          return state?.status === 'processing' ? null : state;
        };
        const found = (await pollUntil(judged, { timeout_ms: deadline - Date.now(), signal })) ?? (await load(mediaId));
        if (!found) throw new DomainError('NOT_FOUND');
        return found;
      }),
    );
  }

  router.post('/', async (req, res) => {
    const { account } = await authentication.require(req);
    const origin: CommandOrigin = { actor: { kind: 'account', accountId: account.accountId }, correlationId: requestIdOf(res) };
    const signal = closingOf(res);

    const photos = await receiveInTurn(req, res, account.accountId, signal);
    const recorded = new Set<string>();
    try {
      await record(photos, recorded, account.accountId, origin);
      const judged = await verdicts(photos, stopping ? AbortSignal.any([signal, stopping]) : signal);
      const rejected = judged.find((photo) => photo.status === 'rejected');
      if (rejected) throw new DomainError(rejected.code in ERRORS ? (rejected.code as ErrorCode) : 'NOT_AN_IMAGE');
      const answer: UploadAnswer = { success: true, urls: judged.map(({ mediaId }) => photoUrl(mediaId)), media: judged.map(photoView) };
      res.status(judged.every((photo) => photo.status === 'ready') ? 201 : 202).json(answer);
    } catch (error) {
      await takeBack(photos, recorded, origin);
      throw error;
    }
  });

  return router;
}
