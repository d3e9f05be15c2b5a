import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BlobNotFound, DomainError, type BlobInfo, type BlobStore, type OpenBlob } from '@alpenglow/domain';
import type { Request, Response } from 'express';

/** What is about to be sent: the bytes are open already where the request asks for all of them. */
export type FoundBlob = BlobInfo & { readonly bytes?: Readable };

export interface BlobAnswer {
  readonly key: string;
  readonly found: FoundBlob;
  /** Without quotes; another one for other bytes. */
  readonly tag: string;
  readonly contentType: string;
  /** Whoever takes it more slowly is cut off: meanwhile it holds a connection to the store. */
  readonly maxSending_ms: number;
  /** What this kind of file says besides. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Looks a blob up in one call of the store: most requests want all of it and learn the size along with the bytes, the others
 * ask for the size first. Null when it is not there.
 */
export async function findBlob(blobs: BlobStore, key: string, req: Request): Promise<FoundBlob | null> {
  const wantsAll = req.method === 'GET' && req.get('range') === undefined && req.get('if-none-match') === undefined;
  return wantsAll ? open(blobs, key) : blobs.info(key);
}

/**
 * Answers GET or HEAD with a blob that never changes, whole or in the one range asked for (RFC 9110, section 14), and may be kept
 * for ever. NOT_FOUND when it has gone meanwhile.
 */
export async function sendBlob(
  blobs: BlobStore,
  { key, found, tag, contentType, maxSending_ms, headers = {} }: BlobAnswer,
  req: Request,
  res: Response,
): Promise<void> {
  const { sizeBytes } = found;
  const etag = `"${tag}"`;
  if (isKnown(req, res, etag)) {
    res.status(304).set({ ETag: etag, 'Cache-Control': FOR_EVER }).end();
    return;
  }
  const range = rangeOf(req, etag, sizeBytes);
  if (range === 'unsatisfiable') {
    res
      .status(416)
      .set({ ETag: etag, 'Content-Range': `bytes */${sizeBytes}` })
      .end();
    return;
  }
  // Nothing is said of the file before its bytes are there: a refusal has headers of its own.
  const bytes = req.method === 'HEAD' ? null : (found.bytes ?? (await bytesOf(blobs, key, range)));
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  if (range) res.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`);
  res.set({
    ...headers,
    'Content-Type': contentType,
    'Content-Length': String(end - start + 1),
    'Cache-Control': FOR_EVER,
    ETag: etag,
    'X-Content-Type-Options': 'nosniff',
    'Accept-Ranges': 'bytes',
  });
  if (bytes) await send(bytes, res, maxSending_ms);
  else res.end();
}

async function open(blobs: BlobStore, key: string, range?: ByteRange): Promise<OpenBlob | null> {
  try {
    return await blobs.read(key, range);
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
}

async function bytesOf(blobs: BlobStore, key: string, range: ByteRange | null): Promise<Readable> {
  const opened = await open(blobs, key, range ?? undefined);
  if (!opened) throw new DomainError('NOT_FOUND');
  return opened.bytes;
}

/** Whether the client has this version. Express compares with the answer's own header, which a refusal must not have. */
function isKnown(req: Request, res: Response, etag: string): boolean {
  res.setHeader('ETag', etag);
  const { fresh } = req;
  res.removeHeader('ETag');
  return fresh;
}

/** A client that goes away in the middle is no error of ours; where the store does, the answer is cut off. */
async function send(bytes: Readable, res: Response, maxSending_ms: number): Promise<void> {
  const tooSlow = setTimeout(() => res.destroy(), maxSending_ms);
  await pipeline(bytes, res).catch(() => res.destroy());
  clearTimeout(tooSlow);
}

/** The one byte range asked for; null for the whole, which also answers what is malformed, manifold, or of another version. */
function rangeOf(req: Request, etag: string, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const ifRange = req.get('if-range');
  if (ifRange !== undefined && ifRange !== etag) return null;
  // Express's reader refuses it; RFC 9110, section 14.1.2, has the whole answer it.
  if (isLongerSuffix(req, sizeBytes)) return { start: 0, end: sizeBytes - 1 };
  const ranges = req.range(sizeBytes);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}

/** Whether the last bytes are asked for, and more of them than there are. */
function isLongerSuffix(req: Request, sizeBytes: number): boolean {
  const length = /^bytes=-(\d+)$/u.exec(req.get('range') ?? '')?.[1];
  return length !== undefined && sizeBytes > 0 && Number(length) > sizeBytes;
}
