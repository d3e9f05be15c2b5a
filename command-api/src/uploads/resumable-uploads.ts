import { randomUUID } from 'node:crypto';
import {
  BlobNotFound,
  DomainError,
  isUploadedBy,
  media,
  MEDIA_ID,
  type BlobStore,
  type MediaKind,
  type RegisteredAccount,
} from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';
import type { Request, Response } from 'express';
import { createPartialUploads, type UploadInfo } from './partial-uploads.ts';
import { requireProgress, type ProgressLimits } from './require-progress.ts';
import { createTusServer, type TusRequest } from './tus-server.ts';
import { storeOriginal, type StoredFile } from './upload-storage.ts';

export interface ResumableDependencies {
  readonly blobs: BlobStore;
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly progress: ProgressLimits;
}

/**
 * Creates the functions that receive the bytes of resumable uploads. The id of an upload is also the id of its
 * photo or video, so that each step can be repeated after a crash.
 */
export function createResumableUploads({ blobs, commands, progress }: ResumableDependencies) {
  const execute = createTusServer();

  /** Executes a request of the tus protocol and sends its response. */
  async function respond(res: Response, request: TusRequest): Promise<void> {
    const { status, headers } = await execute(request);
    for (const [name, value] of headers) res.setHeader(name, value);
    res.status(status).end();
  }

  /** Returns an incomplete upload of the account by calling `find`. Throws NOT_FOUND if there is none. */
  async function requireUpload<Upload extends UploadInfo>(
    { registeredAt }: RegisteredAccount,
    uploadId: string,
    find: (uploadId: string) => Promise<Upload | null>,
  ): Promise<Upload> {
    const found = MEDIA_ID.test(uploadId) ? await find(uploadId) : null;
    // An earlier account may have had the same e-mail address, and therefore the same id.
    if (!found || found.createdAt_ms < Date.parse(registeredAt)) throw new DomainError('NOT_FOUND');
    return found;
  }

  return {
    /** Begins an upload. */
    create: (req: Request, res: Response, owner: RegisteredAccount, kind: MediaKind) =>
      respond(res, {
        method: 'POST',
        uploads: createPartialUploads(blobs, owner.accountId),
        kind,
        uploadId: randomUUID(),
        req,
      }),

    /** Returns the offset of an upload, receives bytes of it, or cancels it. */
    async access(
      req: Request,
      res: Response,
      owner: RegisteredAccount,
      { uploadId, method }: { readonly uploadId: string; readonly method: 'HEAD' | 'PATCH' | 'DELETE' },
    ): Promise<void> {
      const uploads = createPartialUploads(blobs, owner.accountId);
      const { kind } = await requireUpload(owner, uploadId, uploads.findInfo);
      const responding = respond(res, { method, uploads, kind, uploadId, req });
      if (method !== 'PATCH') return responding;
      let endChecks = () => {};
      const tooSlow = new Promise<never>((_resolve, reject) => {
        endChecks = requireProgress(req, progress, () => reject(new DomainError('UPLOAD_BROKEN_OFF')));
      });
      try {
        await Promise.race([responding, tooSlow]);
      } catch (error) {
        // The rest of the body is not read, so the connection cannot be used again.
        res.setHeader('Connection', 'close');
        req.socket.once('close', () => req.destroy());
        responding.catch(() => undefined);
        throw error;
      } finally {
        endChecks();
      }
    },

    /**
     * Stores the original file of a complete upload. `file` is null if this was done before. Throws NOT_FOUND if the
     * account has no such upload, UPLOAD_BROKEN_OFF if bytes are missing, and other codes if the file is not accepted.
     */
    async store(
      owner: RegisteredAccount,
      uploadId: string,
    ): Promise<{ readonly kind: MediaKind; readonly file: StoredFile | null }> {
      const { accountId } = owner;
      const recorded = await findRecorded(owner, uploadId);
      if (recorded) return recorded;
      const uploads = createPartialUploads(blobs, accountId);
      const upload = await requireUpload(owner, uploadId, uploads.find);
      if (upload.offset !== upload.sizeBytes) throw new DomainError('UPLOAD_BROKEN_OFF');
      try {
        const bytes = uploads.read(upload);
        return { kind: upload.kind, file: await storeOriginal(blobs, upload.kind, uploadId, bytes) };
      } catch (error) {
        if (error instanceof DomainError) await uploads.remove(uploadId);
        // Another process has finished the same upload and removed its blocks.
        const other = error instanceof BlobNotFound ? await findRecorded(owner, uploadId) : null;
        if (other) return other;
        throw error;
      }
    },

    remove: (accountId: string, uploadId: string) => createPartialUploads(blobs, accountId).remove(uploadId),
  };

  async function findRecorded(owner: RegisteredAccount, uploadId: string) {
    if (!MEDIA_ID.test(uploadId)) return null;
    const { state } = await commands.load(media, uploadId);
    return state && isUploadedBy(state, owner) ? { kind: state.kind, file: null } : null;
  }
}
