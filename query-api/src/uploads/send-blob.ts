import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BlobNotFound, DomainError, type BlobInfo, type BlobStore, type BlobReadResult } from '@alpenglow/domain';
import type { Request, Response } from 'express';

/** The part of the blob store that a response needs. */
export type BlobReader = Pick<BlobStore, 'getInfo' | 'read'>;

/** An existing blob. `bytes` is its open stream if the request is for the whole blob. */
export type OpenableBlob = BlobInfo & { readonly bytes?: Readable };

export interface BlobResponse {
  readonly key: string;
  readonly blob: OpenableBlob;
  /** The ETag without quotes. Different bytes must have a different tag. */
  readonly tag: string;
  readonly contentType: string;
  /** Maximum duration of a transfer. It is limited, because each one occupies a connection to the blob store. */
  readonly maxSending_ms: number;
  readonly cacheControl: string;
  /** Additional headers for this kind of file. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds a blob with one request to the blob store. If the client requests the whole blob, the blob store returns the
 * size together with the bytes. Other requests need only the size at first. Returns null if the blob does not exist.
 */
export async function findBlob(blobs: BlobReader, key: string, req: Request): Promise<OpenableBlob | null> {
  const isWhole = req.method === 'GET' && req.get('range') === undefined && req.get('if-none-match') === undefined;
  return isWhole ? open(blobs, key) : blobs.getInfo(key);
}

/**
 * Responds to GET or HEAD with a blob or with one requested range of it (RFC 9110, section 14). Throws NOT_FOUND if the
 * blob was removed in the meantime.
 */
export async function sendBlob(
  blobs: BlobReader,
  { key, blob, tag, contentType, maxSending_ms, cacheControl, headers = {} }: BlobResponse,
  req: Request,
  res: Response,
): Promise<void> {
  const { sizeBytes } = blob;
  const etag = `"${tag}"`;
  if (isFresh(req, res, etag)) {
    res.status(304).set({ ETag: etag, 'Cache-Control': cacheControl }).end();
    return;
  }
  const range = parseRange(req, etag, sizeBytes);
  if (range === 'unsatisfiable') {
    res
      .status(416)
      .set({ ETag: etag, 'Content-Range': `bytes */${sizeBytes}` })
      .end();
    return;
  }
  // The blob is opened before the headers are set, because an error response has different headers.
  const bytes = req.method === 'HEAD' ? null : (blob.bytes ?? (await readBytes(blobs, key, range)));
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  if (range) res.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`);
  res.set({
    ...headers,
    'Content-Type': contentType,
    'Content-Length': String(end - start + 1),
    'Cache-Control': cacheControl,
    ETag: etag,
    'X-Content-Type-Options': 'nosniff',
    'Accept-Ranges': 'bytes',
  });
  if (bytes) await send(bytes, res, maxSending_ms);
  else res.end();
}

async function open(blobs: BlobReader, key: string, range?: ByteRange): Promise<BlobReadResult | null> {
  try {
    return await blobs.read(key, range);
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
}

async function readBytes(blobs: BlobReader, key: string, range: ByteRange | null): Promise<Readable> {
  const opened = await open(blobs, key, range ?? undefined);
  if (!opened) throw new DomainError('NOT_FOUND');
  return opened.bytes;
}

/**
 * Checks whether the client has this version. Express compares the request with the ETag header of the
 * response. The header is removed afterwards, because an error response must not have it.
 */
function isFresh(req: Request, res: Response, etag: string): boolean {
  res.setHeader('ETag', etag);
  const { fresh } = req;
  res.removeHeader('ETag');
  return fresh;
}

/** Sends the bytes. If the client disconnects or the blob store fails, the connection is closed. */
async function send(bytes: Readable, res: Response, maxSending_ms: number): Promise<void> {
  const timeout = setTimeout(() => res.destroy(), maxSending_ms);
  await pipeline(bytes, res).catch(() => res.destroy());
  clearTimeout(timeout);
}

/**
 * Returns the requested byte range, or null for the whole blob. The whole blob is also sent if the range is
 * malformed, has several parts, or belongs to another version.
 */
function parseRange(req: Request, etag: string, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const ifRange = req.get('if-range');
  if (ifRange !== undefined && ifRange !== etag) return null;
  // A request for the last bytes may be for more bytes than the blob has. Express rejects this request, but RFC 9110,
  // section 14.1.2, requires the whole blob.
  if (isLongerSuffix(req, sizeBytes)) return { start: 0, end: sizeBytes - 1 };
  const ranges = req.range(sizeBytes);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}

/** Checks whether the request is for the last bytes of the blob, and for more bytes than the blob has. */
function isLongerSuffix(req: Request, sizeBytes: number): boolean {
  const length = /^bytes=-(\d+)$/u.exec(req.get('range') ?? '')?.[1];
  return length !== undefined && sizeBytes > 0 && Number(length) > sizeBytes;
}
