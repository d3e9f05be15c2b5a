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
import type { S3Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { chunksOf, folderOf, segmentsOf } from '../blob-input.ts';
import { abortAbandonedUploads, ensureBucket } from './bucket.ts';
import { createS3Client, inTime, uploadingInTime } from './client.ts';
import { failureOf, isMissingObject } from './errors.ts';

/** What an upload holds in memory: the part that is sent, and the next one growing. The smallest S3 takes. */
const PART_bytes = 5 * 1024 * 1024;
const PARTS_AT_ONCE = 1;
/** Connections for reading are held as long as the reader takes, so they are apart: slow readers never hold up anything else. */
const MAX_READING = 256;
const MAX_OTHERS = 50;

export interface S3BlobStore extends BlobStore {
  /**
   * Makes sure of the bucket, and makes it where it is missing. Rejects with `BlobStoreUnavailable` while the store cannot be reached and
   * with `ConfigurationError` when it refuses us.
   */
  check(): Promise<void>;
}

/** The store of `createS3BlobStore`, once it has been reached. Rejects as its `check` does. */
export async function openS3BlobStore(config: S3Config, options: { log: Logger }): Promise<BlobStore> {
  const store = createS3BlobStore(config, options);
  await store.check();
  return store;
}

/** Blobs as objects of an S3 bucket, by their own keys, whether or not the store is there now. */
export function createS3BlobStore(config: S3Config, { log }: { log: Logger }): S3BlobStore {
  const { bucket: Bucket } = config;
  const client = createS3Client(config, { maxSockets: MAX_OTHERS, log });
  const readClient = createS3Client(config, { maxSockets: MAX_READING, log });
  const uploadClient = uploadingInTime(client);

  async function* pagesBelow(prefix: string): AsyncGenerator<readonly Listed[]> {
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: token });
      const page = await inTime((options) => client.send(command, options));
      yield (page.Contents ?? []).map((found) => ({ key: found.Key ?? '', ...infoOf(found.Size, found.LastModified) }));
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async function removeAll(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const command = new DeleteObjectsCommand({
      Bucket,
      Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) },
    });
    const { Errors: [refused] = [] } = await inTime((options) => client.send(command, options));
    if (refused)
      throw Object.assign(new Error(`S3 did not remove everything: ${refused.Code ?? ''}`), { name: refused.Code });
  }

  return {
    async check() {
      await ensureBucket(client, Bucket);
      // Nobody waits for this. Not every store can list uploads, and not every key may: then it is left to the bucket's lifecycle rule.
      abortAbandonedUploads(client, Bucket, Date.now()).catch((err: unknown) =>
        log.info({ err: failureOf(err) }, 'abandoned uploads were not looked for'),
      );
    },

    async put(key, bytes, { maxBytes } = {}) {
      segmentsOf(key);
      const source = watched(chunksOf(bytes, maxBytes));
      const params = { Bucket, Key: key, Body: Readable.from(source.chunks, { objectMode: false }) };
      try {
        await new Upload({ client: uploadClient, partSize: PART_bytes, queueSize: PARTS_AT_ONCE, params }).done();
        return { sizeBytes: source.size_bytes() };
      } catch (error) {
        // What the source threw goes on as it is, even where giving up the upload has failed after it.
        throw source.fault() ?? failureOf(error);
      }
    },

    info: (key) =>
      told(async () => {
        segmentsOf(key);
        const command = new HeadObjectCommand({ Bucket, Key: key });
        const found = await inTime((options) => client.send(command, options)).catch(nullWhenMissing);
        return found && infoOf(found.ContentLength, found.LastModified);
      }),

    read: (key, range) =>
      told(async () => {
        segmentsOf(key);
        const command = new GetObjectCommand({
          Bucket,
          Key: key,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        });
        const found = await inTime((options) => readClient.send(command, options)).catch(nullWhenMissing);
        if (!found) throw new BlobNotFound(key);
        const size_bytes =
          found.ContentRange === undefined ? found.ContentLength : Number(found.ContentRange.split('/')[1]);
        return { ...infoOf(size_bytes, found.LastModified), bytes: found.Body as Readable };
      }),

    async *list(prefix) {
      folderOf(prefix);
      const pages = pagesBelow(prefix);
      for (;;) {
        const step = await told(() => pages.next());
        if (step.done === true) return;
        // Some tools mark folders with an empty object.
        yield* step.value.filter(({ key }) => !key.endsWith('/'));
      }
    },

    remove: (keyOrPrefix) =>
      told(async () => {
        if (keyOrPrefix.endsWith('/')) {
          folderOf(keyOrPrefix);
          for await (const page of pagesBelow(keyOrPrefix)) await removeAll(page.map(({ key }) => key));
        } else {
          segmentsOf(keyOrPrefix);
          const command = new DeleteObjectCommand({ Bucket, Key: keyOrPrefix });
          await inTime((options) => client.send(command, options));
        }
      }),
  };
}

type Listed = BlobInfo & { readonly key: string };

/** Does what S3 is asked for; a failure is told as the port has it. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
}

function nullWhenMissing(error: unknown): null {
  if (isMissingObject(error)) return null;
  throw error;
}

function infoOf(size_bytes: number | undefined, modified: Date | undefined): BlobInfo {
  if (size_bytes === undefined || modified === undefined) throw new Error('S3 told neither size nor time of an object');
  return { sizeBytes: size_bytes, modifiedAt_ms: modified.getTime() };
}

/** Hands chunks on, and tells afterwards how much it was and what fault of the source ended it. */
function watched(chunks: AsyncIterable<Uint8Array>) {
  let size_bytes = 0;
  let fault: unknown;
  async function* watching() {
    let isHandedOn = false;
    try {
      for await (const chunk of chunks) {
        size_bytes += chunk.byteLength;
        isHandedOn = true;
        yield chunk;
        isHandedOn = false;
      }
    } catch (error) {
      // Thrown in from outside, it says only that nobody wants more.
      if (!isHandedOn) fault = error;
      throw error;
    }
  }
  return { chunks: watching(), size_bytes: () => size_bytes, fault: () => fault };
}
