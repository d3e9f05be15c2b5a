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
 * The size of the parts in which a file is uploaded to S3. It is the minimum that S3 allows, because two parts are in
 * memory at a time: one is being sent while the next one is read.
 */
const PART_bytes = 5 * 1024 * 1024;
const MAX_PARALLEL_PARTS = 1;
/**
 * The maximum number of concurrent reads. A read occupies a connection as long as its reader takes. Reads have a
 * separate limit, so that slow readers never block other requests.
 */
const MAX_READ_CONNECTIONS = 256;
const MAX_OTHER_CONNECTIONS = 50;

export interface S3BlobStore extends BlobStore {
  /**
   * Checks that the bucket exists, and creates it if it is missing. Rejects with `BlobStoreUnavailable` while S3 cannot
   * be reached. Rejects with `ConfigurationError` if S3 rejects the request.
   */
  check(): Promise<void>;
}

/** Opens a store of blobs in an S3 bucket, and checks the bucket. Rejects with the errors of `S3BlobStore.check`. */
export async function openS3BlobStore(config: S3Config, options: { log: Logger }): Promise<BlobStore> {
  const store = createS3BlobStore(config, options);
  await store.check();
  return store;
}

/**
 * Creates a store of blobs in an S3 bucket. The key of a blob is also the key of its S3 object. S3 may be unreachable
 * at this time.
 */
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
      // Abandoned uploads are removed in the background. If S3 does not support or permit listing uploads, the error is
      // only logged, because the lifecycle rule of the bucket removes abandoned uploads, too.
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
        // An error of the source of the bytes is thrown unchanged, even if aborting the upload has also failed.
        throw source.sourceError() ?? toBlobStoreError(error);
      }
    },

    // The capacity of a bucket is unknown.
    hasSpaceFor: () => Promise.resolve(true),

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
        // Some tools create an empty object for each folder. These objects are skipped, because they are not blobs.
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

/** Runs `work` and converts its errors to the errors of our `BlobStore` interface. */
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
      // An error during `yield` comes from the reader of the chunks, so it is not an error of their source.
      if (!isYielding) sourceError = error;
      throw error;
    }
  }
  return { chunks: observe(), size_bytes: () => size_bytes, sourceError: () => sourceError };
}
