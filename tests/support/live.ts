import { setTimeout as pause } from 'node:timers/promises';
import type { LivePosition, LiveMessage, LiveRejected, LiveSubscribed } from '@alpenglow/domain';
import { WebSocket } from 'ws';
import { MAX_WAIT_ms } from './max-wait.ts';

/** A message about the subscription of a client. */
type LiveReply = LiveSubscribed | LiveRejected | LivePosition;
const REPLY_TYPES = ['subscribed', 'rejected', 'position'];

export interface LiveClient {
  readonly messages: readonly LiveMessage[];
  readonly replies: readonly LiveReply[];
  /** Sends a text, or an object as JSON. */
  send(message: string | object): void;
  /** Sends a message and resolves with the next reply. Other messages must not be sent meanwhile. */
  ask(message: string | object): Promise<LiveReply>;
  /**
   * Resolves with the first message that matches, even if that message has already arrived. Rejects after `timeout_ms`.
   */
  next(matches: (message: LiveMessage) => boolean, timeout_ms?: number): Promise<LiveMessage>;
  /** Resolves with the close code when the server closes the connection. */
  readonly closed: Promise<number>;
  /** Stops reading from the connection, so that messages accumulate on the server. */
  pause(): void;
  resume(): void;
  close(): void;
}

const RETRY_ms = 50;

/**
 * Connects to the live channel of the product at `url` and waits until the connection is open. If the channel has not
 * started yet, the product responds with 503. The client then connects again, as browsers do.
 */
export async function connectLive(url: string, query: Record<string, string> = {}): Promise<LiveClient> {
  const until_ms = performance.now() + MAX_WAIT_ms;
  for (;;) {
    try {
      return await connectLiveOnce(url, query);
    } catch (error) {
      if (!String(error).endsWith('Unexpected server response: 503') || performance.now() > until_ms) throw error;
    }
    await pause(RETRY_ms);
  }
}

/** Connects like `connectLive`, but rejects if the channel has not started yet. */
export async function connectLiveOnce(url: string, query: Record<string, string> = {}): Promise<LiveClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/live?${new URLSearchParams(query).toString()}`);
  const messages: LiveMessage[] = [];
  const watchers = new Set<(message: LiveMessage) => void>();
  const replies: LiveReply[] = [];
  let onReply: (reply: LiveReply) => void = () => undefined;
  const sendMessage = (message: string | object) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString('utf8')) as LiveMessage | LiveReply;
    if (isReply(message)) {
      replies.push(message);
      onReply(message);
      return;
    }
    messages.push(message);
    for (const watch of watchers) watch(message);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return {
    messages,
    replies,
    send: sendMessage,
    ask(message) {
      const received = new Promise<LiveReply>((resolve) => (onReply = resolve));
      sendMessage(message);
      return received;
    },
    closed,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.close(),
    next(matches, timeout_ms = MAX_WAIT_ms) {
      const known = messages.find(matches);
      if (known) return Promise.resolve(known);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(watch);
          reject(new Error(`No such message in ${timeout_ms} ms; got ${JSON.stringify(messages)}`));
        }, timeout_ms);
        const watch = (message: LiveMessage) => {
          if (!matches(message)) return;
          clearTimeout(timer);
          watchers.delete(watch);
          resolve(message);
        };
        watchers.add(watch);
      });
    },
  };
}

const isReply = (message: LiveMessage | LiveReply): message is LiveReply => REPLY_TYPES.includes(message.type);
