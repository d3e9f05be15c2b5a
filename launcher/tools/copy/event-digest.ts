import { createHash } from 'node:crypto';
import type { RecordedEvent } from '@alpenglow/domain';
import { canonicalJson } from '@alpenglow/infra';

/** An event without its position. The position is the only part that differs between stores. */
export type StoredEvent = Omit<RecordedEvent, 'position'>;

/** Returns all parts of an event that must be equal in two stores, as one text. */
export function eventText({ stream, revision, id, type, version, data, meta }: StoredEvent): string {
  return canonicalJson([stream, revision, id, type, version, data, meta]);
}

/** Number and hash of all events in a store. Two stores with equal digests have the same events in the same order. */
export interface EventDigest {
  readonly count: number;
  /** Hash in hexadecimal digits. It is computed from the `eventText` of each event, followed by a line break. */
  readonly sha256: string;
}

/** Creates an object that computes a digest from events, which are added one by one. */
export function createEventDigest() {
  const hash = createHash('sha256');
  let count = 0;
  return {
    /** Adds an event to the digest. `text` is the result of `eventText`. */
    addText(text: string): void {
      hash.update(`${text}\n`);
      count += 1;
    },
    get count(): number {
      return count;
    },
    value: (): EventDigest => ({ count, sha256: hash.copy().digest('hex') }),
  };
}

export function isSameDigest(a: EventDigest, b: EventDigest): boolean {
  return a.count === b.count && a.sha256 === b.sha256;
}
