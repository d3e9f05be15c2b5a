import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  BlobNotFound,
  DomainError,
  evidenceBlobKey,
  publicBlobKeys,
  type BlobReadResult,
  type BlobStore,
  type MediaKind,
} from '@alpenglow/domain';
import { createSlots, type Slot, type Slots } from '../service/polling-and-slots.ts';
import type { DataKeys } from './personal-data.ts';
import { createSealedBlobs, EVIDENCE_KEY_ID } from './sealed-blobs.ts';

interface MediaEvidenceDependencies {
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
}

/** A photo or video whose files are stored. */
export interface StoredMedia {
  readonly mediaId: string;
  readonly kind: MediaKind;
}

/**
 * The maximum number of decrypted files that a process holds in memory for staff. A video has up to 100 MB. Decrypting
 * needs twice the memory for a moment, so one file is decrypted at a time.
 */
const MAX_OPEN = 2;
const MAX_WAITING = 20;
const WAIT_ms = 10_000;
const RETRY_AFTER_s = 2;

/**
 * Moves the files of a photo or video between the folders from which they are served and the encrypted folder
 * `evidence/`. Every file of a photo is sealed and not only the largest one, so that an appeal restores
 * exactly what was there, without decoding a picture again. A file is removed only after its copy in the other folder
 * is complete, so an interrupted move loses nothing, and the next call completes it. Two moves of the same photo or
 * video must not run at the same time.
 */
export function createMediaEvidence({ blobs, dataKeys }: MediaEvidenceDependencies) {
  const sealed = createSealedBlobs({ blobs, dataKeys });
  return {
    /** Encrypts all files, and removes the readable ones. Does nothing for files that are already sealed. */
    async seal({ mediaId, kind }: StoredMedia, signal: AbortSignal): Promise<void> {
      const source = publicBlobKeys[kind](mediaId);
      for (const key of await listKeys(blobs, source)) {
        signal.throwIfAborted();
        await sealed.put(evidenceBlobKey(key), EVIDENCE_KEY_ID, await buffer((await blobs.read(key)).bytes));
      }
      signal.throwIfAborted();
      await blobs.remove(source);
    },
    /**
     * Decrypts all sealed files into the folder from which they are served. Does nothing if none is sealed. Throws if
     * the key that opens a sealed file was lost.
     */
    async unseal({ mediaId, kind }: StoredMedia, signal: AbortSignal): Promise<void> {
      const source = evidenceBlobKey(publicBlobKeys[kind](mediaId));
      for (const key of await listKeys(blobs, source)) {
        signal.throwIfAborted();
        const bytes = await sealed.get(key);
        if (bytes === null) throw new Error(`The evidence ${key} cannot be decrypted`);
        await blobs.put(key.slice(evidenceBlobKey('').length), bytes);
      }
      signal.throwIfAborted();
      await blobs.remove(source);
    },
    /** Removes the sealed files. */
    remove: ({ mediaId, kind }: StoredMedia): Promise<void> =>
      blobs.remove(evidenceBlobKey(publicBlobKeys[kind](mediaId))),
    /** Yields each photo and video that has sealed files. */
    async *list(): AsyncGenerator<string> {
      let last: string | null = null;
      for await (const { key } of blobs.list(evidenceBlobKey(''))) {
        const mediaId = key.split('/')[2];
        if (mediaId === undefined || mediaId === last) continue;
        last = mediaId;
        yield mediaId;
      }
    },
  };
}

/**
 * Creates a reader that returns a file from the folder from which it is served, or decrypts it if it is sealed. Only
 * staff with a logged access may receive the result. Throws UNAVAILABLE if too many files are being decrypted.
 */
export function createEvidenceReader({
  blobs,
  dataKeys,
}: MediaEvidenceDependencies): Pick<BlobStore, 'getInfo' | 'read'> {
  const sealed = createSealedBlobs({ blobs, dataKeys });
  const openFiles = createSlots({ max: MAX_OPEN, maxWaiting: MAX_WAITING, wait_ms: WAIT_ms });
  const decryptions = createSlots({ max: 1, maxWaiting: MAX_WAITING, wait_ms: WAIT_ms });

  /** Returns a slot. Throws UNAVAILABLE if no slot becomes free in time. */
  async function take(slots: Slots): Promise<Slot> {
    const slot = await slots.take();
    if (!slot) throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
    return slot;
  }

  async function decryptBlob(key: string): Promise<Buffer | null> {
    const slot = await take(decryptions);
    return sealed.get(key).finally(() => slot.release());
  }

  /** Returns null if the file is not sealed. The returned stream holds the file in memory until it is closed. */
  async function open(key: string, range?: { readonly start: number; readonly end: number }) {
    const info = await blobs.getInfo(evidenceBlobKey(key));
    if (info === null) return null;
    const slot = await take(openFiles);
    try {
      const bytes = await decryptBlob(evidenceBlobKey(key));
      if (bytes === null) {
        slot.release();
        return null;
      }
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      const stream = Readable.from([part], { objectMode: false });
      stream.once('close', () => slot.release());
      return { bytes: stream, sizeBytes: bytes.length, modifiedAt_ms: info.modifiedAt_ms };
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  return {
    getInfo: async (key) => (await blobs.getInfo(key)) ?? sealed.getInfo(evidenceBlobKey(key)),
    async read(key, range): Promise<BlobReadResult> {
      try {
        return await blobs.read(key, range);
      } catch (error) {
        const found = error instanceof BlobNotFound ? await open(key, range) : null;
        if (!found) throw error;
        return found;
      }
    },
  };
}

/** Returns the keys of all files below a prefix that ends in `/`, or the key itself if the file exists. */
async function listKeys(blobs: BlobStore, keyOrPrefix: string): Promise<readonly string[]> {
  if (!keyOrPrefix.endsWith('/')) return (await blobs.getInfo(keyOrPrefix)) ? [keyOrPrefix] : [];
  const keys: string[] = [];
  for await (const { key } of blobs.list(keyOrPrefix)) keys.push(key);
  return keys;
}
