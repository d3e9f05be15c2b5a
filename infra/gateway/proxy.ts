import { Agent, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { DomainError } from '@alpenglow/domain';
import type { RequestHandler } from 'express';
import { requestIdOf } from '../src/http/request-context.ts';
import { endToEnd, plainPathOf, toService } from './headers.ts';
import { serviceFor, UPLOADS, type ServiceName } from './routes.ts';
import { send, type Outgoing } from './send.ts';
import type { Upstream, UpstreamGroup } from './upstreams.ts';

export interface Proxy {
  readonly handler: RequestHandler;
  readonly upgrade: (req: IncomingMessage, socket: Socket, head: Buffer) => boolean;
  /** Ends every WebSocket; its client comes back. */
  drain(): void;
  close(): void;
}

const SOCKETS_PER_UPSTREAM = 512;
const UPLOADS_PER_UPSTREAM = 128;
/** Shorter than the services keep an unused connection, so that none is used that they are just closing. */
const KEEP_ALIVE_ms = 30_000;
/** What the services take of a body that is no upload. It is read before it is sent on: nobody holds a service up by sending slowly, and it can be sent again. */
const MAX_BODY_bytes = 64 * 1024;
const RETRY_AFTER_s = 1;
/** Nothing but the head of an answer or a refusal is written to a connection that was to be upgraded. */
const REFUSAL = (status: string) => `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

/**
 * Sends each request to a process of the service it is for, and to another one where the first could not be connected to, or where a read
 * was cut off. A write that may have had its effect is never repeated. `trustedProxies` stand before the gateway.
 */
export function createProxy(
  groups: Readonly<Record<ServiceName, UpstreamGroup>>,
  { trustedProxies }: { readonly trustedProxies: number },
): Proxy {
  const agentOf = (maxSockets: number) => new Agent({ keepAlive: true, maxSockets, timeout: KEEP_ALIVE_ms });
  // Of their own, so that slow uploads leave connections to everybody else.
  const agents = { usual: agentOf(SOCKETS_PER_UPSTREAM), uploads: agentOf(UPLOADS_PER_UPSTREAM) };
  const channels = new Set<Socket>();

  const handler: RequestHandler = async (req, res) => {
    const path = plainPathOf(req.url);
    if (path === null) throw new DomainError('INVALID_REQUEST');
    const isUpload = UPLOADS.test(path) && req.method === 'POST';
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const body = !hasBody(req) ? null : isUpload ? req : await readBody(req);
    const outgoing: Outgoing = {
      method: req.method,
      path: req.url,
      body,
      headers: { ...toService(req, trustedProxies), 'x-request-id': requestIdOf(res), ...framing(body, req) },
    };
    const left = new AbortController();
    res.once('close', () => left.abort());

    const group = groups[serviceFor(req.method, path)];
    const tried = new Set<Upstream>();
    for (let upstream = group.pick(tried); upstream; upstream = group.pick(tried)) {
      tried.add(upstream);
      const release = occupy(upstream);
      const sent = await send(upstream.url, outgoing, isUpload ? agents.uploads : agents.usual, left.signal);
      if (left.signal.aborted) {
        release();
        return;
      }
      if ('answer' in sent) {
        const { answer } = sent;
        res.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        // An answer that breaks off breaks off here, too; a client that goes away is no error.
        await pipeline(answer, res)
          .catch(() => undefined)
          .finally(release);
        return;
      }
      release();
      const fault = 'fault' in sent ? sent.fault : 'lost';
      if (fault === 'not connected') upstream.isReady = false;
      else if (fault === 'silent' || !isRead || body !== null) break;
    }
    throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
  };

  async function connect(req: IncomingMessage, path: string, socket: Socket, head: Buffer): Promise<void> {
    const headers = { ...toService(req, trustedProxies), connection: 'Upgrade', upgrade: req.headers.upgrade ?? '' };
    const left = new AbortController();
    const leave = () => left.abort();
    socket.once('close', leave);
    const group = groups[serviceFor('GET', path)];
    const tried = new Set<Upstream>();
    for (let upstream = group.pick(tried); upstream; upstream = group.pick(tried)) {
      tried.add(upstream);
      const release = occupy(upstream);
      const sent = await send(
        upstream.url,
        { method: 'GET', path: req.url ?? '/', headers, body: null },
        false,
        left.signal,
      );
      if ('upgraded' in sent && !left.signal.aborted) {
        channels.add(socket);
        const { answer, socket: service, head: first } = sent.upgraded;
        socket.write(headOf(answer));
        socket.write(first);
        service.write(head);
        await Promise.allSettled([pipeline(socket, service), pipeline(service, socket)]);
        service.destroy();
        socket.destroy();
        channels.delete(socket);
        release();
        return;
      }
      release();
      if ('upgraded' in sent) sent.upgraded.socket.destroy();
      if (left.signal.aborted) return;
      if ('answer' in sent) {
        sent.answer.destroy();
        socket.end(REFUSAL(`${sent.answer.statusCode ?? 503} ${sent.answer.statusMessage ?? ''}`));
        socket.destroySoon();
        return;
      }
      if ('fault' in sent && sent.fault === 'not connected') upstream.isReady = false;
    }
    socket.end(REFUSAL('503 Service Unavailable'));
    socket.destroySoon();
  }

  return {
    handler,
    upgrade(req, socket, head) {
      socket.on('error', () => socket.destroy());
      const path = plainPathOf(req.url);
      if (path === null) {
        socket.end(REFUSAL('400 Bad Request'));
        socket.destroySoon();
      } else connect(req, path, socket, head).catch(() => socket.destroy());
      return true;
    },
    drain() {
      for (const socket of channels) socket.destroySoon();
    },
    close() {
      agents.usual.destroy();
      agents.uploads.destroy();
    },
  };
}

function occupy(upstream: Upstream): () => void {
  upstream.active += 1;
  return () => {
    upstream.active -= 1;
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The whole body. Throws BODY_TOO_LARGE for one that no service takes, and INVALID_REQUEST for one that breaks off. */
async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_bytes) throw new DomainError('BODY_TOO_LARGE');
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_bytes) throw new DomainError('BODY_TOO_LARGE');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof DomainError ? error : new DomainError('INVALID_REQUEST');
  }
  return Buffer.concat(chunks);
}

/** How long the body is, as we send it: never what a client says of one that we have read. */
function framing(body: Buffer | Readable | null, { headers }: IncomingMessage): OutgoingHttpHeaders {
  if (Buffer.isBuffer(body)) return { 'content-length': String(body.length) };
  return body !== null && headers['content-length'] === undefined ? { 'transfer-encoding': 'chunked' } : {};
}

/** The head of an answer that takes a connection over, as it came. */
function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode ?? 101} ${statusMessage ?? ''}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i] ?? ''}: ${rawHeaders[i + 1] ?? ''}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
