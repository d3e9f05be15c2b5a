import type { LiveMessage } from '@alpenglow/domain';
import { LIVE_CLOSE_CODES } from '@alpenglow/domain';
import { WebSocket } from 'ws';
import type { LiveReceipt } from './history.ts';

const RECONNECT_ms = 100;
const HANDSHAKE_LIMIT_ms = 5_000;
/** Close codes after which a client reconnects with its last position. */
const RESUME_CODES: ReadonlySet<number> = new Set([1001, 1006, 1011, 1012, LIVE_CLOSE_CODES.tooSlow]);

export interface ProvingLiveClient {
  readonly segments: readonly (readonly LiveReceipt[])[];
  readonly errors: readonly string[];
  stop(): void;
}

/** Returns a text that identifies a message and the event that it is about. */
export function liveIdentityOf(message: LiveMessage, position: bigint): string {
  const subject = 'adId' in message ? message.adId : `${message.threadId}#${message.number ?? ''}`;
  return `${position} ${message.type} ${subject} ${message.at}`;
}

/**
 * Follows the live channel from the position in the token `since` as a browser does: it resumes after each lost
 * connection, and starts without a position when the server requests a reload.
 */
export function followLive(url: string, since: string, positionOf: (token: string) => bigint): ProvingLiveClient {
  const segments: LiveReceipt[][] = [[]];
  const errors: string[] = [];
  let last: string | null = since;
  let isStopped = false;
  let socket: WebSocket;
  function connect(): void {
    const query = last === null ? '' : `?since=${encodeURIComponent(last)}`;
    socket = new WebSocket(`${url.replace('http', 'ws')}/api/live${query}`, { handshakeTimeout: HANDSHAKE_LIMIT_ms });
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as LiveMessage;
      last = message.seq;
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
  return {
    segments,
    errors,
    stop() {
      isStopped = true;
      socket.terminate();
    },
  };
}
