import { comparePositions, type LogMark, type RecordedEvent } from '@alpenglow/domain';

/** The limits of a buffer. The caller removes old chunks when it is full, but not the chunk that was added last. */
export interface RecentEventsLimits {
  readonly max_events: number;
  /** The limit of the estimated size of the events. */
  readonly max_bytes: number;
}

/** Events that were added together. They are also removed together. */
interface Chunk {
  readonly events: number;
  readonly bytes: number;
  readonly addedAt_ms: number;
}

/**
 * Creates a buffer of consecutive events of the log after `begin`. Each event in it has a number, and the next event
 * has the next number. A number is never used again. A reader that continues at a number therefore notices if that
 * event was removed.
 */
export function createRecentEvents(begin: LogMark, { max_events, max_bytes }: RecentEventsLimits) {
  /** The last event before the buffer. Null after `clear`, because the log may no longer contain it. */
  let before: LogMark | null = begin;
  let first = 0;
  const events: RecordedEvent[] = [];
  const chunks: Chunk[] = [];
  let bytes = 0;

  return {
    /** The number of the first event. */
    first: () => first,
    size: () => events.length,
    /** The number that the next event will have. */
    end: () => first + events.length,
    isFull: () => events.length >= max_events || bytes >= max_bytes,
    /** The number after the oldest chunk, and the time at which it was added. Null if the buffer is empty. */
    oldest: (): { readonly end: number; readonly addedAt_ms: number } | null =>
      chunks[0] ? { end: first + chunks[0].events, addedAt_ms: chunks[0].addedAt_ms } : null,

    /** Removes all events. No event is found any more, and no event may be added. */
    clear(): void {
      // One number is skipped, so that a reader that had read all events also notices the removal.
      first += events.length + 1;
      events.length = 0;
      chunks.length = 0;
      bytes = 0;
      before = null;
    },

    /** Adds the next events of the log. */
    add(batch: readonly RecordedEvent[]): void {
      let size_bytes = 0;
      for (const event of batch) {
        events.push(event);
        size_bytes += estimateSize(event.data) + estimateSize(event.meta);
      }
      bytes += size_bytes;
      chunks.push({ events: batch.length, bytes: size_bytes, addedAt_ms: performance.now() });
    },

    /** Removes the oldest chunk. */
    removeOldest(): void {
      const chunk = chunks.shift();
      if (!chunk) return;
      before = toMark(events.splice(0, chunk.events).at(-1)) ?? before;
      first += chunk.events;
      bytes -= chunk.bytes;
    },

    /**
     * Returns the number of the event after `mark`, and `mark` with the id of its event, which a mark may lack. Returns
     * null if the event of `mark` is neither in the buffer nor directly before it.
     */
    find(mark: LogMark): { readonly next: number; readonly mark: LogMark } | null {
      if (before === null) return null;
      if (isSameEvent(before, mark)) return { next: first, mark: before };
      let [low, high] = [0, events.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        const isBefore = comparePositions(events[middle]?.position ?? mark.position, mark.position) < 0;
        if (isBefore) low = middle + 1;
        else high = middle;
      }
      const found = toMark(events[low]);
      return found && isSameEvent(found, mark) ? { next: first + low + 1, mark: found } : null;
    },

    /** Returns at most `max` events from a number on. Returns null if some of them were removed. */
    take(from: number, max: number): readonly RecordedEvent[] | null {
      return from < first ? null : events.slice(from - first, from - first + max);
    },
  };
}

/** Returns the mark of an event, or null without an event. */
export function toMark(event: RecordedEvent | undefined): LogMark | null {
  return event ? { position: event.position, id: event.id } : null;
}

/**
 * Returns true if `mark` has the position of `event` and the same id. A mark without an id matches every event at its
 * position.
 */
function isSameEvent(event: LogMark, mark: LogMark): boolean {
  return event.position === mark.position && (mark.id === null || mark.id === event.id);
}

const VALUE_bytes = 16;

/** Estimates the memory of a JSON value in bytes. It is much faster than a conversion to JSON text. */
export function estimateSize(value: unknown): number {
  if (typeof value === 'string') return VALUE_bytes + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_bytes;
  let size = VALUE_bytes;
  for (const entry of Object.values(value)) size += VALUE_bytes + estimateSize(entry);
  return size;
}
