import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { findClientAddress } from './client-address.ts';
import type { FairQueue } from './fair-queue.ts';
import { BusyError } from './waiting-requests.ts';
import { hasSeveralHosts, hasTooManyHeaders, MAX_HEADERS } from './header-count.ts';

/**
 * Accepts a WebSocket. Calls `onAccepted` when the caller is checked and the first messages are sent. Returns false if
 * no WebSocket exists at the requested path.
 */
export type AcceptWebSocket = (req: IncomingMessage, socket: Socket, head: Buffer, onAccepted: () => void) => boolean;

/** The queue in which handshakes wait for their turn like all requests, and the number of trusted proxies. */
interface HandshakeQueue {
  readonly queue: FairQueue;
  readonly trustedProxies: number;
}

export interface UpgradeOptions {
  readonly upgrade: AcceptWebSocket;
  /** Returns the status code and text of the response to a rejected WebSocket, e.g. `404 Not Found`. */
  readonly rejectionStatus?: () => string;
  /** Maximum number of headers of a request. */
  readonly maxHeaders?: number;
  /** By default, handshakes do not wait. */
  readonly admission?: HandshakeQueue | undefined;
}

/**
 * Request headers that are removed when a request is handled as HTTP/1.1. A client that offers HTTP/2 sends
 * `HTTP2-Settings` (RFC 7540, section 3.2).
 */
const REMOVED_HEADERS = ['connection', 'upgrade', 'http2-settings'];

/**
 * Accepts WebSockets on a server. A client may also offer another protocol, such as HTTP/2, and Node does not respond
 * to such a request. Therefore, the request is passed to the server again without the offer. It then receives an
 * HTTP/1.1 response, after which the connection is closed.
 */
export function acceptUpgrades(
  server: Server,
  { upgrade, rejectionStatus = () => '404 Not Found', maxHeaders = MAX_HEADERS, admission }: UpgradeOptions,
): void {
  server.on('upgrade', (req, socket: Socket, head) => {
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') {
      socket.unshift(Buffer.concat([Buffer.from(serializeWithoutOffers(req), 'latin1'), head]));
      server.emit('connection', socket);
      return;
    }
    // Node does not handle errors of an upgraded socket, and an error without a listener ends the process.
    socket.on('error', () => socket.destroy());
    if (hasTooManyHeaders(req, maxHeaders)) rejectUpgrade(socket, '431 Request Header Fields Too Large');
    else if (hasSeveralHosts(req)) rejectUpgrade(socket, '400 Bad Request');
    else
      void acceptInTurn(req, socket, admission, (onAccepted) => {
        if (!upgrade(req, socket, head, onAccepted)) rejectUpgrade(socket, rejectionStatus());
      });
  });
}

/**
 * Calls `accept` when the handshake may run. Its turn ends when the WebSocket is accepted or closed. A handshake that
 * waits too long gets a response with status 503.
 */
async function acceptInTurn(
  req: IncomingMessage,
  socket: Socket,
  admission: HandshakeQueue | undefined,
  accept: (onAccepted: () => void) => void,
): Promise<void> {
  if (!admission) {
    accept(() => undefined);
    return;
  }
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  try {
    const turn = await admission.queue.enter(findClientAddress(req, admission.trustedProxies), closed.signal);
    socket.once('close', () => turn.end());
    if (socket.destroyed) turn.end();
    else accept(() => turn.end());
  } catch (error) {
    if (!socket.destroyed) rejectUpgrade(socket, '503 Service Unavailable');
    if (!(error instanceof BusyError) && !closed.signal.aborted) throw error;
  }
}

/**
 * Returns the request line and headers of a request, without the headers that offer another protocol or control the
 * connection.
 */
function serializeWithoutOffers({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'Connection: close'];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!REMOVED_HEADERS.includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Rejects a WebSocket request: sends an error response without a body, and closes the connection. */
export function rejectUpgrade(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.destroySoon();
}
