import { createHash } from 'node:crypto';
import type { RecordedEvent } from '@alpenglow/domain';
import canonicalize from 'canonicalize';

/** The previous hash of the first event and of the first log entry. */
export const NO_HASH: Buffer = Buffer.alloc(32);

/** Returns the SHA-256 of the concatenated parts. */
export function sha256(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Returns canonical JSON (RFC 8785). Equal values give equal text, even with another order of fields. */
export function canonicalJson(value: unknown): string {
  return canonicalize(value) ?? 'null';
}

/**
 * Returns the hash of a stored event together with the hash of the previous event. Personal fields are hashed in their
 * encrypted form. An erasure changes no stored event, so it changes no hash.
 */
export function eventHash(
  previous: Buffer,
  { id, stream, revision, position, type, version, data, meta }: RecordedEvent,
): Buffer {
  return sha256(previous, canonicalJson({ id, stream, revision, position, type, version, data, meta }));
}
