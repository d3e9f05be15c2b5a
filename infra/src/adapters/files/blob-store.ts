import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { BlobNotFound, type BlobInfo, type BlobStore } from '@alpenglow/domain';
import { readChunks, parseBlobPrefix, parseBlobKey } from '../blob-input.ts';

/**
 * The age after which an incomplete file counts as abandoned. A file that is still being written is younger, because
 * bytes are added to it at shorter intervals.
 */
const ABANDONED_AFTER_ms = 60 * 60_000;

/** The free space that uploads of people leave to everything else, such as the database on the same disk. */
const RESERVED_bytes = 2 * 1024 ** 3;
const RESERVED_SHARE = 0.05;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Writes a new file and flushes it to the disk (fsync). Returns the size of the file in bytes. */
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

/**
 * Writes the directory entries of a folder to the disk (fsync), so that stored files in this folder survive a power
 * failure.
 */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, so its entries are not flushed there. On Windows, only the rename protects a stored
  // file.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder and its missing parents, and flushes their directory entries to the disk. */
async function createFolder(folder: string): Promise<void> {
  const topmostCreated = await mkdir(folder, { recursive: true });
  if (topmostCreated === undefined) return;
  for (let created = folder; created.length >= topmostCreated.length; created = path.dirname(created)) {
    await syncFolder(path.dirname(created));
  }
}

/** The file mode of a folder that only its owner can open, so that other users cannot read the files in it. */
const OWNER_ONLY = 0o700;

/** Denies other system users access to the folder. Does not change a folder that belongs to another user. */
async function denyOtherUsers(folder: string): Promise<void> {
  const { uid, mode } = await stat(folder);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) await chmod(folder, OWNER_ONLY);
}

/**
 * Removes incomplete files that killed processes have left. Files that are being written now are younger, so they are
 * not removed.
 */
async function removeAbandonedFiles(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const file = path.join(incoming, name);
    const stats = await stat(file).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (stats && Date.now() - stats.mtimeMs > ABANDONED_AFTER_ms) await rm(file, { force: true });
  }
}

/**
 * Creates a store of blobs, which are saved as files below `root`. Any number of processes of one machine may share the
 * folder. A blob is written to a temporary file, flushed to the disk, and then renamed. Creating a store also removes
 * the temporary files that killed processes have left more than an hour ago.
 */
export async function createFileBlobStore({ root }: { root: string }): Promise<BlobStore> {
  const blobs = path.resolve(root);
  // Blob keys contain no tilde, so no key can refer to a file in this folder for incomplete files.
  const incoming = path.join(blobs, '~incoming');
  await createFolder(incoming);
  await denyOtherUsers(blobs);
  await removeAbandonedFiles(incoming);

  const pathOf = (key: string) => path.join(blobs, ...parseBlobKey(key));

  async function info(key: string): Promise<BlobInfo | null> {
    try {
      const stats = await stat(pathOf(key));
      return stats.isFile() ? { sizeBytes: stats.size, modifiedAt_ms: stats.mtimeMs } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  return {
    getInfo: info,

    async put(key, bytes, { maxBytes } = {}) {
      const target = pathOf(key);
      const temporary = path.join(incoming, randomUUID());
      try {
        const sizeBytes = await writeDurably(temporary, readChunks(bytes, maxBytes));
        await createFolder(path.dirname(target));
        await rename(temporary, target);
        await syncFolder(path.dirname(target));
        return { sizeBytes };
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    async read(key, range = undefined) {
      // The file is opened before the stream is created, so that a missing blob is reported before the caller begins a
      // response.
      const handle = await open(pathOf(key), 'r').catch((error: unknown) => {
        throw isMissing(error) ? new BlobNotFound(key) : error;
      });
      const stats = await handle.stat();
      if (!stats.isFile()) {
        await handle.close();
        throw new BlobNotFound(key);
      }
      return { sizeBytes: stats.size, modifiedAt_ms: stats.mtimeMs, bytes: handle.createReadStream(range) };
    },

    async *list(prefix) {
      const folder = parseBlobPrefix(prefix);
      const names = await readdir(pathOf(folder), { recursive: true }).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      for (const name of names) {
        const key = `${folder}/${name.split(path.sep).join('/')}`;
        const blob = await info(key);
        if (blob) yield { key, ...blob };
      }
    },

    async hasSpaceFor(sizeBytes) {
      const { bavail, blocks, bsize } = await statfs(blobs);
      return bavail * bsize - sizeBytes > Math.min(RESERVED_bytes, blocks * bsize * RESERVED_SHARE);
    },

    async remove(keyOrPrefix) {
      const isPrefix = keyOrPrefix.endsWith('/');
      const target = pathOf(isPrefix ? parseBlobPrefix(keyOrPrefix) : keyOrPrefix);
      if (!isPrefix && !(await info(keyOrPrefix))) return;
      await rm(target, { recursive: isPrefix, force: true });
    },
  };
}
