/**
 * Glossary. An *event* is a fact about one *stream* (one aggregate's history). Its *revision* counts from 0 inside
 * the stream; its *position* orders it among all streams. A *checkpoint* is the position a reader has finished.
 */

/**
 * An opaque, totally ordered token. Compare only with `comparePositions`; never do arithmetic on it.
 * Written as fixed-width decimal text (Postgres) or `commit/prepare` of fixed width (EventStoreDB), so that text order is position order.
 */
export type Position = string & { readonly __position: unique symbol };

/** The position before the first event of any store. */
export const START = '' as Position;

/** True for the text of a position as this port writes it; what a client sends is none until this says so. */
export function isPosition(text: string): text is Position {
  return /^\d{19,20}(?:\/\d{19,20})?$/u.test(text);
}

/** Negative, zero or positive as `a` lies before, at or after `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Who caused an event: an account, or a part of the system. */
export type Actor =
  | { readonly kind: 'account'; readonly accountId: string }
  | { readonly kind: 'system'; readonly name: string };

export interface EventMeta {
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly actor: Actor;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** An event as a writer hands it over. `id` (UUID) makes a retried append idempotent. */
export interface EventToAppend {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
  readonly meta: EventMeta;
}

/** An event as a reader gets it. */
export interface RecordedEvent extends EventToAppend {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
}

/** What the writer believes the stream to be at: its last revision, empty, or no opinion. */
export type ExpectedRevision = number | 'no-stream' | 'any';

export interface AppendResult {
  /** Revision of the last event appended. */
  readonly revision: number;
  /** Position of the last event appended. */
  readonly position: Position;
}

/** Another writer was first: the stream is not at the expected revision. Load, decide and try again. */
export class ConcurrencyConflict extends Error {
  override readonly name = 'ConcurrencyConflict';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** The stream's last revision, or -1 when it is empty. */
    readonly actual: number,
  ) {
    super(`Stream ${stream} is at revision ${actual}, expected ${expected}`);
  }
}

/** The store cannot be reached or is shedding load. Nothing is known to be written; retry with the same event ids. */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}

/**
 * These events can never be stored: a limit, an id another event of the stream has (some stores notice it in any stream), a name that
 * begins with `$`, text that is no Unicode (or holds U+0000). Retrying does not help.
 */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
}

export interface EventStore {
  /**
   * Appends all events or none. Throws `ConcurrencyConflict` when `expectedRevision` does not hold, `EventStoreUnavailable`
   * when the store cannot answer, `InvalidAppend` when the events themselves are at fault. Idempotent by event id: a retry
   * of the same events returns the first answer. 1 to 500 events and at most 1 MB an append; ids are lower-case UUIDs.
   */
  append(
    stream: string,
    events: readonly EventToAppend[],
    options: { expectedRevision: ExpectedRevision },
  ): Promise<AppendResult>;

  /**
   * Events of one stream in revision order (`backwards`: newest first), starting at revision `from`. An unknown stream is empty.
   * `limit` defaults to 1,000 and is capped there.
   */
  readStream(
    stream: string,
    options?: { from?: number; direction?: 'forwards' | 'backwards'; limit?: number },
  ): Promise<readonly RecordedEvent[]>;

  /** Events of all streams after a position, in position order. `limit` defaults to 1,000 and is capped there. */
  readAll(options: { after: Position; limit?: number; types?: readonly string[] }): Promise<readonly RecordedEvent[]>;

  /** The position of the last event that `readAll` can give, or `START`: where a reader who has seen everything stands. */
  head(): Promise<Position>;

  /**
   * Batches (1 to 1,000 events) of all events after a position: history first, then live, without a gap or a repeat,
   * until `signal` aborts. With `types`, only those types are delivered. Ends without an error on abort.
   */
  subscribeAll(options: {
    after: Position;
    types?: readonly string[];
    signal: AbortSignal;
  }): AsyncIterable<readonly RecordedEvent[]>;

  /** Releases connections. Appends under way finish first. */
  close(): Promise<void>;
}

/** How far `position` is on the way to `head`, 0 to 1: an estimate to show people, nothing to decide on. */
export function progressTowards(position: Position, head: Position): number {
  const [done, all] = [position, head].map((one) => Number(one.split('/')[0] || 0));
  return all === undefined || done === undefined || all === 0 ? 1 : Math.min(1, done / all);
}
