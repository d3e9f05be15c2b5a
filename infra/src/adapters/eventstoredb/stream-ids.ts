import { InvalidAppend } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';

/** The ids of all events of a stream up to a revision. */
export interface KnownStream {
  /** -1: nothing is known. */
  readonly revision: number;
  /** Revision by id. */
  readonly ids: Map<string, number>;
}

export interface NumberedEvent {
  readonly id: string;
  readonly revision: number;
}

/** About 12 MB. */
const MAX_IDS = 100_000;

export interface StreamIds {
  of(stream: string): KnownStream;
  /** Adds what a read from revision `from` on, or an append, has shown. */
  learn(stream: string, from: number, events: readonly NumberedEvent[]): void;
}

/**
 * The event ids of the streams this process has read or written lately. The server looks for known ids only behind the expected
 * revision, and without one only among recent events; with these, each id is held against all of its stream, mostly without a read.
 */
export function createStreamIds(maxIds = MAX_IDS): StreamIds {
  const streams = new LRUCache<string, KnownStream>({ maxSize: maxIds, sizeCalculation: ({ ids }) => ids.size + 1 });
  const of = (stream: string): KnownStream => streams.get(stream) ?? { revision: -1, ids: new Map() };
  return {
    of,
    learn(stream, from, events) {
      const before = of(stream);
      const after = extend(before, from, events);
      if (after !== before) streams.set(stream, after);
    },
  };
}

/** What is known once a read from revision `from` on has shown these events; the same as before where that leaves a gap, or adds nothing. */
export function extend(known: KnownStream, from: number, events: readonly NumberedEvent[]): KnownStream {
  const last = events.at(-1);
  if (!last || from > known.revision + 1 || last.revision <= known.revision) return known;
  for (const { id, revision } of events) known.ids.set(id, revision);
  return { revision: last.revision, ids: known.ids };
}

/**
 * The revision of the last of these events when all are in the stream, one after the other, and null when none is. Throws
 * `InvalidAppend` when only some are, or in another order.
 */
export function findRepeat(
  { ids }: KnownStream,
  stream: string,
  events: readonly { readonly id: string }[],
): number | null {
  const revisions = events.map(({ id }) => ids.get(id));
  if (revisions.every((revision) => revision === undefined)) return null;
  const [first] = revisions;
  const isSame = first !== undefined && revisions.every((revision, index) => revision === first + index);
  if (!isSame) throw new InvalidAppend(`Some event ids of this append to ${stream} belong to other events`);
  return first + revisions.length - 1;
}
