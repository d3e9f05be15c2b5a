import { request, type Agent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Socket } from 'node:net';

/** How a request fared before an answer began. */
export type Fault =
  /** Nothing of it has reached anybody: another process may have it. */
  | 'not connected'
  /** The connection ended: the request may have had its effect. */
  | 'lost'
  /** It was taken, and nothing was heard for too long. */
  | 'silent';

/** What came of a request: an answer whose head is there, a connection that was taken over, or a fault. */
export type Sent =
  | { readonly answer: IncomingMessage }
  | { readonly upgraded: { readonly answer: IncomingMessage; readonly socket: Duplex; readonly head: Buffer } }
  | { readonly fault: Fault };

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Nothing, all of it, or a stream that is not touched before there is a connection. */
  readonly body: Buffer | Readable | null;
}

/** A connection is there within this time, waiting for a free one included. */
const CONNECT_ms = 1_500;
/** A service that says nothing for so long is given up. Longer than any answer of ours waits for something. */
const SILENCE_ms = 60_000;

/** Sends a request to the process at `url`. Aborting drops it. Never rejects. */
export function send(
  url: string,
  { method, path, headers, body }: Outgoing,
  agent: Agent | false,
  signal: AbortSignal,
): Promise<Sent> {
  return new Promise((resolve) => {
    let isConnected = false;
    const { hostname, port } = new URL(url);
    const outgoing: ClientRequest = request({
      host: hostname.replace(/^\[|\]$/gu, ''),
      port,
      method,
      path,
      headers,
      agent,
      signal,
      setHost: false,
    });
    const connecting = setTimeout(() => outgoing.destroy(), CONNECT_ms);
    const settle = (sent: Sent) => {
      clearTimeout(connecting);
      resolve(sent);
    };
    const begin = () => {
      isConnected = true;
      clearTimeout(connecting);
      if (body === null || Buffer.isBuffer(body)) outgoing.end(body ?? undefined);
      else body.pipe(outgoing);
    };
    let isSilent = false;
    outgoing.setTimeout(SILENCE_ms, () => {
      isSilent = true;
      outgoing.destroy();
    });
    outgoing.once('socket', (socket: Socket) => {
      if (socket.connecting) socket.once('connect', begin);
      else begin();
    });
    outgoing.once('response', (answer) => settle({ answer }));
    outgoing.once('upgrade', (answer, socket, head) => settle({ upgraded: { answer, socket, head } }));
    const fail = () => settle({ fault: !isConnected ? 'not connected' : isSilent ? 'silent' : 'lost' });
    outgoing.on('error', fail);
    // Destroyed without an error of its own.
    outgoing.once('close', fail);
  });
}
