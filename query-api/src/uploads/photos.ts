import { pipeline } from 'node:stream/promises';
import { DomainError, media, MEDIA_ID, PHOTO_VARIANTS, photoBlobs, type BlobInfo, type BlobStore } from '@alpenglow/domain';
import { closingOf, createSlots, pollUntil, type CommandHandler } from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';

export interface PhotoDependencies {
  readonly blobs: BlobStore;
  readonly commands: CommandHandler;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' };
/** How long a request waits for a variant that is being made, and how many may wait at once. */
const WAIT_ms = 10_000;
const MAX_WAITING = 100;
const RETRY_AFTER_s = 2;

/**
 * Pictures at `/<media id>/<width>.<format>`, to be mounted at `/uploads/photos`. A variant never changes, so it may be kept
 * for ever. One that is still being made is waited for; the original is never served (product decisions, "Media").
 */
export function photoRoutes({ blobs, commands }: PhotoDependencies, { wait_ms = WAIT_ms, maxWaiting = MAX_WAITING } = {}): Router {
  const router = Router();
  const waiting = createSlots({ max: maxWaiting, maxWaiting: 0, wait_ms: 0 });

  /** The variant, once it is made. NOT_FOUND when it never will be, UNAVAILABLE when it takes too long. */
  async function find(mediaId: string, key: string, signal: AbortSignal): Promise<BlobInfo> {
    const made = await blobs.info(key);
    if (made) return made;
    const judged = async () => {
      const { state } = await commands.load(media, mediaId);
      return state?.status === 'processing' ? null : { isReady: state?.status === 'ready' };
    };
    const now = await judged();
    const verdict = now ?? (await waitFor(judged, signal));
    const info = verdict.isReady ? await blobs.info(key) : null;
    if (!info) throw new DomainError('NOT_FOUND');
    return info;
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
    const { sizeBytes } = await find(mediaId, key, closingOf(res));
    res.setHeader('Content-Type', CONTENT_TYPES[variant.split('.')[1] ?? ''] ?? 'application/octet-stream');
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    res.setHeader('ETag', `"${mediaId}-${variant}-${sizeBytes}"`);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Accept-Ranges', 'bytes');
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    const range = rangeOf(req, res, sizeBytes);
    if (range === 'unsatisfiable') {
      res.status(416).setHeader('Content-Range', `bytes */${sizeBytes}`).removeHeader('Cache-Control');
      res.end();
      return;
    }
    const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
    if (range) res.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`);
    res.setHeader('Content-Length', String(end - start + 1));
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    // A client that goes away in the middle is no error of ours.
    await pipeline(await blobs.read(key, { start, end }), res).catch(() => res.destroy());
  });

  return router;
}

/** The one byte range asked for; null for the whole, which also answers what is malformed, manifold, or of another version. */
function rangeOf(req: Request, res: Response, sizeBytes: number): { start: number; end: number } | 'unsatisfiable' | null {
  const ifRange = req.get('if-range');
  if (ifRange !== undefined && ifRange !== res.getHeader('ETag')) return null;
  const ranges = req.range(sizeBytes);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}
