import type { LiveMessage } from '@alpenglow/domain';
import { WebSocket } from 'ws';

/** A client of the live channel. After every disconnection, it reconnects and resumes after its last message. */
export interface ReconnectingLiveClient {
  /** Messages of all connections of the client. */
  readonly messages: readonly LiveMessage[];
  readonly connections: number;
  /**
   * Unexpected close codes, handshake responses and protocol errors. Lost connections and requests to reconnect are
   * expected.
   */
  readonly unexpectedErrors: readonly (number | string)[];
  stop(): void;
}

const RECONNECT_DELAY_ms = 100;
/**
 * Close codes after which a client reconnects. They mean that the server stops or restarts, that an error occurred, or
 * that the connection was lost.
 */
const RECONNECT_CODES = new Set([1001, 1006, 1011, 1012]);
const UNAVAILABLE = 'Unexpected server response: 503';
/** Matches error messages about an unexpected handshake response or an invalid frame. */
const PROTOCOL_ERROR = /^(?:Unexpected server response|Invalid WebSocket frame|Invalid Sec-WebSocket|Server sent)/u;

/**
 * Connects to the live channel at `url` and reconnects when necessary. Receives the messages after the position
 * `since`, or only new messages by default. Resolves when the first connection is open.
 */
export async function connectReconnectingLive(
  url: string,
  since: string | null = null,
): Promise<ReconnectingLiveClient> {
  const messages: LiveMessage[] = [];
  const rejections: (number | string)[] = [];
  let connections = 0;
  let socket: WebSocket;
  let isStopped = false;

  function connect(onOpen: () => void): void {
    const last = messages.at(-1)?.seq ?? since;
    socket = new WebSocket(
      `${url.replace('http', 'ws')}/api/live${last === null ? '' : `?since=${encodeURIComponent(last)}`}`,
      { handshakeTimeout: 5_000 },
    );
    socket.once('open', () => {
      connections += 1;
      onOpen();
    });
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString('utf8')) as LiveMessage));
    socket.on('error', ({ message }) => {
      if (PROTOCOL_ERROR.test(message) && message !== UNAVAILABLE) rejections.push(message);
    });
    socket.once('close', (code) => {
      if (!RECONNECT_CODES.has(code) && !isStopped) rejections.push(code);
      if (!isStopped) setTimeout(() => connect(onOpen), RECONNECT_DELAY_ms);
    });
  }
  await new Promise<void>(connect);
  return {
    messages,
    unexpectedErrors: rejections,
    get connections() {
      return connections;
    },
    stop() {
      isStopped = true;
      socket.terminate();
    },
  };
}
