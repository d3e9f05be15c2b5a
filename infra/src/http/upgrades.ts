import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Upgrades {
  /** Takes a WebSocket over; false when there is none to be had at this address. */
  readonly upgrade: (req: IncomingMessage, socket: Socket, head: Buffer) => boolean;
  /** The status line's end of the answer to a WebSocket nobody takes over. */
  readonly refusal?: () => string;
}

/** HTTP/2 is offered with settings beside `Upgrade` (RFC 7540, section 3.2). */
const LEFT_OUT = ['connection', 'upgrade', 'http2-settings'];

/**
 * Has WebSockets taken over. A client that offers another protocol with its request, as some offer HTTP/2, is answered in HTTP/1.1: Node
 * would leave such a request unanswered, so it is handed to the server again without the offer, as the last of its connection.
 */
export function acceptUpgrades(server: Server, { upgrade, refusal = () => '404 Not Found' }: Upgrades): void {
  server.on('upgrade', (req, socket: Socket, head) => {
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') {
      socket.unshift(Buffer.concat([Buffer.from(withoutOffers(req), 'latin1'), head]));
      server.emit('connection', socket);
      return;
    }
    // Node lets go of an upgraded socket: unheard, its error would end the process.
    socket.on('error', () => socket.destroy());
    if (upgrade(req, socket, head)) return;
    socket.end(`HTTP/1.1 ${refusal()}\r\nConnection: close\r\n\r\n`);
    socket.destroySoon();
  });
}

/** The head of a request as it came, but for what offers another protocol or says how the connection goes on. */
function withoutOffers({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'Connection: close'];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!LEFT_OUT.includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
