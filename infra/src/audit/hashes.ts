import { createHash } from 'node:crypto';
import type { RecordedEvent } from '@alpenglow/domain';
import canonicalize from 'canonicalize';

/**
 * 32 zero bytes. The first event and the first log entry use them as the hash of their predecessor, which does not
 * exist.
 */
export const NO_HASH: Buffer = Buffer.alloc(32);

/** Returns the SHA-256 of the concatenated parts. */
export function sha256(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Returns canonical JSON (RFC 8785). Equal values result in equal text, even if their fields have another order. */
export function canonicalJson(value: unknown): string {
  return canonicalize(value) ?? 'null';
}

/**
 * Returns the hash of a stored event together with the hash of the previous event. Personal data is hashed in its
 * encrypted form. An erasure destroys only the encryption key and changes no stored event, so all hashes stay valid.
 */
export function eventHash(
  previous: Buffer,
  { id, stream, revision, position, type, version, data, meta }: RecordedEvent,
): Buffer {
  return sha256(previous, canonicalJson({ id, stream, revision, position, type, version, data, meta }));
}
