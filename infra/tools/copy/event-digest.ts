import { createHash } from 'node:crypto';
import type { RecordedEvent } from '@alpenglow/domain';

/** An event without its position, which is the one thing that differs from store to store. */
export type StoredEvent = Omit<RecordedEvent, 'position'>;

/** JSON with the fields of every object in order of their names and no space: equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

/** All that must be equal in two copies of an event, as text. */
export function eventText({ stream, revision, id, type, version, data, meta }: StoredEvent): string {
  return canonicalJson([stream, revision, id, type, version, data, meta]);
}

/** Events in order, as a number and a hash: two stores with equal digests hold the same history. */
export interface EventDigest {
  readonly count: number;
  /** Hexadecimal, over `eventText` of each event and a line end. */
  readonly sha256: string;
}

/** Adds up a digest, event by event. */
export function createEventDigest() {
  const hash = createHash('sha256');
  let count = 0;
  return {
    /** Takes an event as its `eventText`. */
    addText(text: string): void {
      hash.update(`${text}\n`);
      count += 1;
    },
    /** How many events there were so far. */
    get count(): number {
      return count;
    },
    value: (): EventDigest => ({ count, sha256: hash.copy().digest('hex') }),
  };
}

export function isSameDigest(one: EventDigest, other: EventDigest): boolean {
  return one.count === other.count && one.sha256 === other.sha256;
}
