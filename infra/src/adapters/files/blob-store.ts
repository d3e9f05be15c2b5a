import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { BlobNotFound, type BlobInfo, type BlobStore } from '@alpenglow/domain';
import { chunksOf, folderOf, segmentsOf } from '../blob-input.ts';

/** No write goes on for this long without a byte, so whoever wrote is gone. */
const LEFT_OVER_AFTER_ms = 60 * 60_000;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Writes a new file and puts it on the disk. Returns its size in bytes. */
async function writeDurably(file: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(file, 'wx');
  try {
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.byteLength;
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

/** Removes what killed processes left half-written; what others are writing now is younger. */
async function clearLeftOvers(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const file = path.join(incoming, name);
    const found = await stat(file).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (found && Date.now() - found.mtimeMs > LEFT_OVER_AFTER_ms) await rm(file, { force: true });
  }
}

/**
 * Blobs as files below `root`, which any number of processes of one machine may share. A blob is written under a temporary name and
 * moved into place once it is whole and on the disk; what a killed process left half-written is cleared at a start an hour later.
 */
export async function createFileBlobStore({ root }: { root: string }): Promise<BlobStore> {
  const blobs = path.resolve(root);
  // No key has a tilde in it, so none can name a half-written file.
  const incoming = path.join(blobs, '~incoming');
  await makeFolder(incoming);
  await clearLeftOvers(incoming);

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

    async put(key, bytes, { maxBytes } = {}) {
      const target = pathOf(key);
      const temporary = path.join(incoming, randomUUID());
      try {
        const sizeBytes = await writeDurably(temporary, chunksOf(bytes, maxBytes));
        await makeFolder(path.dirname(target));
        await rename(temporary, target);
        await syncFolder(path.dirname(target));
        return { sizeBytes };
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
      const found = await handle.stat();
      if (!found.isFile()) {
        await handle.close();
        throw new BlobNotFound(key);
      }
      return { sizeBytes: found.size, modifiedAt_ms: found.mtimeMs, bytes: handle.createReadStream(range) };
    },

    async *list(prefix) {
      const folder = folderOf(prefix);
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
      const target = pathOf(isPrefix ? folderOf(keyOrPrefix) : keyOrPrefix);
      if (!isPrefix && !(await info(keyOrPrefix))) return;
      await rm(target, { recursive: isPrefix, force: true });
    },
  };
}
