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
import { requireSpace } from './require-space.ts';
import { createTusServer, type TusRequest } from './tus-server.ts';
import type { createUploadQuotas } from './upload-quotas.ts';
import { storeOriginal, type StoredFile } from './upload-storage.ts';

export interface ResumableDependencies {
  readonly blobs: BlobStore;
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly quotas: Pick<ReturnType<typeof createUploadQuotas>, 'reserveForBytes' | 'keep' | 'release'>;
  readonly progress: ProgressLimits;
}

/**
 * Creates the functions that receive the bytes of resumable uploads. The id of an upload is also the id of its
 * photo or video, so that each step can be repeated after a crash.
 */
export function createResumableUploads({ blobs, commands, quotas, progress }: ResumableDependencies) {
  const execute = createTusServer();

  /** Executes a request of the tus protocol and sends its response. */
  async function respond(res: Response, request: TusRequest): Promise<void> {
    const { status, headers } = await execute(request);
    send(res, status, headers);
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

  /** Waits until the body of a request is received. Throws UPLOAD_BROKEN_OFF if it arrives too slowly. */
  async function receive(req: Request, responding: Promise<void>): Promise<void> {
    let endChecks = () => {};
    const tooSlow = new Promise<never>((_resolve, reject) => {
      endChecks = requireProgress(req, progress, () => reject(new DomainError('UPLOAD_BROKEN_OFF')));
    });
    try {
      await Promise.race([responding, tooSlow]);
    } catch (error) {
      responding.catch(() => undefined);
      throw error;
    } finally {
      endChecks();
    }
  }

  return {
    /** Begins an upload, which was added to the quotas with these keys. */
    create: (
      req: Request,
      res: Response,
      owner: RegisteredAccount,
      { kind, quotaKeys }: Pick<TusRequest, 'kind' | 'quotaKeys'>,
    ) =>
      respond(res, {
        method: 'POST',
        uploads: createPartialUploads(blobs, owner.accountId),
        kind,
        uploadId: randomUUID(),
        ...(quotaKeys && { quotaKeys }),
        req,
      }),

    /** Returns the offset of an upload, or cancels it. A canceled upload no longer counts for its quotas. */
    async access(
      req: Request,
      res: Response,
      owner: RegisteredAccount,
      { uploadId, method }: { readonly uploadId: string; readonly method: 'HEAD' | 'DELETE' },
    ): Promise<void> {
      const uploads = createPartialUploads(blobs, owner.accountId);
      const info = await requireUpload(owner, uploadId, uploads.findInfo);
      const { status, headers } = await execute({ method, uploads, kind: info.kind, uploadId, req });
      if (method === 'DELETE') await quotas.release(info);
      send(res, status, headers);
    },

    /** Receives bytes of an upload. Throws UNAVAILABLE if there is no space for them. */
    async append(req: Request, res: Response, owner: RegisteredAccount, uploadId: string): Promise<void> {
      const uploads = createPartialUploads(blobs, owner.accountId);
      try {
        const { kind, sizeBytes, offset } = await requireUpload(owner, uploadId, uploads.find);
        // Anyone can announce any size. An upload never becomes larger than its own size.
        const announced_bytes = Number(req.get('content-length') ?? Infinity);
        const size_bytes = Math.min(announced_bytes, sizeBytes - offset);
        const release = await quotas.reserveForBytes(owner, size_bytes);
        let stored_bytes = size_bytes;
        try {
          await receive(req, respond(res, { method: 'PATCH', uploads, kind, uploadId, req }));
        } catch (error) {
          const found = await uploads.find(uploadId).catch(() => null);
          stored_bytes = Math.max(0, (found?.offset ?? 0) - offset);
          throw error;
        } finally {
          release(stored_bytes);
        }
      } catch (error) {
        // The rest of the body is not read, so the connection cannot be used again.
        res.setHeader('Connection', 'close');
        req.socket.once('close', () => req.destroy());
        throw error;
      }
    },

    /**
     * Stores the original file of a complete upload. `file` is null if this was done before. Throws NOT_FOUND if the
     * account has no such upload, UPLOAD_BROKEN_OFF if bytes are missing, UNAVAILABLE if the disk is almost full, and
     * other codes if the file is not accepted.
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
      // The original is stored next to the received blocks, which are removed afterwards.
      await requireSpace(blobs, upload.sizeBytes);
      await quotas.keep(uploadId);
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

function send(res: Response, status: number, headers: readonly (readonly [string, string])[]): void {
  for (const [name, value] of headers) res.setHeader(name, value);
  res.status(status).end();
}
