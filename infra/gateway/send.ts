import { request, type Agent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { REQUEST_WAIT_MAX_ms } from '../src/service/config.ts';

/** The reason why a forwarded request received no response. */
type Failure =
  /** No part of the request was sent, so the request may be sent to another process. */
  | 'not connected'
  /** The connection ended before a response, but the request may have taken effect. */
  | 'lost'
  /** The service accepted the request but did not respond in time. */
  | 'silent';

/**
 * The result of a forwarded request. It is a response whose headers have arrived, an upgraded connection (e.g. a
 * WebSocket), or a failure.
 */
export type SendResult =
  | { readonly response: IncomingMessage }
  | { readonly upgraded: { readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer } }
  | { readonly failure: Failure };

export interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /**
   * The body of the request as complete bytes, or as a stream that is read after the connection is open. Null if there
   * is no body.
   */
  readonly body: Buffer | Readable | null;
}

/** The maximum time to open a connection, including the wait for a free connection. */
const CONNECT_ms = 1_500;
/**
 * The maximum time without data from a service. It is longer than the longest time for which an operation delays its
 * response.
 */
const SILENCE_ms = REQUEST_WAIT_MAX_ms + 15_000;

/** Sends a request to the process at `url`, and cancels it when `signal` aborts. Never rejects. */
export function send(
  url: string,
  { method, path, headers, body }: OutgoingRequest,
  agent: Agent | false,
  signal: AbortSignal,
): Promise<SendResult> {
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
    const connectTimeout = setTimeout(() => outgoing.destroy(), CONNECT_ms);
    const settle = (sent: SendResult) => {
      clearTimeout(connectTimeout);
      resolve(sent);
    };
    const begin = () => {
      isConnected = true;
      clearTimeout(connectTimeout);
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
    outgoing.once('response', (response) => settle({ response }));
    outgoing.once('upgrade', (response, socket, head) => settle({ upgraded: { response, socket, head } }));
    const fail = () => settle({ failure: !isConnected ? 'not connected' : isSilent ? 'silent' : 'lost' });
    outgoing.on('error', fail);
    // `close` also counts as a failure, because a destroyed request may close without an error event.
    outgoing.once('close', fail);
  });
}
