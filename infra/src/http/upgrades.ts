import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { hasTooManyHeaders, MAX_HEADERS } from './header-count.ts';

export interface UpgradeOptions {
  /** Accepts a WebSocket. Returns false if no WebSocket exists at the requested path. */
  readonly upgrade: (req: IncomingMessage, socket: Socket, head: Buffer) => boolean;
  /** Returns the status code and text of the response to a rejected WebSocket, e.g. `404 Not Found`. */
  readonly rejectionStatus?: () => string;
  /** Maximum number of headers of a request. */
  readonly maxHeaders?: number;
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
  { upgrade, rejectionStatus = () => '404 Not Found', maxHeaders = MAX_HEADERS }: UpgradeOptions,
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
    else if (!upgrade(req, socket, head)) rejectUpgrade(socket, rejectionStatus());
  });
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
