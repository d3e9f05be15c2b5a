import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  BlobTooLarge,
  DomainError,
  MEDIA_RULES,
  originalBlobKey,
  type BlobStore,
  type MediaKind,
  type MediaRules,
} from '@alpenglow/domain';
import { fileTypeFromBuffer } from 'file-type';
import type { StorageEngine } from 'multer';

/** An uploaded file whose bytes are in the blob store. */
export interface StoredFile {
  readonly mediaId: string;
  readonly sizeBytes: number;
  /** The content type, detected from the bytes of the file. */
  readonly contentType: string;
}

/** A failure of the blob store during an upload. The uploaded file itself may be valid. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** Number of bytes at the start of an uploaded file from which the type of the file is detected. */
const HEAD_bytes = 4_100;

/** Content types as the type detection returns them, each with the name that we use for the same type. */
const SAME_TYPES: Readonly<Record<string, string>> = {
  'video/vnd.avi': 'video/x-msvideo',
  'video/x-m4v': 'video/mp4',
  // Phones write MP4 files with the brands of 3GP, such as `3gp4`.
  'video/3gpp': 'video/mp4',
  'video/3gpp2': 'video/mp4',
};

/**
 * Creates a storage that streams each file of a multipart request into the blob store under a new media id. Rejects a
 * file whose first bytes show a wrong type.
 */
export function createUploadStorage(blobs: BlobStore, kind: MediaKind): StorageEngine {
  async function store(file: Readable): Promise<StoredFile> {
    try {
      // A rejected file must not be destroyed, because the parser would then report an interrupted request.
      return await storeOriginal(blobs, kind, randomUUID(), file.iterator({ destroyOnReturn: false }));
    } catch (error) {
      if (error instanceof DomainError || file.errored) throw error;
      throw new StorageError('A file could not be stored', { cause: error });
    }
  }
  return {
    _handleFile(_req, file, done) {
      store(file.stream).then(
        (stored) => done(null, stored as object),
        (error: unknown) => done(error),
      );
    },
    _removeFile(_req, file, done) {
      const { mediaId } = file as unknown as Partial<StoredFile>;
      (mediaId === undefined ? Promise.resolve() : blobs.remove(originalBlobKey(mediaId))).then(() => done(null), done);
    },
  };
}

/**
 * Stores the original file of a photo or video in the blob store, after its first bytes have shown an accepted type
 * . Throws a `DomainError` if the type is wrong, or if the file is empty or too large.
 */
export async function storeOriginal(
  blobs: BlobStore,
  kind: MediaKind,
  mediaId: string,
  bytes: AsyncIterable<Buffer>,
): Promise<StoredFile> {
  const rules = MEDIA_RULES[kind];
  let contentType = '';
  const checked = streamAfterCheck(bytes, async (head) => {
    contentType = await detectType(head, rules);
  });
  try {
    const { sizeBytes } = await blobs.put(originalBlobKey(mediaId), Readable.from(checked, { objectMode: false }), {
      maxBytes: rules.maxBytes,
    });
    return { mediaId, sizeBytes, contentType };
  } catch (error) {
    throw error instanceof BlobTooLarge ? new DomainError(rules.tooLargeCode) : error;
  }
}

/**
 * Yields the bytes of a file after `check` has accepted the first `HEAD_bytes` of the file. A shorter file is checked
 * as a whole.
 */
async function* streamAfterCheck(
  bytes: AsyncIterable<Buffer>,
  check: (head: Buffer) => Promise<void>,
): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < HEAD_bytes) continue;
    await check(head);
    yield head;
    head = null;
  }
  if (head === null) return;
  await check(head);
  yield head;
}

/**
 * Detects the content type of a file from its first bytes. Throws the error codes in `rules` for an empty file, for a
 * type that is not accepted, and for a damaged beginning. Broken memory cards and unfinished copies leave zeros there.
 */
export async function detectType(head: Buffer, rules: MediaRules): Promise<string> {
  if (head.length === 0) throw new DomainError(rules.missingCode);
  const detectedType = (await fileTypeFromBuffer(head))?.mime ?? '';
  if (detectedType === '' && head.includes(0)) throw new DomainError(rules.damagedCode);
  const contentType = SAME_TYPES[detectedType] ?? detectedType;
  if (!rules.contentTypes.includes(contentType)) throw new DomainError(rules.wrongTypeCode);
  return contentType;
}
