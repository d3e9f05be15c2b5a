import { Readable, Writable } from 'node:stream';
import { configure, ZipWriter } from '@zip.js/zip.js';

/** A file of an archive. */
export interface ZipFile {
  /** With folders, `media/a.jpg`. */
  readonly name: string;
  readonly bytes: Readable | string;
  /** Whether it is made smaller; photos and videos are already. */
  readonly isCompressed: boolean;
}

// Node has no web workers.
configure({ useWebWorkers: false });

/** Writes an archive, one file after the other as they come, without holding any as a whole. Ends `to`; rejects when a file or `to` errs, or `signal` aborts. */
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
