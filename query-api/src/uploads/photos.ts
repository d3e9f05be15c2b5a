import { DomainError, media, PHOTO_VARIANT_NAMES, photoBlobKeys } from '@alpenglow/domain';
import { getCloseSignal, createSlots, pollUntil } from '@alpenglow/infra';
import type { RequestHandler } from 'express';
import type { Dependencies } from '../dependencies.ts';
import type { MediaGuard } from './media-access.ts';
import { findBlob, sendBlob, type BlobReader } from './send-blob.ts';

export interface UploadedFileDependencies extends Dependencies<'commands'> {
  readonly guard: MediaGuard;
  readonly blobs: BlobReader;
  /** Reads a file of `blobs`, or decrypts it if it is sealed as evidence. */
  readonly evidence: BlobReader;
}

export interface PhotoDependencies extends UploadedFileDependencies {
  /** Reads a file of `blobs`, perhaps from memory, where it remains for a while after its removal. */
  readonly recentBlobs: BlobReader;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' };
/** Maximum time that a request waits for a variant that is being created. */
const WAIT_ms = 10_000;
const MAX_WAITING = 100;
const RETRY_AFTER_s = 2;
const MAX_SENDING_ms = 120_000;

/**
 * Serves the variant `<width>.<format>` of a picture. The request waits for a variant that is still being created. The
 * original file is never served. Only a file that is public at the moment is served from memory, so that a
 * token of its owner returns nothing after its removal.
 */
export function createPhotoHandler(
  { blobs, recentBlobs, commands, guard, evidence }: PhotoDependencies,
  { wait_ms = WAIT_ms, maxWaiting = MAX_WAITING } = {},
): RequestHandler<{ mediaId: string; variant: string }> {
  const waiting = createSlots({ max: maxWaiting, maxWaiting: 0, wait_ms: 0 });

  /**
   * Returns the result of `read`. If the variant is still being created, the function waits for it. Throws NOT_FOUND if
   * the variant will never exist, and UNAVAILABLE if the wait takes too long.
   */
  async function find<T>(mediaId: string, read: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const existing = await read();
    if (existing) return existing;
    const loadVerdict = async () => {
      const { state } = await commands.load(media, mediaId);
      return state?.status === 'processing' ? null : { isReady: state?.status === 'ready' };
    };
    const current = await loadVerdict();
    const verdict = current ?? (await waitFor(loadVerdict, signal));
    const found = verdict.isReady ? await read() : null;
    if (!found) throw new DomainError('NOT_FOUND');
    return found;
  }

  async function waitFor<T>(read: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const slot = await waiting.take(signal);
    const found = slot && (await pollUntil(read, { timeout_ms: wait_ms, signal }).finally(() => slot.release()));
    if (!found) throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
    return found;
  }

  return async (req, res) => {
    const { mediaId, variant } = req.params;
    if (!PHOTO_VARIANT_NAMES.includes(variant)) throw new DomainError('NOT_FOUND');
    const { cacheControl, isStaff, isPublic } = await guard(req);
    const source = isStaff ? evidence : isPublic ? recentBlobs : blobs;
    const key = photoBlobKeys.variant(mediaId, variant);
    const found = await find(mediaId, () => findBlob(source, key, req), getCloseSignal(res));
    const contentType = CONTENT_TYPES[variant.split('.')[1] ?? ''] ?? 'application/octet-stream';
    await sendBlob(
      source,
      {
        key,
        blob: found,
        tag: `${mediaId}-${variant}-${found.sizeBytes}`,
        contentType,
        maxSending_ms: MAX_SENDING_ms,
        cacheControl,
      },
      req,
      res,
    );
  };
}
