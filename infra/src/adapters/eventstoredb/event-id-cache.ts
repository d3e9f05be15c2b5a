import { InvalidAppend, type RecordedEvent } from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';

/** The ids of the events of a stream, from its first event up to the event with number `revision`. */
export interface KnownEventIds {
  /** The number of the last event whose id is known. -1 means that no id is known. */
  readonly revision: number;
  /** The revision of each event id. */
  readonly ids: Map<string, number>;
}

/** The id of an event, and its revision in its stream. */
export type EventIdAndRevision = Pick<RecordedEvent, 'id' | 'revision'>;

/** The maximum number of ids in the cache, which take about 12 MB. */
const MAX_IDS = 100_000;

export type EventIdCache = ReturnType<typeof createEventIdCache>;

/**
 * Creates a cache of event ids, for the streams that this process has recently read or written. The server detects a
 * repeated event id only in the most recent part of a stream. With this cache, an id can be compared with the whole
 * stream, usually without reading the stream.
 */
export function createEventIdCache(maxIds = MAX_IDS) {
  const streams = new LRUCache<string, KnownEventIds>({ maxSize: maxIds, sizeCalculation: ({ ids }) => ids.size + 1 });
  const of = (stream: string): KnownEventIds => streams.get(stream) ?? { revision: -1, ids: new Map() };
  return {
    get: of,
    remove: (stream: string): void => void streams.delete(stream),
    /** Removes all ids, because streams may contain other events after a restore of the server. */
    clear: (): void => streams.clear(),
    /**
     * Adds the ids of events of a stream. The events were appended or read, and the first event has the revision
     * `from`.
     */
    add(stream: string, from: number, events: readonly EventIdAndRevision[]): void {
      const known = of(stream);
      const extended = addKnownIds(known, from, events);
      if (extended !== known) streams.set(stream, extended);
    },
  };
}

/**
 * Adds the ids of `events` to `known`. The first of these events has the revision `from`. Returns `known` unchanged if
 * it already contains the events, or if events before `from` are missing.
 */
export function addKnownIds(known: KnownEventIds, from: number, events: readonly EventIdAndRevision[]): KnownEventIds {
  const last = events.at(-1);
  if (!last || from > known.revision + 1 || last.revision <= known.revision) return known;
  for (const { id, revision } of events) known.ids.set(id, revision);
  return { revision: last.revision, ids: known.ids };
}

/**
 * Checks whether an append was already written, so that all its events are in the stream, one after the other. Returns
 * the revision of the last event, or null if no event is in the stream. Throws `InvalidAppend` if only some of the
 * events are in the stream, or if their order differs.
 */
export function findRepeatedAppend(
  { ids }: KnownEventIds,
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
