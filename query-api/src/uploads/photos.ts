import { DomainError, media, MEDIA_ID, PHOTO_VARIANTS, photoBlobs, type BlobStore } from '@alpenglow/domain';
import { closingOf, createSlots, pollUntil, type CommandHandler } from '@alpenglow/infra';
import { Router } from 'express';
import { findBlob, sendBlob } from './send-blob.ts';

export interface UploadedFileDependencies {
  readonly blobs: BlobStore;
  readonly commands: CommandHandler;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' };
/** How long a request waits for a variant that is being made, and how many may wait at once. */
const WAIT_ms = 10_000;
const MAX_WAITING = 100;
const RETRY_AFTER_s = 2;
const MAX_SENDING_ms = 120_000;

/**
 * Pictures at `/<media id>/<width>.<format>`, to be mounted at `/uploads/photos`. A variant never changes, so it may be kept
 * for ever. One that is still being made is waited for; the original is never served (product decisions, "Media").
 */
export function photoRoutes(
  { blobs, commands }: UploadedFileDependencies,
  { wait_ms = WAIT_ms, maxWaiting = MAX_WAITING } = {},
): Router {
  const router = Router();
  const waiting = createSlots({ max: maxWaiting, maxWaiting: 0, wait_ms: 0 });

  /** What `look` sees of the variant, once it is made. NOT_FOUND when it never will be, UNAVAILABLE when it takes too long. */
  async function find<T>(mediaId: string, look: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const made = await look();
    if (made) return made;
    const judged = async () => {
      const { state } = await commands.load(media, mediaId);
      return state?.status === 'processing' ? null : { isReady: state?.status === 'ready' };
    };
    const now = await judged();
    const verdict = now ?? (await waitFor(judged, signal));
    const found = verdict.isReady ? await look() : null;
    if (!found) throw new DomainError('NOT_FOUND');
    return found;
  }

  async function waitFor<T>(look: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
    const slot = await waiting.take(signal);
    const found = slot && (await pollUntil(look, { timeout_ms: wait_ms, signal }).finally(() => slot.release()));
    if (!found) throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
    return found;
  }

  // Express answers HEAD by the GET route.
  router.get('/:mediaId/:variant', async (req, res) => {
    const { mediaId, variant } = req.params;
    if (!MEDIA_ID.test(mediaId) || !PHOTO_VARIANTS.includes(variant)) throw new DomainError('NOT_FOUND');
    const key = photoBlobs.variant(mediaId, variant);
    const found = await find(mediaId, () => findBlob(blobs, key, req), closingOf(res));
    const contentType = CONTENT_TYPES[variant.split('.')[1] ?? ''] ?? 'application/octet-stream';
    await sendBlob(
      blobs,
      { key, found, tag: `${mediaId}-${variant}-${found.sizeBytes}`, contentType, maxSending_ms: MAX_SENDING_ms },
      req,
      res,
    );
  });

  return router;
}
