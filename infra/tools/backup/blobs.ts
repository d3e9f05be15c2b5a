import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BLOB_FOLDERS, BlobNotFound, type BlobStore } from '@alpenglow/domain';
import { segmentsOf } from '../../src/adapters/blob-input.ts';
import { checkFile, readLines, writeBytes, type FileFacts } from './files.ts';
import { FILES } from './manifest.ts';

/** A blob as the index of a backup lists it. */
interface BlobEntry extends FileFacts {
  readonly key: string;
}

const AT_ONCE = 4;
const ATTEMPTS = 3;
const RETRY_ms = 1_000;

/**
 * Copies every blob into a backup's folder. Yields the line of the index for each. Originals come first: one goes once its variants are
 * made, so whichever moment a photo is in, one of the two is found. The other way round both could be missed.
 */
export async function* saveBlobs(blobs: BlobStore, folder: string, signal?: AbortSignal): AsyncGenerator<string> {
  for (const prefix of BLOB_FOLDERS) {
    const saved = mapSideBySide(blobs.list(prefix), async ({ key }) => {
      signal?.throwIfAborted();
      const facts = await save(blobs, key, path.join(folder, FILES.blob(key)), signal);
      return facts && { key, ...facts };
    });
    for await (const entry of saved) if (entry) yield JSON.stringify(entry satisfies BlobEntry);
  }
}

/** Null when the blob went meanwhile. */
async function save(
  blobs: BlobStore,
  key: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<FileFacts | null> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeBytes(file, (await blobs.read(key)).bytes, signal);
    } catch (error) {
      await rm(file, { force: true });
      if (error instanceof BlobNotFound) return null;
      if (attempt === ATTEMPTS || signal?.aborted === true) throw error;
      await pause(RETRY_ms, undefined, { signal });
    }
  }
}

/** Throws `ToolError` when a blob of the index is missing or damaged. */
export async function checkBlobs(
  folder: string,
  onChecked: (count: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  let count = 0;
  const checked = mapSideBySide(entriesOf(folder), async ({ key, ...facts }) =>
    checkFile(path.join(folder, FILES.blob(key)), facts, signal),
  );
  for await (const _ of checked) onChecked((count += 1));
}

/** Puts the blobs of a backup into a blob store; with `isContinued`, only those that are not there yet. */
export async function loadBlobs(
  blobs: BlobStore,
  folder: string,
  {
    isContinued,
    onLoaded,
    signal,
  }: { isContinued: boolean; onLoaded: (count: number) => void; signal?: AbortSignal | undefined },
): Promise<void> {
  let count = 0;
  const loaded = mapSideBySide(entriesOf(folder), async ({ key, size_bytes }) => {
    signal?.throwIfAborted();
    if (isContinued && (await blobs.info(key))?.sizeBytes === size_bytes) return;
    await blobs.put(key, createReadStream(path.join(folder, FILES.blob(key))));
  });
  for await (const _ of loaded) onLoaded((count += 1));
}

async function* entriesOf(folder: string): AsyncGenerator<BlobEntry> {
  for await (const line of readLines(path.join(folder, FILES.blobIndex))) {
    const entry = JSON.parse(line) as BlobEntry;
    // A name that leads out of the folder is none.
    segmentsOf(entry.key);
    yield entry;
  }
}

/** Does a few at a time, and yields their results as they come. */
async function* mapSideBySide<T, R>(items: AsyncIterable<T>, work: (item: T) => Promise<R>): AsyncGenerator<R> {
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
      // Told when its turn comes; until then nobody listens.
      working.catch(() => undefined);
      running.set(own, working);
      if (running.size >= AT_ONCE) yield await next();
    }
    while (running.size > 0) yield await next();
  } finally {
    await Promise.allSettled(running.values());
  }
}
