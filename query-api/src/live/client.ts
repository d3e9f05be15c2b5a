import { LIVE_CLOSE_CODES, START_POSITION, type LiveSubscribe, type Position } from '@alpenglow/domain';
import type { WebSocket } from 'ws';
import type { LiveKeys } from './live-subjects.ts';

/** A connection of a client. The comment of each mutable property names the only module that changes it. */
export interface LiveClient {
  readonly socket: WebSocket;
  /** The keys of the topics of the client. Null for a client that receives all messages. (subscriptions.ts) */
  keys: ReadonlySet<string> | null;
  /** The account of the signed-in user, or null. (admission.ts) */
  accountId: string | null;
  /**
   * `opening` while the client is checked or receives earlier messages, `waiting` until it sends its first topics.
   * (subscriptions.ts)
   */
  state: 'opening' | 'waiting' | 'open';
  /** The client receives the messages after this position. (admission.ts) */
  since: Position;
  /** A subscription that arrived while the client was `opening`. A newer one replaces it. (subscriptions.ts) */
  pending: LiveSubscribe | null;
  /**
   * The last position that a client with topics has received. A heartbeat sends the position only if it is newer.
   * (sender.ts)
   */
  knownUpTo: Position;
  /**
   * The number of messages that the client may send now, and the time at which it was computed. (client-messages.ts)
   */
  allowance: number;
  allowanceAt_ms: number;
}

/** Forgets a client, so that it receives no more messages, and closes its connection with this code and reason. */
export type Disconnect = (client: LiveClient, code: number, reason: string) => void;

/** A client may send this many messages at once. */
export const MESSAGE_BURST = 30;

/** WebSocket close codes after which a client connects again. `FAILED` reports an error of the server. */
const RESUME = 1012;
const FAILED = 1011;

/**
 * Creates a client that is not checked yet. `position` is the position at which its connection was opened. With
 * `usesTopics`, it receives only the messages of topics, and has none at first.
 */
export function createClient(socket: WebSocket, usesTopics: boolean, position: Position): LiveClient {
  return {
    socket,
    keys: usesTopics ? new Set() : null,
    accountId: null,
    state: 'opening',
    since: position,
    pending: null,
    knownUpTo: START_POSITION,
    allowance: MESSAGE_BURST,
    allowanceAt_ms: performance.now(),
  };
}

/** Returns true if a message concerns a client. A client without topics, e.g. a hidden tab, receives no message. */
export function isConcerned({ keys: own }: LiveClient, keys: LiveKeys): boolean {
  return own === null || (keys === null ? own.size > 0 : keys.some((key) => own.has(key)));
}

/** Closes a connection. The client connects again and resumes after the last message that it received. */
export const closeToResume = (socket: WebSocket): void => socket.close(RESUME, 'resume with since');

/** The code and reason with which a connection closes whose client must load its data again. */
export const RELOAD = [LIVE_CLOSE_CODES.tooOld, 'reload and connect without since'] as const;

/** Closes a connection whose client must load its data again. */
export const closeToReload = (socket: WebSocket): void => socket.close(...RELOAD);

/** Closes a connection after an error of the server. The client connects again. */
export const closeAfterError = (socket: WebSocket): void => socket.close(FAILED, 'try again');
