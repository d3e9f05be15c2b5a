import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BlobNotFound, type BlobStore, type OpenBlob } from '@alpenglow/domain';

const PREFIX = 'alpenglow-media-';
/** Longer than any job works on a copy. */
const LEFT_OVER_AFTER_ms = 60 * 60_000;

/**
 * Works on a blob as a file of this machine: neither libvips nor ffprobe needs 100 MB in our memory then, wherever the store is.
 * Null when there is no such blob. The copy is gone afterwards. Rejects with the reason of `signal` when that aborts.
 */
export async function withLocalCopy<T>(
  blobs: BlobStore,
  key: string,
  signal: AbortSignal,
  work: (file: string) => Promise<T>,
): Promise<T | null> {
  const opened = await open(blobs, key);
  if (!opened) return null;
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX)).catch((error: unknown) => {
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

/** Removes copies whose process was killed over them. */
export async function clearLeftCopies(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LEFT_OVER_AFTER_ms) await rm(folder, { recursive: true, force: true });
  }
}

async function open(blobs: BlobStore, key: string): Promise<OpenBlob | null> {
  try {
    return await blobs.read(key);
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
}
