import type { Readable } from 'node:stream';
import { BlobTooLarge } from '@alpenglow/domain';

/** What may be put into a blob store and under which name, the same for every adapter. */

const KEY = /^[a-z0-9._/-]{1,200}$/u;

/** The segments of a blob key. Throws TypeError when it is none. */
export function segmentsOf(key: string): readonly string[] {
  const segments = key.split('/');
  if (!KEY.test(key) || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new TypeError(`Not a blob key: ${JSON.stringify(key)}`);
  }
  return segments;
}

/** What a prefix that ends in `/` names, without that. Throws TypeError when it is no prefix. */
export function folderOf(prefix: string): string {
  if (!prefix.endsWith('/')) throw new TypeError(`Not a prefix of blob keys: ${JSON.stringify(prefix)}`);
  const folder = prefix.slice(0, -1);
  segmentsOf(folder);
  return folder;
}

/** The bytes piece by piece. Throws `BlobTooLarge` instead of the piece that passes `maxBytes`. */
export async function* chunksOf(
  bytes: Readable | Uint8Array,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  let size_bytes = 0;
  for await (const chunk of bytes instanceof Uint8Array ? [bytes] : (bytes as AsyncIterable<Uint8Array>)) {
    size_bytes += chunk.byteLength;
    if (size_bytes > maxBytes) throw new BlobTooLarge(`More than ${maxBytes} bytes`);
    yield chunk;
  }
}
