import {
  LIVE_CLOSE_CODES,
  liveTopicKeyOf,
  type LiveMessage,
  type LivePosition,
  type LiveRejected,
  type LiveSubscribed,
  type LiveTopic,
} from '@alpenglow/domain';
import { WebSocket } from 'ws';
import type { LiveReceipt } from './history.ts';

const RECONNECT_ms = 100;
const HANDSHAKE_LIMIT_ms = 5_000;
/** Interval at which a client with topics replaces them by the same topics and another one. */
const RESUBSCRIBE_ms = 3_000;
/** Close codes after which a client reconnects with its last position. */
const RESUME_CODES: ReadonlySet<number> = new Set([1001, 1006, 1011, 1012, LIVE_CLOSE_CODES.tooSlow]);

export interface ProvingLiveClient {
  /** The keys of the topics of the client. Null for a client of all messages. */
  readonly topics: readonly string[] | null;
  readonly segments: readonly (readonly LiveReceipt[])[];
  readonly errors: readonly string[];
  stop(): void;
}

/** Returns a text that identifies a message and the event that it is about. */
export function liveIdentityOf(message: LiveMessage, position: bigint): string {
  const subject = 'adId' in message ? message.adId : `${message.threadId}#${message.number ?? ''}`;
  return `${position} ${message.type} ${subject} ${message.at}`;
}

/** A topic that no content has. A client adds and removes it, which must not affect its other topics. */
const UNUSED_TOPIC: LiveTopic = { kind: 'ad', adId: 'none' };

/**
 * Follows the live channel from the position in the token `since` as a browser does: it resumes after each lost
 * connection, and starts without a position when the server requests a reload. With `topics`, it subscribes to these
 * topics, and changes its subscription in intervals.
 */
export function followLive(
  url: string,
  since: string,
  positionOf: (token: string) => bigint,
  topics: readonly LiveTopic[] | null = null,
): ProvingLiveClient {
  const segments: LiveReceipt[][] = [[]];
  const errors: string[] = [];
  let last: string | null = since;
  let isStopped = false;
  let subscriptions = 0;
  let socket: WebSocket;
  function subscribe(): void {
    if (topics === null || socket.readyState !== WebSocket.OPEN) return;
    subscriptions += 1;
    const all = subscriptions % 2 === 0 ? [...topics, UNUSED_TOPIC] : topics;
    socket.send(JSON.stringify({ type: 'subscribe', id: subscriptions, topics: all }));
  }
  function connect(): void {
    const query = new URLSearchParams({ ...(last !== null && { since: last }), ...(topics && { topics: 'none' }) });
    socket = new WebSocket(`${url.replace('http', 'ws')}/api/live?${query}`, { handshakeTimeout: HANDSHAKE_LIMIT_ms });
    socket.on('open', subscribe);
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as LiveMessage | LiveSubscribed | LiveRejected | LivePosition;
      if (message.type === 'rejected') {
        errors.push(`rejected subscription: ${message.reason}`);
        return;
      }
      last = message.seq ?? last;
      if (message.type === 'position' || message.type === 'subscribed') return;
      const position = positionOf(message.seq);
      segments.at(-1)?.push({ position, identity: liveIdentityOf(message, position), received_ms: Date.now() });
    });
    socket.on('error', () => undefined);
    socket.once('close', (code) => {
      if (isStopped) return;
      if (code === LIVE_CLOSE_CODES.tooOld) {
        last = null;
        segments.push([]);
      } else if (!RESUME_CODES.has(code)) errors.push(`close code ${code}`);
      setTimeout(connect, RECONNECT_ms);
    });
  }
  connect();
  const timer = topics && setInterval(subscribe, RESUBSCRIBE_ms);
  return {
    topics: topics && topics.map((topic) => liveTopicKeyOf(topic, null) ?? ''),
    segments,
    errors,
    stop() {
      isStopped = true;
      if (timer) clearInterval(timer);
      socket.terminate();
    },
  };
}
