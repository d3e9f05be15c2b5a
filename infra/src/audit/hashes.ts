import { createHash } from 'node:crypto';
import type { RecordedEvent } from '@alpenglow/domain';
import canonicalize from 'canonicalize';

/** What the first event and the first entry are chained to. */
export const NO_HASH: Buffer = Buffer.alloc(32);

/** SHA-256 of these, one after the other. */
export function sha256(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** JSON in one form alone (RFC 8785): the same value has the same bytes, wherever it was kept meanwhile. */
export function canonicalJson(value: unknown): string {
  return canonicalize(value) ?? 'null';
}

/** The hash of an event as it is kept, personal fields sealed, chained to that of the event before it. Erasing a person changes no event, so no hash. */
export function eventHash(
  previous: Buffer,
  { id, stream, revision, position, type, version, data, meta }: RecordedEvent,
): Buffer {
  return sha256(previous, canonicalJson({ id, stream, revision, position, type, version, data, meta }));
}
