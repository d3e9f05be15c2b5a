/** Reads files from a folder that others may change, and returns only content with a known digest. */
import { constants, open, utimes } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { digestOf } from '../build/digests.mjs';
import { IMMUTABLE } from './static-files.ts';

/** Limit of a file, also of a decompressed one, so that a manipulated file cannot use up the memory. */
const FILE_MAX_bytes = 20_000_000;
/** The time after which the use of a build is recorded again. */
const USE_RECORDED_ms = 3_600_000;
const RECORDED_MAX = 1_000;

const ENCODINGS = [
  { name: 'br', extension: '.br', decode: promisify(brotliDecompress) },
  { name: 'gzip', extension: '.gz', decode: promisify(gunzip) },
] as const;

export interface ServedFile {
  readonly body: Buffer;
  readonly encoding: 'br' | 'gzip' | null;
}

/** The digests of the files of a build (`sha256-…`), by file name. */
interface FileDigests {
  readonly integrity: Readonly<Record<string, string>>;
  readonly assets?: Readonly<Record<string, string>>;
}

/**
 * Creates a function that reads a file if its content has a digest. It prefers a compressed form that the client
 * accepts. Verified files stay in memory, because their content never changes.
 * @param cacheMax_bytes the total size of these files
 */
export function createVerifiedReader(cacheMax_bytes: number) {
  const verified = new LRUCache<string, ServedFile>({
    maxSize: cacheMax_bytes,
    sizeCalculation: ({ body }) => body.length + 1,
  });
  return async (
    folder: string,
    file: string,
    digest: string,
    accepted: readonly string[],
  ): Promise<ServedFile | null> => {
    for (const { name, extension, decode } of ENCODINGS) {
      if (!accepted.includes(name)) continue;
      const known = verified.get(`${folder}/${file}${extension}`);
      if (known) return known;
      const body = await readRegularFile(path.join(folder, file + extension));
      const content = body && (await decode(body, { maxOutputLength: FILE_MAX_bytes }).catch(() => null));
      if (!body || !content || digestOf(content) !== digest) continue;
      const served: ServedFile = { body, encoding: name };
      verified.set(`${folder}/${file}${extension}`, served);
      return served;
    }
    const known = verified.get(`${folder}/${file}`);
    if (known) return known;
    const body = await readRegularFile(path.join(folder, file));
    if (!body || digestOf(body) !== digest) return null;
    const served: ServedFile = { body, encoding: null };
    verified.set(`${folder}/${file}`, served);
    return served;
  };
}

/**
 * Reads a file. Returns null for a symbolic link, which could lead to any file of this machine, for anything else that
 * is no regular file, and for a file that is too large.
 */
export async function readRegularFile(file: string): Promise<Buffer | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  try {
    const found = await handle?.stat();
    return handle && found?.isFile() && found.size <= FILE_MAX_bytes ? await handle.readFile() : null;
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

/** Returns the digest of a file in the description of a build, or null if the build does not contain the file. */
export function digestIn({ integrity, assets = {} }: FileDigests, file: string): string | null {
  const of = (digests: Readonly<Record<string, string>>) => (Object.hasOwn(digests, file) ? digests[file] : undefined);
  return of(integrity) ?? of(assets) ?? null;
}

/** Sends a file whose content never changes. `digest` is that of its content, or null if it is not known. */
export function sendServedFile(
  res: Response,
  file: string,
  { body, encoding }: ServedFile,
  digest: string | null,
): void {
  res.vary('Accept-Encoding').type(path.extname(file)).set('Cache-Control', IMMUTABLE);
  // The ETag is weak, because it is the same for all encodings. It saves a hash of the body with each response.
  if (digest !== null) res.set('ETag', `W/"${digest}"`);
  if (encoding) res.set('Content-Encoding', encoding);
  res.send(body);
}

/** Returns true if a request reads a file. */
export const isRead = ({ method }: Pick<Request, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/**
 * Creates a function that records that a build is used, as the time of its folder, so that it stays stored
 * (shell/build/registry.mjs, shell-files.mjs). A read-only folder is ignored.
 */
export function createUseRecorder(): (folder: string) => void {
  const recorded = new LRUCache<string, true>({ max: RECORDED_MAX, ttl: USE_RECORDED_ms });
  return (folder) => {
    if (recorded.has(folder)) return;
    recorded.set(folder, true);
    const now = new Date();
    utimes(folder, now, now).catch(() => undefined);
  };
}
