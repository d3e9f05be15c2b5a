import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BlobNotFound, DomainError, media, MEDIA_ID, PHOTO_VARIANTS, photoBlobs, type BlobInfo, type BlobStore, type OpenBlob } from '@alpenglow/domain';
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
/** Whoever takes a picture more slowly is cut off: meanwhile it holds a connection to the store. */
const MAX_SENDING_ms = 120_000;
const FOR_EVER = 'public, max-age=31536000, immutable';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Pictures at `/<media id>/<width>.<format>`, to be mounted at `/uploads/photos`. A variant never changes, so it may be kept
 * for ever. One that is still being made is waited for; the original is never served (product decisions, "Media").
 */
export function photoRoutes({ blobs, commands }: PhotoDependencies, { wait_ms = WAIT_ms, maxWaiting = MAX_WAITING } = {}): Router {
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

  async function open(key: string, range?: ByteRange): Promise<OpenBlob | null> {
    try {
      return await blobs.read(key, range);
    } catch (error) {
      if (error instanceof BlobNotFound) return null;
      throw error;
    }
  }

  async function bytesOf(key: string, range: ByteRange | null): Promise<Readable> {
    const opened = await open(key, range ?? undefined);
    if (!opened) throw new DomainError('NOT_FOUND');
    return opened.bytes;
  }

  // Express answers HEAD by the GET route.
  router.get('/:mediaId/:variant', async (req, res) => {
    const { mediaId, variant } = req.params;
    if (!MEDIA_ID.test(mediaId) || !PHOTO_VARIANTS.includes(variant)) throw new DomainError('NOT_FOUND');
    const key = photoBlobs.variant(mediaId, variant);
    const look = (): Promise<(BlobInfo & { readonly bytes?: Readable }) | null> => (wantsAll(req) ? open(key) : blobs.info(key));
    const { sizeBytes, bytes: opened } = await find(mediaId, look, closingOf(res));
    const etag = `"${mediaId}-${variant}-${sizeBytes}"`;
    if (isKnown(req, res, etag)) {
      res.status(304).set({ 'ETag': etag, 'Cache-Control': FOR_EVER }).end();
      return;
    }
    const range = rangeOf(req, etag, sizeBytes);
    if (range === 'unsatisfiable') {
      res.status(416).set({ 'ETag': etag, 'Content-Range': `bytes */${sizeBytes}` }).end();
      return;
    }
    // Nothing is said of the picture before its bytes are there: a refusal has headers of its own.
    const bytes = req.method === 'HEAD' ? null : (opened ?? (await bytesOf(key, range)));
    const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
    if (range) res.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`);
    res.set({
      'Content-Type': CONTENT_TYPES[variant.split('.')[1] ?? ''] ?? 'application/octet-stream',
      'Content-Length': String(end - start + 1),
      'Cache-Control': FOR_EVER,
      'ETag': etag,
      'X-Content-Type-Options': 'nosniff',
      'Accept-Ranges': 'bytes',
    });
    if (bytes) await send(bytes, res);
    else res.end();
  });

  return router;
}

/** Most requests do, and learn the size along with the bytes, in one call of the store. The others ask for the size first. */
function wantsAll(req: Request): boolean {
  return req.method === 'GET' && req.get('range') === undefined && req.get('if-none-match') === undefined;
}

/** Whether the client has this version. Express compares with the answer's own header, which a refusal must not have. */
function isKnown(req: Request, res: Response, etag: string): boolean {
  res.setHeader('ETag', etag);
  const { fresh } = req;
  res.removeHeader('ETag');
  return fresh;
}

/** A client that goes away in the middle is no error of ours; where the store does, the answer is cut off. */
async function send(bytes: Readable, res: Response): Promise<void> {
  const tooSlow = setTimeout(() => res.destroy(), MAX_SENDING_ms);
  await pipeline(bytes, res).catch(() => res.destroy());
  clearTimeout(tooSlow);
}

/** The one byte range asked for; null for the whole, which also answers what is malformed, manifold, or of another version. */
function rangeOf(req: Request, etag: string, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const ifRange = req.get('if-range');
  if (ifRange !== undefined && ifRange !== etag) return null;
  const ranges = req.range(sizeBytes);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}
