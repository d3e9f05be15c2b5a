import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobTooLarge, DomainError, PHOTO_CONTENT_TYPES, MAX_FILE_bytes, photoBlobs, type BlobStore } from '@alpenglow/domain';
import { fileTypeFromBuffer } from 'file-type';
import type { StorageEngine } from 'multer';

/** What is known of a photo once its bytes are in the blob store. */
export interface StoredPhoto {
  readonly mediaId: string;
  readonly sizeBytes: number;
  /** As the bytes say. */
  readonly contentType: string;
}

/** Our side failed while taking a file in; the file itself may be fine. */
export class StorageFailed extends Error {
  override readonly name = 'StorageFailed';
}

/** As many bytes as the sniffer ever looks at in a file that is a picture. */
const HEAD_bytes = 4_100;

/**
 * Streams each file of a multipart request into the blob store under a media id of its own, refusing what is no picture
 * by its first bytes (product decisions, "Media": the server looks at the bytes).
 */
export function photoStorage(blobs: BlobStore): StorageEngine {
  async function store(file: Readable): Promise<StoredPhoto> {
    const mediaId = randomUUID();
    let contentType = '';
    const checked = withHeadChecked(file, async (head) => {
      contentType = await photoTypeOf(head);
    });
    try {
      const { sizeBytes } = await blobs.put(photoBlobs.original(mediaId), Readable.from(checked, { objectMode: false }), { maxBytes: MAX_FILE_bytes });
      return { mediaId, sizeBytes, contentType };
    } catch (error) {
      if (error instanceof BlobTooLarge) throw new DomainError('IMAGE_TOO_LARGE');
      if (error instanceof DomainError || file.errored) throw error;
      throw new StorageFailed('A photo could not be stored', { cause: error });
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
      const { mediaId } = file as unknown as Partial<StoredPhoto>;
      (mediaId === undefined ? Promise.resolve() : blobs.remove(photoBlobs.original(mediaId))).then(() => done(null), done);
    },
  };
}

/** Hands bytes on once `check` has accepted the first of them; all there are, when the file is shorter than that. */
async function* withHeadChecked(bytes: AsyncIterable<Buffer>, check: (head: Buffer) => Promise<void>): AsyncGenerator<Buffer> {
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

async function photoTypeOf(head: Buffer): Promise<string> {
  if (head.length === 0) throw new DomainError('NO_PHOTO');
  const found = await fileTypeFromBuffer(head);
  if (!found || !(PHOTO_CONTENT_TYPES as readonly string[]).includes(found.mime)) throw new DomainError('NOT_AN_IMAGE');
  return found.mime;
}
