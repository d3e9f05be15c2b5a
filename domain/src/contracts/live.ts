/**
 * Messages that the live channel (a WebSocket) sends to browsers. The messages contain only public
 * data.
 */

import type {
  adLiveMessage,
  liveMessage,
  livePosition,
  liveRejected,
  liveSubscribe,
  liveSubscribed,
  liveTopic,
  threadLiveMessage,
} from '../api/schemas/live.ts';
import type { View } from './view.ts';

/**
 * A message about one change. `seq` is its position in the event log. Clients receive it as an encrypted token. When a
 * client reconnects, it sends the `seq` of the last received message as `since`. The server then sends all later
 * messages, so that the client misses none.
 */
export type LiveMessage = View<typeof liveMessage>;
/** A message about a change of an ad. `place` is null for types of messages that do not contain the place of the ad. */
export type AdLiveMessage = View<typeof adLiveMessage>;
/** A message about a change of a community thread. */
export type ThreadLiveMessage = View<typeof threadLiveMessage>;

/**
 * Content that a client displays, e.g. the ads of a place. A client that sends topics receives only the messages about
 * this content. A client that sends none receives all messages.
 */
export type LiveTopic = View<typeof liveTopic>;
/** Replaces the topics of a connection. */
export type LiveSubscribe = View<typeof liveSubscribe>;
export type LiveSubscribed = View<typeof liveSubscribed>;
export type LiveRejected = View<typeof liveRejected>;
export type LivePosition = View<typeof livePosition>;

export function isAdMessage(message: LiveMessage): message is AdLiveMessage {
  return 'adId' in message;
}

export function isThreadMessage(message: LiveMessage): message is ThreadLiveMessage {
  return 'threadId' in message;
}

/** WebSocket close codes of the live channel, in addition to the standard ones. */
export const LIVE_CLOSE_CODES = {
  /** The token is unknown, expired or revoked. */
  invalidToken: 4401,
  /** The client reads too slowly. It must reconnect with the last received `seq` as `since`. */
  tooSlow: 4408,
  /**
   * The `since` of the client is too far in the past, or the event log has lost the event at this position. The client
   * must reload its data and connect without `since`.
   */
  tooOld: 4410,
  /** The server process already has its maximum number of clients. */
  full: 4429,
} as const;
