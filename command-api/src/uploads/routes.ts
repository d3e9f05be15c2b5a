import {
  DomainError,
  ERRORS,
  MAX_PHOTOS,
  media,
  MEDIA_RULES,
  originalBlobKey,
  publicBlobKeys,
  type ErrorCode,
  type MediaRecord,
  type MediaKind,
} from '@alpenglow/domain';
import { removeMedia, uploadMedia } from '@alpenglow/domain/deciders';
import {
  getCloseSignal,
  createSlots,
  createSlotsPerKey,
  createOperationRouter,
  endTurn,
  pollUntil,
  TUS_VERSION,
  type CommandOrigin,
} from '@alpenglow/infra';
import type { Request, RequestHandler, Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin } from '../origin.ts';
import { PHOTO_UPLOAD, VIDEO_UPLOAD, type UploadKind } from './upload-kinds.ts';
import { createNetworkSlots } from './network-slots.ts';
import { createFileReceiver } from './receive-files.ts';
import { PROGRESS_LIMITS, type ProgressLimits } from './require-progress.ts';
import { createResumableUploads } from './resumable-uploads.ts';
import { createUploadQuotas, UPLOAD_QUOTAS, type UploadQuotas } from './upload-quotas.ts';
import { createUnfinishedFiles } from './unfinished-files.ts';
import type { StoredFile } from './upload-storage.ts';

export interface UploadLimits {
  /** Maximum number of concurrent uploads. Up to 64 further uploads wait for a free slot. */
  readonly maxUploads: number;
  /** Maximum number of uploads of one account that run or wait, so that one account cannot use all upload slots. */
  readonly maxUploadsPerAccount: number;
  /**
   * Maximum number of uploads that one network runs, so that it cannot use all upload slots with several accounts. A
   * /48 network of IPv6 may run twice as many. Further uploads of the network wait.
   */
  readonly maxUploadsPerNetwork: number;
  /**
   * An account cannot upload further files while the checks of this number of its files are not finished. An ad has
   * five photos and a video. The checks of one account therefore do not delay those of others much.
   */
  readonly maxUnfinishedFiles: number;
  readonly slotWait_ms: number;
  readonly progress: ProgressLimits;
  readonly quotas: UploadQuotas;
}
const LIMITS: UploadLimits = {
  maxUploads: 16,
  maxUploadsPerAccount: 2,
  maxUploadsPerNetwork: 4,
  maxUnfinishedFiles: MAX_PHOTOS + 1,
  slotWait_ms: 30_000,
  progress: PROGRESS_LIMITS,
  quotas: UPLOAD_QUOTAS,
};
const MAX_WAITING = 64;
const RETRY_AFTER_s = 5;
const createBusyError = () => new DomainError('UPLOADS_BUSY', {}, RETRY_AFTER_s);

/**
 * The routes of uploads, in one request or resumable. The response has status 201 if all
 * files have been checked, and 202 if the checks take longer than `UPLOAD_WAIT_MS`. If one file is rejected, all files
 * of the request are removed.
 */
export function uploadRoutes(
  {
    commands,
    authentication,
    blobs,
    uploadWait_ms,
    stopping,
    ...counting
  }: Dependencies<'commands' | 'authentication' | 'blobs' | 'uploadWait_ms' | 'stopping'> &
    Partial<Dependencies<'counters' | 'hashKey'>>,
  ownLimits: Partial<UploadLimits> = {},
) {
  const limits = { ...LIMITS, ...ownLimits };
  const slots = createSlots({ max: limits.maxUploads, maxWaiting: MAX_WAITING, wait_ms: limits.slotWait_ms });
  const accountSlots = createSlotsPerKey(limits.maxUploadsPerAccount);
  const networkSlots = createNetworkSlots(limits.maxUploadsPerNetwork);
  const quotas = createUploadQuotas({ blobs, ...counting }, limits.quotas);
  const resumable = createResumableUploads({ blobs, commands, quotas, progress: limits.progress });
  const unfinishedFiles = createUnfinishedFiles(
    async (mediaId) => (await commands.load(media, mediaId)).state?.status !== 'processing',
  );

  /**
   * Calls `receive` when an upload slot is free. A slot permits one upload, of photos or of a video. The request has a
   * turn in the queue of all requests until its account is checked, and the slots limit the rest of its work. Throws
   * UPLOADS_BUSY if no slot becomes free in time, if the account already has its maximum number of uploads, or if the
   * checks of too many of its files are not finished.
   */
  async function withSlot<T>({ accountId, req, res }: Uploader, receive: () => Promise<T>): Promise<T> {
    const signal = getCloseSignal(res);
    const accountSlot = accountSlots.take(accountId);
    if (!accountSlot) throw createBusyError();
    try {
      if ((await unfinishedFiles.count(accountId)) >= limits.maxUnfinishedFiles) throw createBusyError();
      endTurn(res);
      const findNetworkSlot = () => Promise.resolve(networkSlots.take(req.ip));
      const networkSlot = await pollUntil(findNetworkSlot, { timeout_ms: limits.slotWait_ms, signal });
      if (!networkSlot) throw createBusyError();
      try {
        const slot = await slots.take(signal);
        if (!slot) throw createBusyError();
        return await receive().finally(() => slot.release());
      } finally {
        networkSlot.release();
      }
    } finally {
      accountSlot.release();
    }
  }

  /**
   * Removes the stored files of a failed upload request. A file that the worker has rejected remains recorded as
   * rejected. If the removal of a recorded file cannot be recorded, a periodic task removes the bytes of the file
   * later. Errors are ignored, because the client must receive the error that caused the removal.
   */
  async function removeFiles(
    kind: MediaKind,
    files: readonly StoredFile[],
    recorded: ReadonlySet<string>,
    origin: CommandOrigin,
  ): Promise<void> {
    const removals = files.map(async ({ mediaId }) => {
      const isRemoved = await commands
        .handle(
          media,
          mediaId,
          (state, context) => (state?.status === 'rejected' ? [] : removeMedia({}, state, context)),
          origin,
        )
        .then(
          () => true,
          () => false,
        );
      if (!isRemoved && recorded.has(mediaId)) return;
      await blobs.remove(originalBlobKey(mediaId));
      if (isRemoved) await blobs.remove(publicBlobKeys[kind](mediaId));
    });
    await Promise.allSettled(removals);
  }

  async function record(
    kind: MediaKind,
    files: readonly StoredFile[],
    recorded: Set<string>,
    ownerId: string,
    origin: CommandOrigin,
  ): Promise<void> {
    for (const { mediaId, sizeBytes, contentType } of files) {
      await commands.execute(media, mediaId, uploadMedia, { mediaId, ownerId, kind, sizeBytes, contentType }, origin);
      recorded.add(mediaId);
      unfinishedFiles.add(ownerId, mediaId);
    }
  }

  /**
   * Waits until the worker has checked all uploaded files, or until the time limit is reached. Returns the current
   * state of each file.
   */
  async function waitForVerdicts(
    files: readonly Pick<StoredFile, 'mediaId'>[],
    closed: AbortSignal,
  ): Promise<readonly MediaRecord[]> {
    const signal = stopping ? AbortSignal.any([closed, stopping]) : closed;
    const deadline = Date.now() + uploadWait_ms;
    const load = async (mediaId: string) => (await commands.load(media, mediaId)).state;
    return Promise.all(
      files.map(async ({ mediaId }) => {
        const loadVerdict = async () => {
          const state = await load(mediaId);
          return state?.status === 'processing' ? null : state;
        };
        const found =
          (await pollUntil(loadVerdict, { timeout_ms: deadline - Date.now(), signal })) ?? (await load(mediaId));
        if (!found) throw new DomainError('NOT_FOUND');
        return found;
      }),
    );
  }

  function uploadHandler(upload: UploadKind): RequestHandler {
    const { kind } = upload;
    const receive = createFileReceiver(blobs, upload, limits.progress);
    return async (req: Request, res: Response) => {
      const { account } = await authentication.require(req);
      const { accountId } = account;
      const origin = createAccountOrigin(accountId, res);
      const signal = getCloseSignal(res);
      const checked = quotas.requireForUpload({ account, address: req.ip }, sizeOf(req, upload));
      const undoQuota = await rejectWithoutBody(res, checked);
      let files: readonly StoredFile[] = [];
      const recorded = new Set<string>();
      try {
        files = await withSlot({ accountId, req, res }, () => receive(req, res));
        await record(kind, files, recorded, accountId, origin);
        const results = await waitForVerdicts(files, signal);
        requireAccepted(kind, results);
        sendResults(res, upload, results);
      } catch (error) {
        await removeFiles(kind, files, recorded, origin);
        await undoQuota();
        throw error;
      }
    };
  }

  /** Begins a resumable upload. */
  function creationHandler(kind: MediaKind): RequestHandler {
    return async (req, res) => {
      const { account } = await authentication.require(req);
      // The tus server rejects a size that is missing, invalid or too large.
      const size_bytes = Number(req.get('upload-length'));
      const isValid = size_bytes > 0 && size_bytes <= MEDIA_RULES[kind].maxBytes;
      const quotaKeys = isValid ? await quotas.requireForResumable({ account, address: req.ip }, size_bytes) : [];
      await resumable.create(req, res, account, { kind, quotaKeys });
    };
  }

  /**
   * Finishes a resumable upload. Every step may be repeated, so a client repeats the request after any failure. Only a
   * file that is not accepted is removed.
   */
  async function finish(uploadId: string, req: Request, res: Response): Promise<void> {
    const { account } = await authentication.require(req);
    const { accountId } = account;
    const origin = createAccountOrigin(accountId, res);
    const signal = getCloseSignal(res);
    const { kind, file } = await withSlot({ accountId, req, res }, () => resumable.store(account, uploadId));
    const files = file ? [file] : [];
    await record(kind, files, new Set(), accountId, origin);
    await resumable.remove(accountId, uploadId);
    const results = await waitForVerdicts([{ mediaId: uploadId }], signal);
    try {
      requireAccepted(kind, results);
    } catch (error) {
      await removeFiles(kind, files, new Set([uploadId]), origin);
      throw error;
    }
    sendResults(res, kind === 'photo' ? PHOTO_UPLOAD : VIDEO_UPLOAD, results);
  }

  return createOperationRouter()
    .on('uploadPhotos', uploadHandler(PHOTO_UPLOAD))
    .on('uploadVideo', uploadHandler(VIDEO_UPLOAD))
    .on('createPhotoUpload', requireTusVersion, creationHandler('photo'))
    .on('createVideoUpload', requireTusVersion, creationHandler('video'))
    .on('getUploadOffset', requireTusVersion, async (req, res) => {
      const { account } = await authentication.require(req);
      await resumable.access(req, res, account, { uploadId: req.params.uploadId, method: 'HEAD' });
    })
    .on('appendToUpload', requireTusVersion, async (req, res) => {
      const { account } = await authentication.require(req);
      const { uploadId } = req.params;
      const { accountId } = account;
      await withSlot({ accountId, req, res }, () => resumable.append(req, res, account, uploadId));
    })
    .on('cancelUpload', requireTusVersion, async (req, res) => {
      const { account } = await authentication.require(req);
      await resumable.access(req, res, account, { uploadId: req.params.uploadId, method: 'DELETE' });
    })
    .on('finishUpload', (req, res) => finish(req.params.uploadId, req, res));
}

/** Rejects another version of the tus protocol before the request has any effect. */
const requireTusVersion: RequestHandler<object> = (req, _res, next) => {
  if (req.get('tus-resumable') !== TUS_VERSION) throw new DomainError('TUS_VERSION_NOT_SUPPORTED');
  next();
};

/**
 * Returns the announced size of an upload in one request. Without an announcement, it is the size of the largest files.
 */
function sizeOf(req: Request, { kind, maxFiles }: UploadKind): number {
  const size_bytes = Number(req.get('content-length'));
  return size_bytes > 0 ? size_bytes : maxFiles * MEDIA_RULES[kind].maxBytes;
}

/** Awaits a check of an upload. If it fails, the body is not read, so the connection cannot be used again. */
async function rejectWithoutBody<T>(res: Response, check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    res.setHeader('Connection', 'close');
    throw error;
  }
}

interface Uploader {
  readonly accountId: string;
  readonly req: Pick<Request, 'ip'>;
  readonly res: Response;
}

/** Throws the error code of the first file that the worker has rejected. */
function requireAccepted(kind: MediaKind, results: readonly MediaRecord[]): void {
  const rejected = results.find((file) => file.status === 'rejected');
  if (!rejected) return;
  throw new DomainError(rejected.code in ERRORS ? (rejected.code as ErrorCode) : MEDIA_RULES[kind].wrongTypeCode);
}

function sendResults(res: Response, { createResponse }: UploadKind, results: readonly MediaRecord[]): void {
  res.status(results.every((file) => file.status === 'ready') ? 201 : 202).json(createResponse(results));
}
