import { Agent, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { DomainError } from '@alpenglow/domain';
import type { RequestHandler } from 'express';
import { getCloseSignal } from '../src/http/close-signal.ts';
import { hasBody } from '../src/http/json-body.ts';
import { createForwardedTraceparent, getRequestId } from '../src/http/request-context.ts';
import { rejectUpgrade } from '../src/http/upgrades.ts';
import { endToEndHeaders, parsePlainPath, createServiceHeaders } from './headers.ts';
import type { RecordAttempt } from './gateway-metrics.ts';
import { findRoute, type ServiceName } from './routes.ts';
import { send, type OutgoingRequest, type SendResult } from './send.ts';
import type { Upstream, UpstreamGroup } from './upstreams.ts';

const SOCKETS_PER_UPSTREAM = 512;
const UPLOADS_PER_UPSTREAM = 128;
/**
 * The maximum time that an unused connection to a service stays open. It is shorter than the keep-alive time of the
 * services, so that no request is sent on a connection that a service is closing.
 */
const KEEP_ALIVE_ms = 30_000;
const RETRY_AFTER_s = 1;

/**
 * Creates a proxy that forwards each request to one of the processes of a service. If the connection fails or a read is
 * interrupted, the request is sent to another process. A write that may have taken effect is never sent again.
 * `trustedProxies` is the number of proxies in front of the gateway. `recordAttempt` is called with the result of each
 * attempt to send a request.
 */
export function createProxy(
  groups: Readonly<Record<ServiceName, UpstreamGroup>>,
  { trustedProxies, recordAttempt }: { readonly trustedProxies: number; readonly recordAttempt: RecordAttempt },
) {
  const createAgent = (maxSockets: number) => new Agent({ keepAlive: true, maxSockets, timeout: KEEP_ALIVE_ms });
  // Uploads use a separate connection pool, so that slow uploads do not occupy the connections of other
  // requests.
  const agents = { usual: createAgent(SOCKETS_PER_UPSTREAM), uploads: createAgent(UPLOADS_PER_UPSTREAM) };
  const webSockets = new Set<Socket>();

  /**
   * Sends a request to the processes of a service, one after the other, and yields the result of each attempt. The
   * caller stops when a result is final. A request counts as open until the caller has handled its result.
   */
  async function* sendToEach(
    service: ServiceName,
    outgoing: OutgoingRequest,
    agent: Agent | false,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly upstream: Upstream; readonly sent: SendResult }> {
    const group = groups[service];
    const tried = new Set<Upstream>();
    for (let upstream = group.pickLeastBusy(tried); upstream; upstream = group.pickLeastBusy(tried)) {
      tried.add(upstream);
      upstream.active += 1;
      try {
        const begun_ms = performance.now();
        const sent = await send(upstream.url, outgoing, agent, signal);
        // An attempt that the client has aborted says nothing about the service.
        if (!signal.aborted) recordAttempt(service, sent, (performance.now() - begun_ms) / 1_000);
        yield { upstream, sent };
      } finally {
        upstream.active -= 1;
      }
    }
  }

  const handler: RequestHandler = async (req, res) => {
    const path = parsePlainPath(req.url);
    if (path === null) throw new DomainError('INVALID_REQUEST');
    const { service, isUpload, maxBody_bytes } = findRoute(req.method, path);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const body = !hasBody(req) ? null : isUpload ? req : await readBody(req, maxBody_bytes);
    const traceparent = createForwardedTraceparent(req, res);
    const outgoing: OutgoingRequest = {
      method: req.method,
      path: req.url,
      body,
      headers: {
        ...createServiceHeaders(req, trustedProxies),
        'x-request-id': getRequestId(res),
        ...(traceparent !== undefined && { traceparent }),
        ...framingHeaders(body, req),
      },
    };
    const closed = getCloseSignal(res);

    const agent = isUpload ? agents.uploads : agents.usual;
    for await (const { upstream, sent } of sendToEach(service, outgoing, agent, closed)) {
      if (closed.aborted) return;
      if ('response' in sent) {
        const { response } = sent;
        res.writeHead(response.statusCode ?? 502, endToEndHeaders(response.headers));
        // If the service ends its response early, the gateway ends its own response, too. An error is ignored, because
        // it only means that the service or the client has disconnected.
        await pipeline(response, res).catch(() => undefined);
        return;
      }
      const failure = 'failure' in sent ? sent.failure : 'lost';
      if (failure === 'not connected') upstream.isReady = false;
      else if (failure === 'silent' || !isRead || body !== null) break;
    }
    throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
  };

  async function connect(req: IncomingMessage, path: string, socket: Socket, head: Buffer): Promise<void> {
    const headers = {
      ...createServiceHeaders(req, trustedProxies),
      connection: 'Upgrade',
      upgrade: req.headers.upgrade ?? '',
    };
    const clientClosed = new AbortController();
    socket.once('close', () => clientClosed.abort());
    const { service: target } = findRoute('GET', path);
    const outgoing = { method: 'GET', path: req.url ?? '/', headers, body: null };
    for await (const { upstream, sent } of sendToEach(target, outgoing, false, clientClosed.signal)) {
      if ('upgraded' in sent && !clientClosed.signal.aborted) {
        webSockets.add(socket);
        const { response, socket: service, head: first } = sent.upgraded;
        socket.write(serializeHead(response));
        socket.write(first);
        service.write(head);
        await Promise.allSettled([pipeline(socket, service), pipeline(service, socket)]);
        service.destroy();
        socket.destroy();
        webSockets.delete(socket);
        return;
      }
      if ('upgraded' in sent) sent.upgraded.socket.destroy();
      if (clientClosed.signal.aborted) return;
      if ('response' in sent) {
        sent.response.destroy();
        rejectUpgrade(socket, `${sent.response.statusCode ?? 503} ${sent.response.statusMessage ?? ''}`);
        return;
      }
      if ('failure' in sent && sent.failure === 'not connected') upstream.isReady = false;
    }
    rejectUpgrade(socket, '503 Service Unavailable');
  }

  return {
    handler,
    upgrade(req: IncomingMessage, socket: Socket, head: Buffer): boolean {
      socket.on('error', () => socket.destroy());
      const path = parsePlainPath(req.url);
      if (path === null) rejectUpgrade(socket, '400 Bad Request');
      else connect(req, path, socket, head).catch(() => socket.destroy());
      return true;
    },
    /** Closes every WebSocket. The clients then connect again. */
    drain(): void {
      for (const socket of webSockets) socket.destroySoon();
    },
    close(): void {
      agents.usual.destroy();
      agents.uploads.destroy();
    },
  };
}

/**
 * Reads the whole body of a request before the request is forwarded. A slow client then does not occupy a service, and
 * the request can be sent to another process if the first one fails. Throws BODY_TOO_LARGE if the body exceeds
 * `max_bytes`, and INVALID_REQUEST if the body is incomplete.
 */
async function readBody(req: IncomingMessage, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(req.headers['content-length'] ?? 0) > max_bytes) throw new DomainError('BODY_TOO_LARGE');
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max_bytes) throw new DomainError('BODY_TOO_LARGE');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof DomainError ? error : new DomainError('INVALID_REQUEST');
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the headers that describe the length of the forwarded body. If the gateway has read the whole body, it
 * computes the length and ignores the value of the client.
 */
function framingHeaders(body: Buffer | Readable | null, { headers }: IncomingMessage): OutgoingHttpHeaders {
  if (Buffer.isBuffer(body)) return { 'content-length': String(body.length) };
  return body !== null && headers['content-length'] === undefined ? { 'transfer-encoding': 'chunked' } : {};
}

function serializeHead({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode ?? 101} ${statusMessage ?? ''}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i] ?? ''}: ${rawHeaders[i + 1] ?? ''}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
