import type { Readable } from 'node:stream';
import { BlobTooLarge } from '@alpenglow/domain';

/** Checks of the keys and sizes of blobs, which are stored files. Every adapter of the blob store uses these checks. */

const KEY = /^[a-z0-9._/-]{1,200}$/u;

/** Returns the segments of a blob key. Throws `TypeError` if `key` is not a valid blob key. */
export function parseBlobKey(key: string): readonly string[] {
  const segments = key.split('/');
  if (!KEY.test(key) || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new TypeError(`Not a blob key: ${JSON.stringify(key)}`);
  }
  return segments;
}

/** Returns `prefix` without its trailing `/`. Throws `TypeError` if `prefix` is not a valid prefix of blob keys. */
export function parseBlobPrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw new TypeError(`Not a prefix of blob keys: ${JSON.stringify(prefix)}`);
  const folder = prefix.slice(0, -1);
  parseBlobKey(folder);
  return folder;
}

/** Yields `bytes` in chunks. Throws `BlobTooLarge` as soon as the total size exceeds `maxBytes`. */
export async function* readChunks(
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
