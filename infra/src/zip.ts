import { Readable, Writable } from 'node:stream';
import { configure, ZipWriter } from '@zip.js/zip.js';

/** A file of a ZIP archive. */
export interface ZipFile {
  /** The path of the file in the archive, e.g. `media/a.jpg`. */
  readonly name: string;
  readonly bytes: Readable | string;
  /** True to compress the file. False for photos and videos, because they are already compressed. */
  readonly isCompressed: boolean;
}

// Web workers are disabled, because Node does not have them.
configure({ useWebWorkers: false });

/**
 * Writes a ZIP archive to the stream `to`, and ends the stream. The files are written one after the other and in
 * chunks, so that no whole file is in memory. Rejects if a file or the stream fails, or if `signal` aborts.
 */
export async function writeZip(files: AsyncIterable<ZipFile>, to: Writable, signal: AbortSignal): Promise<void> {
  const zip = new ZipWriter(Writable.toWeb(to) as WritableStream<Uint8Array>, { bufferedWrite: false });
  for await (const { name, bytes, isCompressed } of files) {
    signal.throwIfAborted();
    const readable = typeof bytes === 'string' ? Readable.from([Buffer.from(bytes)]) : bytes;
    try {
      await zip.add(name, Readable.toWeb(readable) as unknown as ReadableStream<Uint8Array>, {
        level: isCompressed ? 6 : 0,
      });
    } finally {
      readable.destroy();
    }
  }
  await zip.close();
}
