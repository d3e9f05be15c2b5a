import type { StreamId } from '../aggregate.ts';
import type { LiveMessage } from '../contracts/live.ts';
import type { Position } from './event-store.ts';

/** A batch of live messages from a range of positions. */
export interface LiveBatch {
  /**
   * The batch contains the messages after `after`, up to and including `through`. `after` usually equals `through` of
   * the previous batch. A later `after` means that the feed has lost messages, which the caller reads from the event
   * store.
   */
  readonly after: Position;
  /** The messages in the order of their positions, each exactly once. `seq` is the position. */
  readonly messages: readonly LiveMessage[];
  readonly through: Position;
}

/** The source of live messages. Each follower has its own position. */
export interface LiveFeed {
  /**
   * Yields recent and new messages in position order, without gaps or repeats, even across outages. It ends
   * without an error when `signal` aborts or the feed is closed. The first batch contains the start position
   * and may have no messages.
   */
  follow(options: { signal: AbortSignal }): AsyncIterable<LiveBatch>;
  /** Ends the iteration of every follower. */
  close(): Promise<void>;
}

/** A batch of live messages that a relay publishes. Each message has the stream of its event. */
export interface RelayBatch {
  readonly after: Position;
  readonly messages: readonly { readonly stream: StreamId; readonly message: LiveMessage }[];
  readonly through: Position;
}

/** Sends live messages from a relay to the feeds of other processes. */
export interface LivePublisher {
  /**
   * Resolves when the batch is stored. Rejects within seconds if the batch may not be stored, and the caller must
   * publish it again. Batches may be repeated, and may arrive from several relays in any order, because each batch
   * states its range. A batch without messages reports the progress of the relay.
   */
  publish(batch: RelayBatch): Promise<void>;
  close(): Promise<void>;
}
