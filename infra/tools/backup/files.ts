import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ToolError } from '../tool.ts';

/** A file as the manifest lists it. */
export interface FileFacts {
  readonly size_bytes: number;
  /** Hexadecimal, of the bytes as they lie in the folder. */
  readonly sha256: string;
}

/** Nobody but the owner reads a backup: what is sealed in it comes with the wrapped keys. */
const PRIVATE = 0o600;
const CHUNK_characters = 64 * 1024;
/** An event is 1 MB at most. */
const MAX_LINE_characters = 8 * 1024 * 1024;

/** Writes bytes to a new file and puts it on the disk. */
export async function writeBytes(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<FileFacts> {
  const { count, facts } = counter();
  await pipeline(bytes, count, newFile(file), { signal });
  return facts();
}

/** Writes lines to a new compressed file and puts it on the disk. */
export async function writeLines(file: string, lines: AsyncIterable<string>, signal?: AbortSignal): Promise<FileFacts> {
  const { count, facts } = counter();
  await pipeline(chunksOf(lines), createGzip(), count, newFile(file), { signal });
  return facts();
}

const newFile = (file: string) => createWriteStream(file, { flags: 'wx', mode: PRIVATE, flush: true });

/** Passes bytes on, and says afterwards what they were. */
function counter() {
  const hash = createHash('sha256');
  let size_bytes = 0;
  return {
    async *count(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        hash.update(chunk);
        size_bytes += chunk.byteLength;
        yield chunk;
      }
    },
    facts: (): FileFacts => ({ size_bytes, sha256: hash.digest('hex') }),
  };
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

/** The lines of a compressed file, in order, a little of it in memory. */
export async function* readLines(file: string): AsyncGenerator<string> {
  const text = createGunzip();
  const unzipping = pipeline(createReadStream(file), text);
  // Told below, through the stream that it ends.
  unzipping.catch(() => undefined);
  let rest = '';
  for await (const chunk of text.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_characters) throw new ToolError(`${file} is damaged: a line without an end.`);
    yield* lines;
  }
  if (rest !== '') throw new ToolError(`${file} is damaged: it ends in the middle of a line.`);
}

/** Throws `ToolError` when a file is not there or not as the manifest has it. */
export async function checkFile(file: string, expected: FileFacts, signal?: AbortSignal): Promise<void> {
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

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
