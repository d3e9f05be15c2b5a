import {
  DomainError,
  ERRORS,
  media,
  MEDIA_RULES,
  originalBlob,
  removeMedia,
  shownBlobs,
  uploadMedia,
  type BlobStore,
  type ErrorCode,
  type KnownMedia,
  type MediaKind,
} from '@alpenglow/domain';
import {
  closingOf,
  createSlots,
  createSlotsPerKey,
  pollUntil,
  requestIdOf,
  type Authentication,
  type CommandHandler,
  type CommandOrigin,
} from '@alpenglow/infra';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { PHOTOS, VIDEO, type UploadKind } from './kinds.ts';
import { fileReceiver } from './receive-files.ts';
import type { StoredFile } from './upload-storage.ts';

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

export interface UploadDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly blobs: BlobStore;
  /** Aborts when the process is told to stop: then nobody waits for a verdict, and 202 says that it will come. */
  readonly stopping?: AbortSignal;
}

/**
 * `POST /uploads/photos` and `POST /uploads/video` of the specification, section 7, to be mounted at `/uploads`. They answer 201 once
 * everything can be shown, 202 when that takes longer than 10 s, and refuse all files of a request when one is unfit.
 */
export function uploadRoutes(
  { commands, authentication, blobs, stopping }: UploadDependencies,
  limits: UploadLimits = LIMITS,
): Router {
  const slots = createSlots({ max: limits.maxUploads, maxWaiting: MAX_WAITING, wait_ms: limits.turnWait_ms });
  const accountSlots = createSlotsPerKey(limits.maxUploadsPerAccount);

  /** Does `receive` once there is a place, photos and videos alike. Throws UPLOADS_BUSY when there is none in time, or none for this account. */
  async function inTurn<T>(accountId: string, signal: AbortSignal, receive: () => Promise<T>): Promise<T> {
    const own = accountSlots.take(accountId);
    if (!own) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
    try {
      const slot = await slots.take(signal);
      if (!slot) throw new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);
      return await receive().finally(() => slot.release());
    } finally {
      own.release();
    }
  }

  /**
   * Takes back files that were stored, whatever has become of them since. A rejected one keeps its verdict. Where nothing can be
   * recorded now, a file that has its event keeps its bytes, so that it is never there in part; the sweep finds it later. What
   * fails here is not told: the reason for taking back is what the client has to hear.
   */
  async function takeBack(
    kind: MediaKind,
    files: readonly StoredFile[],
    recorded: ReadonlySet<string>,
    origin: CommandOrigin,
  ): Promise<void> {
    const taken = files.map(async ({ mediaId }) => {
      const isTakenBack = await commands
        .handle(media, mediaId, (state) => (state?.status === 'rejected' ? [] : removeMedia(state)), origin)
        .then(
          () => true,
          () => false,
        );
      if (!isTakenBack && recorded.has(mediaId)) return;
      await blobs.remove(originalBlob(mediaId));
      if (isTakenBack) await blobs.remove(shownBlobs[kind](mediaId));
    });
    await Promise.allSettled(taken);
  }

  async function record(
    kind: MediaKind,
    files: readonly StoredFile[],
    recorded: Set<string>,
    ownerId: string,
    origin: CommandOrigin,
  ): Promise<void> {
    for (const { mediaId, sizeBytes, contentType } of files) {
      await commands.handle(
        media,
        mediaId,
        (state) => uploadMedia({ mediaId, ownerId, kind, sizeBytes, contentType }, state),
        origin,
      );
      recorded.add(mediaId);
    }
  }

  /** The files as the worker judged them, or as they stand when the time is up. */
  async function verdicts(files: readonly StoredFile[], signal: AbortSignal): Promise<readonly KnownMedia[]> {
    const deadline = Date.now() + limits.verdictWait_ms;
    const load = async (mediaId: string) => (await commands.load(media, mediaId)).state;
    return Promise.all(
      files.map(async ({ mediaId }) => {
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

  function receiving(upload: UploadKind): RequestHandler {
    const { kind, answerOf } = upload;
    const receive = fileReceiver(blobs, upload);
    return async (req: Request, res: Response) => {
      const { account } = await authentication.require(req);
      const { accountId } = account;
      const origin: CommandOrigin = { actor: { kind: 'account', accountId }, correlationId: requestIdOf(res) };
      const signal = closingOf(res);

      const files = await inTurn(accountId, signal, () => receive(req, res));
      const recorded = new Set<string>();
      try {
        await record(kind, files, recorded, accountId, origin);
        const judged = await verdicts(files, stopping ? AbortSignal.any([signal, stopping]) : signal);
        const rejected = judged.find((file) => file.status === 'rejected');
        if (rejected)
          throw new DomainError(rejected.code in ERRORS ? (rejected.code as ErrorCode) : MEDIA_RULES[kind].wrongType);
        res.status(judged.every((file) => file.status === 'ready') ? 201 : 202).json(answerOf(judged));
      } catch (error) {
        await takeBack(kind, files, recorded, origin);
        throw error;
      }
    };
  }

  const router = Router();
  router.post('/photos', receiving(PHOTOS));
  router.post('/video', receiving(VIDEO));
  return router;
}
