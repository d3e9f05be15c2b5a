import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ToolError } from '../tool.ts';
import type { BackupKey } from './backup-key.ts';

/** Size and hash of a file in a backup, as the manifest lists them. */
export interface FileSummary {
  /** Size before the encryption. */
  readonly size_bytes: number;
  /** SHA-256 of the stored bytes, which are encrypted, in hexadecimal digits. */
  readonly sha256: string;
}

/**
 * File mode that allows only the owner to read the files of a backup. A backup contains personal data and the keys that
 * decrypt this data.
 */
const PRIVATE = 0o600;
const CHUNK_characters = 64 * 1024;
/** Maximum length of a line, which contains one event. An event has at most 1 MB. */
const MAX_LINE_characters = 8 * 1024 * 1024;

/** Encrypts bytes into a new file and flushes the file to the disk. */
export async function writeBytes(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  key: BackupKey,
  signal?: AbortSignal,
): Promise<FileSummary> {
  const { count, hash, facts } = counter();
  await pipeline(bytes, count, key.encrypt, hash, newFile(file), { signal });
  return facts();
}

/** Compresses and encrypts lines into a new file and flushes the file to the disk. */
export async function writeLines(
  file: string,
  lines: AsyncIterable<string>,
  key: BackupKey,
  signal?: AbortSignal,
): Promise<FileSummary> {
  const { count, hash, facts } = counter();
  await pipeline(chunksOf(lines), createGzip(), count, key.encrypt, hash, newFile(file), { signal });
  return facts();
}

const newFile = (file: string) => createWriteStream(file, { flags: 'wx', mode: PRIVATE, flush: true });

/**
 * Returns two generators that pass bytes on, and a function that returns the size of the bytes that passed `count`, and
 * the hash of the bytes that passed `hash`.
 */
function counter() {
  const sha256 = createHash('sha256');
  let size_bytes = 0;
  const pass = (onChunk: (chunk: Uint8Array) => void) =>
    async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        onChunk(chunk);
        yield chunk;
      }
    };
  return {
    count: pass((chunk) => (size_bytes += chunk.byteLength)),
    hash: pass((chunk) => sha256.update(chunk)),
    facts: (): FileSummary => ({ size_bytes, sha256: sha256.digest('hex') }),
  };
}

/** Returns the bytes of a file of a backup. `key` is null if the backup is not encrypted. */
export function readBytes(file: string, key: BackupKey | null): AsyncIterable<Uint8Array> {
  const stored = createReadStream(file) as AsyncIterable<Uint8Array>;
  return key ? key.decrypt(stored) : stored;
}

async function* chunksOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_characters) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Yields the lines of a compressed file in order. Only a small part of the file is in memory at a time. */
export async function* readLines(file: string, key: BackupKey | null): AsyncGenerator<string> {
  const text = createGunzip();
  const unzipping = pipeline(readBytes(file, key), text);
  // An error also destroys `text`, so the loop below reports it. This handler prevents an unhandled rejection.
  unzipping.catch(() => undefined);
  let remainder = '';
  for await (const chunk of text.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (remainder + chunk).split('\n');
    remainder = lines.pop() ?? '';
    if (remainder.length > MAX_LINE_characters) throw new ToolError(`${file} is damaged: a line without an end.`);
    yield* lines;
  }
  if (remainder !== '') throw new ToolError(`${file} is damaged: it ends in the middle of a line.`);
}

/** Throws `ToolError` if a file is missing or if its hash differs from the manifest. */
export async function checkFile(file: string, expected: FileSummary, signal?: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash, { signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new ToolError(`${file} is missing. Nothing was restored.`, { cause: error });
    throw error;
  }
  if (hash.digest('hex') !== expected.sha256)
    throw new ToolError(`${file} is damaged: its sha256 is not that of the manifest. Nothing was restored.`);
}
