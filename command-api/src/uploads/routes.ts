import {
  DomainError,
  ERRORS,
  media,
  MEDIA_RULES,
  type ErrorCode,
  type MediaKind,
  type MediaRecord,
} from '@alpenglow/domain';
import { createOperationRouter, getCloseSignal, TUS_VERSION } from '@alpenglow/infra';
import type { Request, RequestHandler, Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createAccountOrigin } from '../origin.ts';
import { createFileRecords } from './file-records.ts';
import { createFileReceiver } from './receive-files.ts';
import { createResumableUploads } from './resumable-uploads.ts';
import { createUnfinishedFiles } from './unfinished-files.ts';
import { PHOTO_UPLOAD, VIDEO_UPLOAD, type UploadKind } from './upload-kinds.ts';
import { createUploadQuotas } from './upload-quotas.ts';
import { createUploadSlots, UPLOAD_LIMITS, type UploadLimits } from './upload-slots.ts';
import type { StoredFile } from './upload-storage.ts';

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
  const limits = { ...UPLOAD_LIMITS, ...ownLimits };
  const quotas = createUploadQuotas({ blobs, ...counting }, limits.quotas);
  const resumable = createResumableUploads({ blobs, commands, quotas, progress: limits.progress });
  const unfinishedFiles = createUnfinishedFiles(
    async (mediaId) => (await commands.load(media, mediaId)).state?.status !== 'processing',
  );
  const withSlot = createUploadSlots(limits, unfinishedFiles.count);
  const { record, removeFiles, waitForVerdicts } = createFileRecords({
    commands,
    blobs,
    uploadWait_ms,
    stopping,
    onRecorded: unfinishedFiles.add,
  });

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

/** Throws the error code of the first file that the worker has rejected. */
function requireAccepted(kind: MediaKind, results: readonly MediaRecord[]): void {
  const rejected = results.find((file) => file.status === 'rejected');
  if (!rejected) return;
  throw new DomainError(rejected.code in ERRORS ? (rejected.code as ErrorCode) : MEDIA_RULES[kind].wrongTypeCode);
}

function sendResults(res: Response, { createResponse }: UploadKind, results: readonly MediaRecord[]): void {
  res.status(results.every((file) => file.status === 'ready') ? 201 : 202).json(createResponse(results));
}
