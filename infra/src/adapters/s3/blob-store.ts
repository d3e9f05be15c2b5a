import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BlobNotFound, type BlobInfo, type BlobStore } from '@alpenglow/domain';
import type { S3Config } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';
import { readChunks, parseBlobPrefix, parseBlobKey } from '../blob-input.ts';
import { abortAbandonedUploads, ensureBucket } from './bucket.ts';
import { createS3Client, withTimeLimit, withUploadTimeLimits } from './client.ts';
import { toBlobStoreError, isMissingObject } from './errors.ts';

/**
 * The size of a part of an upload, which is the minimum of S3. Two parts are in memory at a time, because the next part
 * is read while one is sent.
 */
const PART_bytes = 5 * 1024 * 1024;
const MAX_PARALLEL_PARTS = 1;
/**
 * Maximum number of concurrent reads. A read occupies a connection as long as its reader takes. The separate
 * limit ensures that slow readers never block other requests.
 */
const MAX_READ_CONNECTIONS = 256;
const MAX_OTHER_CONNECTIONS = 50;

export interface S3BlobStore extends BlobStore {
  /**
   * Checks the bucket, and creates it if it is missing. Rejects with `BlobStoreUnavailable` while the store cannot be
   * reached. Rejects with `ConfigurationError` if the store rejects the request.
   */
  check(): Promise<void>;
}

/** Opens a store of blobs in an S3 bucket, and checks the bucket. Rejects like `S3BlobStore.check`. */
export async function openS3BlobStore(config: S3Config, options: { log: Logger }): Promise<BlobStore> {
  const store = createS3BlobStore(config, options);
  await store.check();
  return store;
}

/** Creates a store of blobs as objects of an S3 bucket, under their own keys. S3 may be unreachable at this time. */
export function createS3BlobStore(config: S3Config, { log }: { log: Logger }): S3BlobStore {
  const { bucket: Bucket } = config;
  const client = createS3Client(config, { maxSockets: MAX_OTHER_CONNECTIONS, log });
  const readClient = createS3Client(config, { maxSockets: MAX_READ_CONNECTIONS, log });
  const uploadClient = withUploadTimeLimits(client);

  async function* pagesBelow(prefix: string): AsyncGenerator<readonly Listed[]> {
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: token });
      const page = await withTimeLimit((options) => client.send(command, options));
      yield (page.Contents ?? []).map((object) => ({
        key: object.Key ?? '',
        ...infoOf(object.Size, object.LastModified),
      }));
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async function removeAll(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const command = new DeleteObjectsCommand({
      Bucket,
      Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) },
    });
    const { Errors: [failed] = [] } = await withTimeLimit((options) => client.send(command, options));
    if (failed)
      throw Object.assign(new Error(`S3 did not remove everything: ${failed.Code ?? ''}`), { name: failed.Code });
  }

  return {
    async check() {
      await ensureBucket(client, Bucket);
      // Abandoned uploads are removed in the background. If listing uploads is not supported or not permitted, the
      // error is only logged. The bucket's lifecycle rule then removes abandoned uploads.
      abortAbandonedUploads(client, Bucket, Date.now()).catch((err: unknown) =>
        log.info({ err: toBlobStoreError(err) }, 'abandoned uploads could not be listed'),
      );
    },

    async put(key, bytes, { maxBytes } = {}) {
      parseBlobKey(key);
      const source = observeChunks(readChunks(bytes, maxBytes));
      const params = { Bucket, Key: key, Body: Readable.from(source.chunks, { objectMode: false }) };
      try {
        await new Upload({ client: uploadClient, partSize: PART_bytes, queueSize: MAX_PARALLEL_PARTS, params }).done();
        return { sizeBytes: source.size_bytes() };
      } catch (error) {
        // An error of the source is thrown unchanged, even if aborting the upload has also failed.
        throw source.sourceError() ?? toBlobStoreError(error);
      }
    },

    getInfo: (key) =>
      withPortErrors(async () => {
        parseBlobKey(key);
        const command = new HeadObjectCommand({ Bucket, Key: key });
        const found = await withTimeLimit((options) => client.send(command, options)).catch(nullWhenMissing);
        return found && infoOf(found.ContentLength, found.LastModified);
      }),

    read: (key, range) =>
      withPortErrors(async () => {
        parseBlobKey(key);
        const command = new GetObjectCommand({
          Bucket,
          Key: key,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        });
        const found = await withTimeLimit((options) => readClient.send(command, options)).catch(nullWhenMissing);
        if (!found) throw new BlobNotFound(key);
        const size_bytes =
          found.ContentRange === undefined ? found.ContentLength : Number(found.ContentRange.split('/')[1]);
        return { ...infoOf(size_bytes, found.LastModified), bytes: found.Body as Readable };
      }),

    async *list(prefix) {
      parseBlobPrefix(prefix);
      const pages = pagesBelow(prefix);
      for (;;) {
        const step = await withPortErrors(() => pages.next());
        if (step.done === true) return;
        // Some tools mark a folder with an empty object, which is skipped because it is not a blob.
        yield* step.value.filter(({ key }) => !key.endsWith('/'));
      }
    },

    remove: (keyOrPrefix) =>
      withPortErrors(async () => {
        if (keyOrPrefix.endsWith('/')) {
          parseBlobPrefix(keyOrPrefix);
          for await (const page of pagesBelow(keyOrPrefix)) await removeAll(page.map(({ key }) => key));
        } else {
          parseBlobKey(keyOrPrefix);
          const command = new DeleteObjectCommand({ Bucket, Key: keyOrPrefix });
          await withTimeLimit((options) => client.send(command, options));
        }
      }),
  };
}

type Listed = BlobInfo & { readonly key: string };

/** Runs `work` and converts its errors to errors of the blob store port. */
async function withPortErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toBlobStoreError(error);
  }
}

function nullWhenMissing(error: unknown): null {
  if (isMissingObject(error)) return null;
  throw error;
}

function infoOf(size_bytes: number | undefined, modified: Date | undefined): BlobInfo {
  if (size_bytes === undefined || modified === undefined)
    throw new Error('S3 returned no size or no time of an object');
  return { sizeBytes: size_bytes, modifiedAt_ms: modified.getTime() };
}

/** Yields the chunks unchanged, and records their total size and the error with which their source ended. */
function observeChunks(chunks: AsyncIterable<Uint8Array>) {
  let size_bytes = 0;
  let sourceError: unknown;
  async function* observe() {
    let isYielding = false;
    try {
      for await (const chunk of chunks) {
        size_bytes += chunk.byteLength;
        isYielding = true;
        yield chunk;
        isYielding = false;
      }
    } catch (error) {
      // An error during `yield` comes from the reader, so it is not an error of the source.
      if (!isYielding) sourceError = error;
      throw error;
    }
  }
  return { chunks: observe(), size_bytes: () => size_bytes, sourceError: () => sourceError };
}
