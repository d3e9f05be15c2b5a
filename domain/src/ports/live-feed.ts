import type { LiveMessage } from '../contracts/live.ts';
import type { Position } from './event-store.ts';

/** A stretch of what is told live. */
export interface LiveBatch {
  /**
   * Everything after this position, up to `through`, is in `messages`. Equals `through` of the batch before, unless the feed had
   * to begin anew further on: then what lies between is for the event store to tell.
   */
  readonly after: Position;
  /** In position order, each once. `seq` is the position. */
  readonly messages: readonly LiveMessage[];
  readonly through: Position;
}

/** Where live messages come from. Each follower has a place of its own. */
export interface LiveFeed {
  /**
   * The messages of the recent past and from now on, in position order, without a gap or a repeat, through outages, until `signal`
   * aborts or the feed is closed; then it ends without an error. The first batch says, perhaps with no messages, where telling begins.
   */
  follow(options: { signal: AbortSignal }): AsyncIterable<LiveBatch>;
  /** Ends every follower. */
  close(): Promise<void>;
}

/** A stretch of what is to be told: like a `LiveBatch`, each message with the stream of its event. */
export interface RelayedBatch {
  readonly after: Position;
  readonly messages: readonly { readonly stream: string; readonly message: LiveMessage }[];
  readonly through: Position;
}

/** Where a relay hands live messages over to the feeds of other processes. */
export interface LivePublisher {
  /**
   * Resolves once the batch is kept. Rejects when it may not be, within seconds: publish it again. Repeats do no harm, nor do batches
   * of several relays in any order, as each says what it leaves out. Without messages it tells how far the relay has come.
   */
  publish(batch: RelayedBatch): Promise<void>;
  close(): Promise<void>;
}
