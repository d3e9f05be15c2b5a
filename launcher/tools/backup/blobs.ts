import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { BLOB_PREFIXES, BlobNotFound, type BlobStore } from '@alpenglow/domain';
import { parseBlobKey } from '@alpenglow/infra';
import pRetry from 'p-retry';
import type { BackupKey } from './backup-key.ts';
import { checkFile, readBytes, readLines, writeBytes, type FileSummary } from './files.ts';
import { BACKUP_FILES, type OpenedBackup } from './manifest.ts';

/** An entry in the index of blobs of a backup. Blobs are stored files, such as photos and videos. */
interface BlobEntry extends FileSummary {
  readonly key: string;
  /** Number of the file that contains the blob. Without it, the name of the file is the key (format 1). */
  readonly number?: number;
}

const MAX_PARALLEL = 4;
const RETRIES = { retries: 2, minTimeout: 1_000, factor: 1 } as const;

/**
 * Encrypts all blobs into the folder of a backup, and yields one line of the index for each blob. The files are named
 * by numbers, because the key of a blob shows its purpose, for example that it is evidence. Uploaded original files
 * are copied before the variants that were created from them. The product removes an original only after its variants
 * exist. This order therefore ensures that the backup contains the original or its variants.
 */
export async function* saveBlobs(
  blobs: BlobStore,
  folder: string,
  encryptionKey: BackupKey,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  let count = 0;
  for (const prefix of BLOB_PREFIXES) {
    const saved = mapInParallel(blobs.list(prefix), async ({ key }) => {
      signal?.throwIfAborted();
      const number = (count += 1);
      const facts = await save(blobs, key, path.join(folder, BACKUP_FILES.blob(number)), encryptionKey, signal);
      return facts && { key, number, ...facts };
    });
    for await (const entry of saved) if (entry) yield JSON.stringify(entry satisfies BlobEntry);
  }
}

/** Encrypts a blob into a file. Returns null if the blob was removed after it was listed. */
async function save(
  blobs: BlobStore,
  key: string,
  file: string,
  encryptionKey: BackupKey,
  signal: AbortSignal | undefined,
): Promise<FileSummary | null> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const copy = async () => {
    try {
      return await writeBytes(file, (await blobs.read(key)).bytes, encryptionKey, signal);
    } catch (error) {
      await rm(file, { force: true });
      if (error instanceof BlobNotFound) return null;
      throw error;
    }
  };
  return pRetry(copy, { ...RETRIES, ...(signal && { signal }) });
}

/** Checks the blobs that the index of a backup lists. Throws `ToolError` if a blob is missing or damaged. */
export async function checkBlobs(
  backup: OpenedBackup,
  onChecked: (count: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  let count = 0;
  const checked = mapInParallel(entriesOf(backup), async (entry) =>
    checkFile(path.join(backup.folder, fileOf(entry)), entry, signal),
  );
  for await (const _ of checked) onChecked((count += 1));
}

/** Copies the blobs of a backup into a blob store. With `isContinued`, copies only the missing blobs. */
export async function loadBlobs(
  blobs: BlobStore,
  backup: OpenedBackup,
  {
    isContinued,
    onLoaded,
    signal,
  }: { isContinued: boolean; onLoaded: (count: number) => void; signal?: AbortSignal | undefined },
): Promise<void> {
  let count = 0;
  const loaded = mapInParallel(entriesOf(backup), async (entry) => {
    signal?.throwIfAborted();
    if (isContinued && (await blobs.getInfo(entry.key))?.sizeBytes === entry.size_bytes) return;
    await blobs.put(entry.key, Readable.from(readBytes(path.join(backup.folder, fileOf(entry)), backup.key)));
  });
  for await (const _ of loaded) onLoaded((count += 1));
}

const fileOf = ({ key, number }: BlobEntry) =>
  number === undefined ? path.join('blobs', ...key.split('/')) : BACKUP_FILES.blob(number);

async function* entriesOf({ folder, files, key }: OpenedBackup): AsyncGenerator<BlobEntry> {
  for await (const line of readLines(path.join(folder, files.blobIndex), key)) {
    const entry = JSON.parse(line) as BlobEntry;
    // This call throws an error if the key is invalid, for example because it leads out of the folder.
    parseBlobKey(entry.key);
    yield entry;
  }
}

/** Runs `work` for several items in parallel, and yields each result when it is available. */
async function* mapInParallel<T, R>(items: AsyncIterable<T>, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running = new Map<number, Promise<{ readonly number: number; readonly result: R }>>();
  const next = async () => {
    const { number, result } = await Promise.race(running.values());
    running.delete(number);
    return result;
  };
  let number = 0;
  try {
    for await (const item of items) {
      const own = (number += 1);
      const working = work(item).then((result) => ({ number: own, result }));
      // `next` reports a rejection later. Until then, this handler prevents an unhandled rejection.
      working.catch(() => undefined);
      running.set(own, working);
      if (running.size >= MAX_PARALLEL) yield await next();
    }
    while (running.size > 0) yield await next();
  } finally {
    await Promise.allSettled(running.values());
  }
}
