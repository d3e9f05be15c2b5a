import type { Readable } from 'node:stream';

export interface BlobInfo {
  readonly sizeBytes: number;
  /** Time of the last write in Unix ms, by the clock of the blob store. Some stores round the time to whole seconds. */
  readonly modifiedAt_ms: number;
}

/** An opened blob. `sizeBytes` is the size of the whole blob, regardless of the requested range. */
export interface BlobReadResult extends BlobInfo {
  /**
   * The requested bytes of the blob. The stream fails if the store becomes unavailable. The caller must read the stream
   * to the end or destroy it.
   */
  readonly bytes: Readable;
}

/**
 * Stores blobs, such as photos, by key. A key is 1 to 200 characters of `[a-z0-9._/-]`, with no empty, `.` or `..`
 * segment. A blob is visible only after a complete write, so an interrupted write leaves no blob behind. Every method
 * rejects with `BlobStoreUnavailable` within a bounded time if the store does not respond.
 */
export interface BlobStore {
  /**
   * Stores a blob from a stream. Rejects and stores nothing if the stream fails or exceeds `maxBytes`
   * (`BlobTooLarge`).
   */
  put(
    key: string,
    bytes: Readable | Uint8Array,
    options?: { maxBytes?: number },
  ): Promise<{ readonly sizeBytes: number }>;
  /** Returns the size and the time of the last write. Returns null if the blob does not exist. */
  getInfo(key: string): Promise<BlobInfo | null>;
  /**
   * Opens a blob, either whole or from byte `start` to byte `end`, inclusive. `start` must be within the blob. Rejects
   * with `BlobNotFound`.
   */
  read(key: string, range?: { start: number; end: number }): Promise<BlobReadResult>;
  /** Returns the blobs whose keys begin with a prefix that ends in `/`, in no particular order. */
  list(prefix: string): AsyncIterable<BlobInfo & { readonly key: string }>;
  /**
   * Returns false if the store would be almost full after a blob of this size. Uploads of people are then rejected, so
   * that everything else can still be stored. A store without a known capacity always has space.
   */
  hasSpaceFor(sizeBytes: number): Promise<boolean>;
  /** Removes a blob, or every blob below a prefix that ends in `/`. A missing blob is not an error. */
  remove(keyOrPrefix: string): Promise<void>;
}

export class BlobNotFound extends Error {
  override readonly name = 'BlobNotFound';
}
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';
}
/** The blob store cannot be reached, is overloaded or is too slow. It is unknown whether a write was completed. */
export class BlobStoreUnavailable extends Error {
  override readonly name = 'BlobStoreUnavailable';
}
/**
 * The blob store rejects an operation because of missing permissions or a lack of capacity. The cause is not the blob
 * itself, so the operation can succeed later.
 */
export class BlobStoreDenied extends Error {
  override readonly name = 'BlobStoreDenied';
}
