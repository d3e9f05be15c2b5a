import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BlobInfo, BlobReadResult } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import type { BlobReader } from './send-blob.ts';

/** The memory for blobs of a process. A page with 24 pictures has about 2 MB. */
const MAX_bytes = 32 * 1024 * 1024;
/** Larger blobs are never in memory. */
const MAX_BLOB_bytes = 512 * 1024;
/** The time after which a blob is read again. A blob that was removed from the store leaves the memory after it. */
const MAX_AGE_ms = 30_000;
/**
 * The memory for blobs that are being loaded or sent. Slow clients could otherwise hold any number of them. Further
 * requests read directly from the store.
 */
const MAX_IN_USE_bytes = 64 * 1024 * 1024;

interface RecentBlob extends BlobInfo {
  readonly content: Buffer;
}

interface RecentBlobsLimits {
  readonly max_bytes?: number;
  readonly maxBlob_bytes?: number;
  readonly maxAge_ms?: number;
  readonly maxInUse_bytes?: number;
}

/**
 * Wraps a blob store, so that small blobs that were read in the last 30 s are sent from memory. The bytes of a key must
 * not change. All requests for a blob share one buffer, also while it is being loaded. The caller decides whether a
 * request may have the blob, before each read. A blob that was removed from the store remains readable for up to 30 s,
 * so the caller must decide without the store. Rejects if the store returns another number of bytes than it states.
 */
export function withRecentBlobs(
  blobs: BlobReader,
  {
    max_bytes = MAX_bytes,
    maxBlob_bytes = MAX_BLOB_bytes,
    maxAge_ms = MAX_AGE_ms,
    maxInUse_bytes = MAX_IN_USE_bytes,
  }: RecentBlobsLimits = {},
): BlobReader {
  const recent = new LRUCache<string, RecentBlob>({
    maxSize: max_bytes,
    ttl: maxAge_ms,
    // Without this, an old blob without further requests would stay in memory.
    ttlAutopurge: true,
    sizeCalculation: ({ content }) => Math.max(1, content.length),
  });
  const loading = new Map<string, Promise<RecentBlob | BlobReadResult>>();
  let inUse_bytes = 0;

  /** Returns a stream of a part of a blob. The blob is in use until the stream is closed. */
  function toStream(
    blob: RecentBlob,
    { start, end }: { readonly start: number; readonly end: number },
  ): BlobReadResult {
    inUse_bytes += blob.content.length;
    const bytes = Readable.from([blob.content.subarray(start, end + 1)], { objectMode: false });
    bytes.once('close', () => (inUse_bytes -= blob.content.length));
    return { sizeBytes: blob.sizeBytes, modifiedAt_ms: blob.modifiedAt_ms, bytes };
  }

  /** Reads a whole blob. A large one is not loaded, and its open stream is returned. */
  async function load(key: string): Promise<RecentBlob | BlobReadResult> {
    const opened = await blobs.read(key);
    const { sizeBytes, modifiedAt_ms, bytes } = opened;
    if (sizeBytes > maxBlob_bytes || inUse_bytes + sizeBytes > maxInUse_bytes) return opened;
    inUse_bytes += sizeBytes;
    try {
      const content = await buffer(bytes);
      if (content.length !== sizeBytes)
        throw new Error(`The blob ${key} has ${content.length} bytes instead of ${sizeBytes}`);
      const blob: RecentBlob = { sizeBytes, modifiedAt_ms, content };
      recent.set(key, blob);
      return blob;
    } finally {
      inUse_bytes -= sizeBytes;
    }
  }

  return {
    async getInfo(key) {
      return recent.get(key) ?? blobs.getInfo(key);
    },
    async read(key, range) {
      const hasRoom = inUse_bytes < maxInUse_bytes;
      const found = hasRoom ? recent.get(key) : undefined;
      if (found) return toStream(found, range ?? { start: 0, end: found.sizeBytes - 1 });
      if (range || !hasRoom) return blobs.read(key, range);
      const running = loading.get(key);
      if (running) {
        const shared = await running;
        // The stream of a large blob belongs to the request that has opened it.
        return 'content' in shared ? toStream(shared, { start: 0, end: shared.sizeBytes - 1 }) : blobs.read(key);
      }
      const begun = load(key).finally(() => loading.delete(key));
      loading.set(key, begun);
      const loaded = await begun;
      return 'content' in loaded ? toStream(loaded, { start: 0, end: loaded.sizeBytes - 1 }) : loaded;
    },
  };
}
