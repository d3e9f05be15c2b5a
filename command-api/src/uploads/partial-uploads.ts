import type { Readable } from 'node:stream';
import {
  BlobNotFound,
  MAX_PARTIAL_UPLOADS,
  partialUploadKeys,
  type BlobStore,
  type MediaKind,
} from '@alpenglow/domain';

export interface UploadInfo {
  readonly uploadId: string;
  readonly kind: MediaKind;
  readonly sizeBytes: number;
  readonly createdAt_ms: number;
  /** The keys of the quotas to which the upload was added. Absent in uploads of earlier releases. */
  readonly quotaKeys?: readonly string[] | undefined;
}

/** An upload whose bytes have not arrived completely. */
export interface PartialUpload extends UploadInfo {
  /** Number of bytes that are stored. */
  readonly offset: number;
}

export type PartialUploads = ReturnType<typeof createPartialUploads>;

/**
 * The size of a block. When the connection is lost, at most the bytes of one block are sent again. S3 needs a request
 * for each block.
 */
const BLOCK_bytes = 256 * 1024;
/** Maximum number of blocks of an upload. The largest file has 400 full blocks. A request may add a smaller one. */
const MAX_BLOCKS = 1_000;

/** The upload has too many small blocks. */
export class TooManyBlocks extends Error {
  override readonly name = 'TooManyBlocks';
}

/**
 * Creates the store of the incomplete uploads of one account. Any number of processes may share it, without locks: the
 * key of a block is its offset in the file, a block is stored completely or not at all, and the number of stored bytes
 * is computed from the blocks. Two requests that send the same bytes therefore store the same blocks.
 */
export function createPartialUploads(blobs: BlobStore, accountId: string) {
  async function removeUpload(uploadId: string): Promise<void> {
    // The information is removed first. Without it, `find` returns null, even if blocks remain after a crash.
    await blobs.remove(partialUploadKeys.info(accountId, uploadId));
    await blobs.remove(partialUploadKeys.blocks(accountId, uploadId));
  }

  /** Returns the sizes of the blocks by their offsets. */
  async function listBlocks(uploadId: string): Promise<ReadonlyMap<number, number>> {
    const prefix = partialUploadKeys.blocks(accountId, uploadId);
    const sizes = new Map<number, number>();
    for await (const { key, sizeBytes } of blobs.list(prefix)) sizes.set(Number(key.slice(prefix.length)), sizeBytes);
    return sizes;
  }

  async function removeOldestUploads(): Promise<void> {
    const prefix = partialUploadKeys.infos(accountId);
    const uploads: { readonly uploadId: string; readonly modifiedAt_ms: number }[] = [];
    for await (const { key, modifiedAt_ms } of blobs.list(prefix))
      uploads.push({ uploadId: key.slice(prefix.length), modifiedAt_ms });
    const newestFirst = uploads.toSorted((one, other) => other.modifiedAt_ms - one.modifiedAt_ms);
    for (const { uploadId } of newestFirst.slice(MAX_PARTIAL_UPLOADS - 1)) await removeUpload(uploadId);
  }

  /** Returns an upload without its offset. Returns null if the account has no such upload. */
  async function findInfo(uploadId: string): Promise<UploadInfo | null> {
    let info: Buffer;
    try {
      const { bytes } = await blobs.read(partialUploadKeys.info(accountId, uploadId));
      info = Buffer.concat(await bytes.toArray());
    } catch (error) {
      if (error instanceof BlobNotFound) return null;
      throw error;
    }
    return { uploadId, ...(JSON.parse(info.toString()) as Omit<UploadInfo, 'uploadId'>) };
  }

  return {
    /** Begins an upload. Removes the oldest uploads of the account if it has too many. */
    async create(upload: UploadInfo): Promise<void> {
      await removeOldestUploads();
      const { uploadId, ...fields } = upload;
      const info = JSON.stringify(fields);
      await blobs.put(partialUploadKeys.info(accountId, uploadId), Buffer.from(info));
    },

    findInfo,

    /** Returns an upload with its current offset. Returns null if the account has no such upload. */
    async find(uploadId: string): Promise<PartialUpload | null> {
      const info = await findInfo(uploadId);
      if (!info) return null;
      const blocks = await listBlocks(uploadId);
      let offset = 0;
      for (let size = blocks.get(0); size !== undefined && size > 0; size = blocks.get(offset)) offset += size;
      return { ...info, offset };
    },

    /**
     * Stores bytes of an upload from `offset` on. Returns the new offset. If `bytes` fails, its complete blocks remain
     * stored.
     */
    async append(uploadId: string, offset: number, bytes: Readable): Promise<number> {
      let blockCount = (await listBlocks(uploadId)).size;
      let stored = offset;
      let parts: Buffer[] = [];
      let length = 0;
      const store = async () => {
        if ((blockCount += 1) > MAX_BLOCKS) throw new TooManyBlocks();
        await blobs.put(partialUploadKeys.block(accountId, uploadId, stored), Buffer.concat(parts, length));
        stored += length;
        parts = [];
        length = 0;
      };
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length; ) {
          const part = chunk.subarray(at, at + BLOCK_bytes - length);
          parts.push(part);
          length += part.length;
          at += part.length;
          if (length === BLOCK_bytes) await store();
        }
      }
      if (length > 0) await store();
      return stored;
    },

    /** Yields the bytes of a complete upload. Throws `BlobNotFound` if another process removes the upload. */
    async *read({ uploadId, sizeBytes }: PartialUpload): AsyncGenerator<Buffer> {
      for (let offset = 0; offset < sizeBytes; ) {
        const block = await blobs.read(partialUploadKeys.block(accountId, uploadId, offset));
        for await (const chunk of block.bytes as AsyncIterable<Buffer>) {
          offset += chunk.length;
          yield chunk;
        }
      }
    },

    remove: removeUpload,
  };
}
