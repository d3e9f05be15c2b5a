import type { StreamId } from '../aggregate.ts';
import type { LiveMessage } from '../contracts/live.ts';
import type { Position } from './event-store.ts';

/**
 * A live message with the id of its event. The id shows whether the log still contains the event. Clients receive it
 * only inside an encrypted token. Absent if a relay of an earlier build wrote the message.
 */
export type FeedMessage = LiveMessage & {
  readonly eventId?: string;
  /** The span that has caused the message. Clients do not receive it. Absent if the trace is not recorded. */
  readonly traceparent?: string;
};

/**
 * A batch of live messages, which notify browsers of changes. The batch covers a range of positions in the event log.
 */
export interface LiveBatch {
  /**
   * The batch covers the positions in the event log after `after`, up to and including `through`. `after` usually
   * equals `through` of the previous batch. If `after` is later, the feed has lost messages, and the caller must read
   * the missing events from the event store. `after` is earlier only if `isLogReplaced` is true, or in the first
   * batch of another call of `follow`.
   */
  readonly after: Position;
  /**
   * The messages without repeats, in the order of their events in the log. `seq` of a message is the position of its
   * event.
   */
  readonly messages: readonly FeedMessage[];
  readonly through: Position;
  /** The id of the event at `through`. Omitted if it is unknown. */
  readonly throughId?: string | null;
  /**
   * True if the event log was replaced by an older state. Earlier batches then contained events that the log has lost,
   * so the data of all clients may be wrong. The positions of this batch may be before those of earlier batches.
   */
  readonly isLogReplaced?: boolean;
}

/**
 * The source of the live messages, which notify browsers of changes. Each call of `follow` has its own position in the
 * event log.
 */
export interface LiveFeed {
  /**
   * Yields recent and new messages in the order of the event log, without gaps or repeats, even across outages. The
   * iteration ends without an error when `signal` aborts or the feed is closed. The first batch contains the start
   * position and may have no messages. Throws `LogRewound` if the feed reads the event log itself, and the log was
   * replaced by an older state.
   */
  follow(options: { signal: AbortSignal }): AsyncIterable<LiveBatch>;
  /** Ends all iterations that callers of `follow` have started. */
  close(): Promise<void>;
}

/**
 * A batch of live messages that a relay publishes. A relay is a background task that converts new events to live
 * messages. `stream` is the event stream that a message is about.
 */
export interface RelayBatch {
  readonly after: Position;
  readonly messages: readonly { readonly stream: StreamId; readonly message: FeedMessage }[];
  readonly through: Position;
  /** The id of the event at `through`. Omitted if it is unknown. */
  readonly throughId?: string | null;
  /**
   * Identifies the run of the relay. A later run has a name that sorts after the names of earlier runs. Each run begins
   * with a batch without messages. The log may have been replaced by an older state between two runs, so readers check
   * this when a run begins.
   */
  readonly run?: string;
}

/**
 * Sends live messages from a relay to the processes that forward them to browsers. A relay is a background task that
 * converts new events to live messages.
 */
export interface LivePublisher {
  /**
   * Resolves when the batch is stored. Rejects within seconds if it is unknown whether the batch is stored. The caller
   * must then publish the batch again. Each batch states the range of positions that it covers. Batches may therefore
   * be repeated, and may arrive from several relays in any order. A batch without messages reports the progress of the
   * relay.
   */
  publish(batch: RelayBatch): Promise<void>;
  close(): Promise<void>;
}
