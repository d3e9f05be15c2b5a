import type { Readable } from 'node:stream';

export interface BlobInfo {
  readonly sizeBytes: number;
  /** Unix time in ms of the last write, by the store's clock; a store may know it to the second only. */
  readonly modifiedAt_ms: number;
}

/** A blob that is being read. `sizeBytes` is that of the whole blob, whatever range was asked for. */
export interface OpenBlob extends BlobInfo {
  /** The bytes asked for. Errs when the store goes away in the middle. To be read to its end or destroyed. */
  readonly bytes: Readable;
}

/**
 * Bytes by key. A key is 1 to 200 characters of `[a-z0-9._/-]`, with no empty, `.` or `..` segment.
 * A blob is visible whole or not at all: a broken-off write leaves nothing behind.
 * Everything rejects with `BlobStoreUnavailable`, within a bounded time, when the store cannot answer.
 */
export interface BlobStore {
  /** Streams a blob in. Rejects, and stores nothing, when the stream errs or passes `maxBytes` (`BlobTooLarge`). */
  put(
    key: string,
    bytes: Readable | Uint8Array,
    options?: { maxBytes?: number },
  ): Promise<{ readonly sizeBytes: number }>;
  /** Size and time, or null when there is no such blob. */
  info(key: string): Promise<BlobInfo | null>;
  /** Opens a blob, whole or from `start` (within it) to `end`, which counts in. Rejects with `BlobNotFound`. */
  read(key: string, range?: { start: number; end: number }): Promise<OpenBlob>;
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
/** The store cannot be reached, sheds load or is too slow. A write may or may not have happened. */
export class BlobStoreUnavailable extends Error {
  override readonly name = 'BlobStoreUnavailable';
}
/** The store does not let us do this: a matter of rights or room there, which says nothing against the blob. */
export class BlobStoreRefusal extends Error {
  override readonly name = 'BlobStoreRefusal';
}
