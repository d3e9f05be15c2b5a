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
 * Returns the start hash of a segment of the audit chain. It names the segment before it by the hash of its last event.
 * The function `audit.set_aside` in Postgres computes the same.
 */
export function segmentStartHash(number: number, previousHash: Buffer): Buffer {
  return sha256(`audit chain segment ${number} after `, previousHash);
}

/**
 * Returns the hash to which an event is chained. `before` is the hash of the event before it in the chain, or
 * `NO_HASH`. If the event is the first of a segment, `startHash` is the start hash of the segment. The result then
 * includes both hashes, so that the chain also contains all events before the segment.
 */
export function chainLink(startHash: Buffer | undefined, before: Buffer): Buffer {
  return startHash ? sha256(startHash, before) : before;
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
