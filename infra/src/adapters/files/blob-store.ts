import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { BlobNotFound, BlobTooLarge, type BlobInfo, type BlobStore } from '@alpenglow/domain';

const KEY = /^[a-z0-9._/-]{1,200}$/u;

function segmentsOf(key: string): readonly string[] {
  const segments = key.split('/');
  if (!KEY.test(key) || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new TypeError(`Not a blob key: ${JSON.stringify(key)}`);
  }
  return segments;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

async function* chunksOf(bytes: Readable | Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes instanceof Uint8Array) yield bytes;
  else yield* bytes as AsyncIterable<Uint8Array>;
}

/** Writes a new file and puts it on the disk. Returns its size in bytes. */
async function writeDurably(file: string, bytes: Readable | Uint8Array, maxBytes: number): Promise<number> {
  const handle = await open(file, 'wx');
  try {
    let size = 0;
    for await (const chunk of chunksOf(bytes)) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new BlobTooLarge(`More than ${maxBytes} bytes`);
      await handle.writeFile(chunk);
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder durable, so that a blob that was answered for is still there after a power cut. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there, the rename is as durable as it gets.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and what is missing above it, all of it durable. */
async function makeFolder(folder: string): Promise<void> {
  const topmostMade = await mkdir(folder, { recursive: true });
  if (topmostMade === undefined) return;
  for (let made = folder; made.length >= topmostMade.length; made = path.dirname(made)) {
    await syncFolder(path.dirname(made));
  }
}

/**
 * Blobs as files below `root`, which belongs to one process at a time. A blob is written under a temporary name and moved
 * into place once it is whole and on the disk; what a killed process left half-written is cleared here, at the start.
 */
export async function createFileBlobStore({ root }: { root: string }): Promise<BlobStore> {
  const blobs = path.resolve(root);
  // No key has a tilde in it, so none can name a half-written file.
  const incoming = path.join(blobs, '~incoming');
  await rm(incoming, { recursive: true, force: true });
  await makeFolder(incoming);

  const pathOf = (key: string) => path.join(blobs, ...segmentsOf(key));

  async function info(key: string): Promise<BlobInfo | null> {
    try {
      const found = await stat(pathOf(key));
      return found.isFile() ? { sizeBytes: found.size, modifiedAt_ms: found.mtimeMs } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  return {
    info,

    async put(key, bytes, { maxBytes = Number.POSITIVE_INFINITY } = {}) {
      const target = pathOf(key);
      const temporary = path.join(incoming, randomUUID());
      try {
        const sizeBytes = await writeDurably(temporary, bytes, maxBytes);
        const { mtimeMs } = await stat(temporary);
        await makeFolder(path.dirname(target));
        await rename(temporary, target);
        await syncFolder(path.dirname(target));
        return { sizeBytes, modifiedAt_ms: mtimeMs };
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    async read(key, range = undefined) {
      // Opened here rather than by the stream, so that a missing blob is refused before anybody has an answer begun.
      const handle = await open(pathOf(key), 'r').catch((error: unknown) => {
        throw isMissing(error) ? new BlobNotFound(key) : error;
      });
      if (!(await handle.stat()).isFile()) {
        await handle.close();
        throw new BlobNotFound(key);
      }
      return handle.createReadStream(range);
    },

    async *list(prefix) {
      const folder = prefix.slice(0, -1);
      const names = await readdir(pathOf(folder), { recursive: true }).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      for (const name of names) {
        const key = `${folder}/${name.split(path.sep).join('/')}`;
        const found = await info(key);
        if (found) yield { key, ...found };
      }
    },

    async remove(keyOrPrefix) {
      const isPrefix = keyOrPrefix.endsWith('/');
      const target = pathOf(isPrefix ? keyOrPrefix.slice(0, -1) : keyOrPrefix);
      if (!isPrefix && !(await info(keyOrPrefix))) return;
      await rm(target, { recursive: isPrefix, force: true });
    },
  };
}
