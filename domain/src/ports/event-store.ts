import type { StreamId } from '../aggregate.ts';

/**
 * Terms: An *event* is a fact about one *stream*, which is the history of one aggregate. The *revision* is the number
 * of an event in its stream, starting with 0. The *position* is the rank of an event among the events of all streams. A
 * *checkpoint* is the position up to which a consumer has handled events.
 */

/**
 * A position in the event log, as an opaque text. Compare positions only with `comparePositions`. The text has a fixed
 * width, so the alphabetical order of the texts is the order of the positions. The text is a decimal number (Postgres)
 * or `commit/prepare` (EventStoreDB).
 */
export type Position = string & { readonly __position: unique symbol };

/** The position before the first event of the log, in any event store. */
export const START_POSITION = '' as Position;

/**
 * A place in the event log: a position, and the id of the event at this position. After a failover or a restore,
 * another event may be at the same position, and then only the id shows the difference. The id is null for
 * `START_POSITION` and for a position that was stored without an id.
 */
export interface LogMark {
  readonly position: Position;
  readonly id: string | null;
}

/** Checks whether a text has the format of a position in the event log. Text from a client must pass this check. */
export function isPosition(text: string): text is Position {
  return /^\d{19,20}(?:\/\d{19,20})?$/u.test(text);
}

/** Returns a negative number, zero or a positive number if the position `a` is before, equal to or after `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The results of writes, of which `findLastPosition` finds the last position. */
export type Writes = readonly { readonly position: Position | null }[];

/**
 * Returns the last of the positions that several writes have in the event log, or null if no write has a position. A
 * consumer that has reached this position has handled the events of all writes.
 */
export function findLastPosition(writes: Writes): Position | null {
  const later = (last: Position | null, position: Position | null) =>
    last === null || (position !== null && comparePositions(position, last) > 0) ? position : last;
  return writes.reduce<Position | null>((last, { position }) => later(last, position), null);
}

/** The originator of an event: an account or a part of the system. */
export type Actor =
  | { readonly kind: 'account'; readonly accountId: string }
  | { readonly kind: 'system'; readonly name: string };

export interface EventMeta {
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly actor: Actor;
  /** The time of the event in ISO 8601, UTC. */
  readonly at: string;
  /**
   * The span that has appended the event, in the format of the header `traceparent` (W3C Trace Context). The spans of
   * consumers continue its trace. Absent if the trace is not recorded.
   */
  readonly traceparent?: string;
}

/** An event before it is appended. A retried append is idempotent, because the events have the same `id` (UUID). */
export interface EventToAppend {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
  readonly meta: EventMeta;
}

/** An event that is stored in the event log. */
export interface RecordedEvent extends EventToAppend {
  readonly stream: StreamId;
  readonly revision: number;
  readonly position: Position;
  /**
   * The reason why the personal fields of the event cannot be decrypted, for admins. `data` then lacks these fields.
   * Absent if the event is complete. The text contains no personal data.
   */
  readonly unreadable?: string;
}

/**
 * The state that a writer expects an event stream to have before an append: its last revision, no stream, or any state.
 */
export type ExpectedRevision = number | 'no-stream' | 'any';

export interface AppendResult {
  /** Revision of the last event that was appended. */
  readonly revision: number;
  /** Position of the last event that was appended. */
  readonly position: Position;
}

/**
 * The stream does not have the expected revision, because another writer has appended events first. Load the stream,
 * decide again and retry the append.
 */
export class ConcurrencyConflict extends Error {
  override readonly name = 'ConcurrencyConflict';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** The last revision of the stream, or -1 if it is empty. */
    readonly actual: number,
  ) {
    super(`Stream ${stream} is at revision ${actual}, expected ${expected}`);
  }
}

/**
 * The event store cannot be reached or is overloaded. It is unknown whether the events were written. Retry with the
 * same event ids, so that no event is written twice.
 */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}

/**
 * The event store can never accept these events, so a retry does not help. They exceed a limit, have a name that begins
 * with `$`, or contain invalid Unicode or U+0000. An event is also rejected if its id belongs to another event of the
 * stream. Some stores check the ids of all streams.
 */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
  /** True if the events exceed a size limit of the store. */
  readonly isTooLarge: boolean;
  constructor(
    message: string,
    { isTooLarge = false, ...options }: ErrorOptions & { readonly isTooLarge?: boolean } = {},
  ) {
    super(message, options);
    this.isTooLarge = isTooLarge;
  }
}

/**
 * The event log no longer contains the last event of a reader. A failover or a restore has replaced the log by
 * an older state, so the reader may have received events that no longer exist. The reader must continue from an event
 * that the log still contains.
 */
export class LogRewound extends Error {
  override readonly name = 'LogRewound';
  constructor(position: Position) {
    super(`The event log no longer contains the event that was read at position ${position}`);
  }
}

export interface EventStore {
  /**
   * Appends all events or none. Throws `ConcurrencyConflict` if `expectedRevision` does not match. Throws
   * `EventStoreUnavailable` if the store does not respond, and `InvalidAppend` if the events are invalid. Idempotent by
   * event id: a retry with the same events returns the first result. An append has 1 to 500 events and at most 1 MB.
   * Ids are lower-case UUIDs.
   */
  append(
    stream: StreamId,
    events: readonly EventToAppend[],
    options: { expectedRevision: ExpectedRevision },
  ): Promise<AppendResult>;

  /**
   * Returns the events of one stream in revision order, starting at revision `from`. `backwards` returns the newest
   * event first. The result is empty for an unknown stream. `limit` is at most 1,000, which is also the default.
   */
  readStream(
    stream: StreamId,
    options?: { from?: number; direction?: 'forwards' | 'backwards'; limit?: number },
  ): Promise<readonly RecordedEvent[]>;

  /**
   * Returns the events of all streams after a position, in position order. `limit` is at most 1,000, which is
   * also the default. A store that can read only where an event begins throws `LogRewound` if the log has lost the
   * event at `after`.
   */
  readAll(options: { after: Position; limit?: number; types?: readonly string[] }): Promise<readonly RecordedEvent[]>;

  /**
   * Returns the position of the last event that `readAll` can return, or `START_POSITION` if there are no events. A
   * consumer at this position has read everything.
   */
  readHead(): Promise<Position>;

  /**
   * Returns the id of the event at a position, or null if no event is at this position. A reader compares the id with
   * the id of the event that it has read there. It passes this id as `expected`, or null if it knows only the position.
   * A store whose nodes may be behind for a moment confirms a difference by a second read before it returns.
   */
  findEventId(position: Position, expected: string | null): Promise<string | null>;

  /**
   * Yields the events after a position in batches of 1 to 1,000, without gaps or repeats. Stored events come first, and
   * new events follow. With `types`, only events of these types are delivered. Ends without an error when `signal`
   * aborts. Throws `LogRewound` if `after`, or the last event that was read, is beyond the end of the log, or if
   * another event is at its position. `afterId` is the id of the event at `after`. Without it, only the position is
   * checked at the start.
   *
   * With `decrypt`, the personal fields of events of other types may still be encrypted, so the reader must not use the
   * data of these events. Other readers may receive the same event objects, so no reader may change them.
   */
  subscribeAll(options: {
    after: Position;
    afterId?: string | null;
    types?: readonly string[];
    decrypt?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<readonly RecordedEvent[]>;

  /** Releases the connections after pending appends are finished. */
  close(): Promise<void>;
}

/**
 * Estimates which part of the event log a consumer at `position` has processed, if the log ends at `head`. Returns a
 * number from 0 to 1, for display only.
 */
export function estimateProgress(position: Position, head: Position): number {
  const [done, all] = [position, head].map((text) => Number(text.split('/')[0] || 0));
  return all === undefined || done === undefined || all === 0 ? 1 : Math.min(1, done / all);
}
