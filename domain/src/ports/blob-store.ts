import type { Readable } from 'node:stream';

export interface BlobInfo {
  readonly sizeBytes: number;
  /** Unix time in ms of the last write. */
  readonly modifiedAt_ms: number;
}

/**
 * Bytes by key. A key is 1 to 200 characters of `[a-z0-9._/-]`, with no empty, `.` or `..` segment.
 * A blob is visible whole or not at all: a broken-off write leaves nothing behind.
 */
export interface BlobStore {
  /** Streams a blob in. Rejects, and stores nothing, when the stream errs or passes `maxBytes` (`BlobTooLarge`). */
  put(key: string, bytes: Readable | Uint8Array, options?: { maxBytes?: number }): Promise<BlobInfo>;
  /** Size and time, or null when there is no such blob. */
  info(key: string): Promise<BlobInfo | null>;
  /** Streams a blob out, whole or an inclusive byte range. Rejects with `BlobNotFound`. */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Keys and infos below a prefix ending in `/`, in no particular order. */
  list(prefix: string): AsyncIterable<BlobInfo & { readonly key: string }>;
  /** Removes a blob, or every blob below a prefix ending in `/`. Removing what is not there is not an error. */
  remove(keyOrPrefix: string): Promise<void>;
}

export class BlobNotFound extends Error {
  override readonly name = 'BlobNotFound';
}
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';
}
