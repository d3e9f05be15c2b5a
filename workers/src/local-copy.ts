import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BlobNotFound, type BlobStore, type BlobReadResult } from '@alpenglow/domain';
import { FOLDER_PREFIX } from '@alpenglow/infra';

/** Age in ms after which the temporary copy of a file is removed. No job takes that long. */
const LEFT_OVER_AFTER_ms = 60 * 60_000;

/**
 * Copies a blob to a temporary file, calls `work` with the path of the file and returns the result. The blob is
 * streamed, because it may have 100 MB. The temporary file is removed afterwards. Returns null if the blob does not
 * exist. Rejects with the reason of `signal` if it aborts.
 */
export async function withLocalCopy<T>(
  blobs: BlobStore,
  key: string,
  signal: AbortSignal,
  work: (file: string) => Promise<T>,
): Promise<T | null> {
  const opened = await open(blobs, key);
  if (!opened) return null;
  const folder = await mkdtemp(path.join(tmpdir(), FOLDER_PREFIX)).catch((error: unknown) => {
    opened.bytes.destroy();
    throw error;
  });
  try {
    const file = path.join(folder, 'original');
    await pipeline(opened.bytes, createWriteStream(file, { mode: 0o600 }), { signal });
    return await work(file);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes temporary copies of files that killed processes could not remove. */
export async function removeLeftoverCopies(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    const stats = await stat(folder).catch(() => null);
    if (stats && Date.now() - stats.mtimeMs > LEFT_OVER_AFTER_ms) await rm(folder, { recursive: true, force: true });
  }
}

async function open(blobs: BlobStore, key: string): Promise<BlobReadResult | null> {
  try {
    return await blobs.read(key);
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
}
