import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  BlobTooLarge,
  DomainError,
  MEDIA_RULES,
  originalBlob,
  type BlobStore,
  type MediaKind,
  type MediaRules,
} from '@alpenglow/domain';
import { fileTypeFromBuffer } from 'file-type';
import type { StorageEngine } from 'multer';

/** What is known of a file once its bytes are in the blob store. */
export interface StoredFile {
  readonly mediaId: string;
  readonly sizeBytes: number;
  /** As the bytes say. */
  readonly contentType: string;
}

/** Our side failed while taking a file in; the file itself may be fine. */
export class StorageFailed extends Error {
  override readonly name = 'StorageFailed';
}

/** As many bytes as the sniffer ever looks at in a file that is a picture or a video. */
const HEAD_bytes = 4_100;

/** What the sniffer calls by another name than the domain, or takes for something of its own. */
const SAME_TYPES: Readonly<Record<string, string>> = { 'video/vnd.avi': 'video/x-msvideo', 'video/x-m4v': 'video/mp4' };

/**
 * Streams each file of a multipart request into the blob store under a media id of its own, refusing by its first bytes what is
 * not of this kind (product decisions, "Media": the server looks at the bytes).
 */
export function uploadStorage(blobs: BlobStore, kind: MediaKind): StorageEngine {
  const rules = MEDIA_RULES[kind];

  async function store(file: Readable): Promise<StoredFile> {
    const mediaId = randomUUID();
    let contentType = '';
    const checked = withHeadChecked(file, async (head) => {
      contentType = await typeOf(head, rules);
    });
    try {
      const { sizeBytes } = await blobs.put(originalBlob(mediaId), Readable.from(checked, { objectMode: false }), {
        maxBytes: rules.maxBytes,
      });
      return { mediaId, sizeBytes, contentType };
    } catch (error) {
      if (error instanceof BlobTooLarge) throw new DomainError(rules.tooLarge);
      if (error instanceof DomainError || file.errored) throw error;
      throw new StorageFailed('A file could not be stored', { cause: error });
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
      (mediaId === undefined ? Promise.resolve() : blobs.remove(originalBlob(mediaId))).then(() => done(null), done);
    },
  };
}

/** Hands bytes on once `check` has accepted the first of them; all there are, when the file is shorter than that. */
async function* withHeadChecked(
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

async function typeOf(head: Buffer, rules: MediaRules): Promise<string> {
  if (head.length === 0) throw new DomainError(rules.missing);
  const sniffed = (await fileTypeFromBuffer(head))?.mime ?? '';
  const contentType = SAME_TYPES[sniffed] ?? sniffed;
  if (!rules.contentTypes.includes(contentType)) throw new DomainError(rules.wrongType);
  return contentType;
}
