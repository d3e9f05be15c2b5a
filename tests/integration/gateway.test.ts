import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { createCommandApi } from '@alpenglow/command-api';
import { createLogger, createErrorHandler, startTracing } from '@alpenglow/infra';
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createProxy } from '../../infra/gateway/proxy.ts';
import { findRoute } from '../../infra/gateway/routes.ts';
import { watchUpstreams } from '../../infra/gateway/upstreams.ts';
import { assignRequestId } from '../support/assign-request-id.ts';
import { startCollector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct } from '../support/product.ts';
import { apiRoutesOf, routesOf } from '../support/routes.ts';

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

interface ServiceProcess {
  readonly url: string;
  readonly server: Server;
  readonly requests: { method: string; url: string; body: string; headers: IncomingMessage['headers'] }[];
  isReady: boolean;
  stop(): Promise<void>;
}

/** Starts a process of a service. `/readyz` returns its readiness, and `respond` handles all other requests. */
async function startProcess(
  respond: (req: IncomingMessage, res: ServerResponse, body: string) => void,
  port = 0,
): Promise<ServiceProcess> {
  const requests: ServiceProcess['requests'] = [];
  const listener: RequestListener = (req, res) => {
    if (req.url === '/readyz') {
      res.writeHead(self.isReady ? 200 : 503).end();
      return;
    }
    let body = '';
    req.setEncoding('utf8').on('data', (text: string) => (body += text));
    req.on('end', () => {
      requests.push({ method: req.method ?? '', url: req.url ?? '', body, headers: req.headers });
      respond(req, res, body);
    });
  };
  const server = createServer(listener);
  // The server does not track connections after an upgrade, so the test tracks them.
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const self: ServiceProcess = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    server,
    requests,
    isReady: true,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  stops.push(() => self.stop());
  return self;
}

/** Starts a gateway that sends the requests for every service to the processes at `urls`. */
async function startGateway(urls: readonly string[], trustedProxies = 0) {
  const group = await watchUpstreams(urls);
  const proxy = createProxy(
    { commandApi: group, queryApi: group, shell: group },
    { trustedProxies, recordAttempt: () => undefined },
  );
  const log = createLogger('silent');
  const app = express();
  app.use(assignRequestId);
  app.use(proxy.handler);
  app.use(createErrorHandler(log));
  const server = createServer(app);
  server.on('upgrade', proxy.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  stops.push(async () => {
    proxy.drain();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    proxy.close();
    await group.stop();
  });
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, group };
}

const respondWith = (name: string) => (_req: IncomingMessage, res: ServerResponse) => void res.end(name);
const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

describe('the routes of the gateway', () => {
  test('send each operation to the service that provides it', async () => {
    const product = await startTestProduct();
    stops.push(() => product.stop());
    // No handler runs when routes are listed, so the dependencies can be empty.
    const commands = new Set(routesOf(createCommandApi({} as Parameters<typeof createCommandApi>[0])));
    expect(commands.size).toBeGreaterThan(5);
    for (const route of apiRoutesOf(product.handler)) {
      const [method = '', path = ''] = route.split(' ');
      expect(`${route} → ${findRoute(method, `/api${path.replaceAll(/:\w+/gu, 'x')}`).service}`).toBe(
        `${route} → ${commands.has(route) ? 'commandApi' : 'queryApi'}`,
      );
    }
  });
  test.each([
    ['GET', '/', 'shell'],
    ['GET', '/mf/registry.json', 'shell'],
    ['GET', '/apiary', 'shell'],
    ['GET', '/status/front-ends.json', 'shell'],
    ['POST', '/api/front-ends/reports', 'queryApi'],
    ['GET', '/sitemaps/ads-1.xml', 'shell'],
    // Only the shell may read page data over the internal routes of query-api. The gateway therefore does not forward
    // these paths to query-api.
    ['GET', '/internal/pages/ads/1', 'shell'],
    ['GET', '/uploads/photos/a/320.webp', 'queryApi'],
    ['GET', '/dev/inbox', 'queryApi'],
    ['GET', '/api/live', 'queryApi'],
    ['HEAD', '/api/ads', 'queryApi'],
    ['PATCH', '/api/unknown', 'commandApi'],
  ])('send %s %s to %s', (method, path, service) => {
    expect(findRoute(method, path).service).toBe(service);
  });
});

describe('the gateway', () => {
  test('distributes requests and forwards the client address and the request id', async () => {
    const [a, b] = [await startProcess(respondWith('a')), await startProcess(respondWith('b'))];
    const { url } = await startGateway([a.url, b.url]);
    const bodies = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${url}/api/ads?x=1`).then((response) => response.text())),
    );
    expect(new Set(bodies)).toEqual(new Set(['a', 'b']));
    expect(a.requests[0]).toMatchObject({ method: 'GET', url: '/api/ads?x=1' });
    expect(a.requests[0]?.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(a.requests[0]?.headers['x-request-id']).toMatch(/^[\w-]{36}$/u);
  });

  test('passes on its own span, and without a collector the header of the caller', async () => {
    const service = await startProcess(respondWith('a'));
    const { url } = await startGateway([service.url]);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-00` };
    await fetch(`${url}/api/ads`, { headers });
    expect(service.requests.at(-1)?.headers).toMatchObject({ ...headers, 'x-request-id': traceId });

    // The mark of a caller is not passed on, because services follow it.
    await fetch(`${url}/api/ads`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    expect(service.requests.at(-1)?.headers['traceparent']).toBe(headers.traceparent);

    const collector = await startCollector();
    stops.push(() => collector.stop());
    const tracing = { url: `${collector.url}/v1/traces`, headers: {}, share: 1 };
    const stopTracing = await startTracing(
      { tracing },
      { service: 'gateway', version: '1', log: createLogger('silent') },
    );
    await fetch(`${url}/api/ads`, { headers });
    const sent = [service.requests.at(-1)?.headers['traceparent']];
    await fetch(`${url}/api/ads`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    sent.push(service.requests.at(-1)?.headers['traceparent']);
    await stopTracing();
    // The span of a caller is the parent only if the caller records it.
    expect(collector.spans).toMatchObject(
      [null, '00f067aa0ba902b7'].map((parentSpanId) => ({
        service: 'gateway',
        name: 'GET /api/ads',
        traceId,
        parentSpanId,
      })),
    );
    expect(sent).toEqual(collector.spans.map(({ spanId }) => `00-${traceId}-${spanId}-01`));
  });

  test.each([
    [0, '127.0.0.1', 'http'],
    [1, '198.51.100.7', 'https'],
    [2, '203.0.113.9', 'https'],
    [9, '203.0.113.9', 'https'],
  ])('behind %i trusted proxies, forwards %s as client address', async (trustedProxies, client, proto) => {
    const service = await startProcess(respondWith('a'));
    const { url } = await startGateway([service.url], trustedProxies);
    await fetch(`${url}/api/ads`, {
      headers: {
        'x-forwarded-for': '203.0.113.9, 198.51.100.7',
        'x-forwarded-proto': 'https',
        forwarded: 'for=1.2.3.4',
      },
    });
    expect(service.requests[0]?.headers).toMatchObject({ 'x-forwarded-for': client, 'x-forwarded-proto': proto });
    expect(service.requests[0]?.headers).not.toHaveProperty('forwarded');
  });

  test('sends no requests to a process that is not ready, until it is ready again', async () => {
    const [a, b] = [await startProcess(respondWith('a')), await startProcess(respondWith('b'))];
    const { url, group } = await startGateway([a.url, b.url]);
    a.isReady = false;
    await eventually(() => expect(group.all[0]?.isReady).toBe(false));
    for (let i = 0; i < 10; i += 1) expect(await (await fetch(url)).text()).toBe('b');
    a.isReady = true;
    await eventually(() => expect(group.all[0]?.isReady).toBe(true));
  });

  test('treats each IP address of a host name as a process, and has no process for an unknown host name', async () => {
    const a = await startProcess(respondWith('a'));
    const { port } = new URL(a.url);
    const { url, group } = await startGateway([`http://localhost:${port}/`]);
    expect(group.all.map((upstream) => upstream.url)).toContain(a.url);
    for (let i = 0; i < 4; i += 1) expect(await (await fetch(url)).text()).toBe('a');
    const unresolved = await watchUpstreams(['http://nowhere.invalid:1']);
    expect(unresolved.pickLeastBusy(new Set())).toBeNull();
    await unresolved.stop();
  });

  test('sends a request with its body once to another process when the first one is unreachable', async () => {
    const [a, b] = [await startProcess(respondWith('a')), await startProcess((_req, res, body) => void res.end(body))];
    const { url } = await startGateway([a.url, b.url]);
    await a.stop();
    for (let i = 0; i < 10; i += 1)
      expect(await (await post(`${url}/api/ads`, `{"n":${i}}`)).text()).toBe(`{"n":${i}}`);
    expect(b.requests).toHaveLength(10);
  });

  test('repeats reads, but never repeats a write that may have taken effect', async () => {
    const failing = await startProcess((req) => req.socket.destroy());
    const working = await startProcess(respondWith('working'));
    const { url } = await startGateway([failing.url, working.url]);
    for (let i = 0; i < 6; i += 1) expect((await fetch(`${url}/api/ads`)).status).toBe(200);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, () => post(`${url}/api/ads`, '{}').then(({ status }) => status)),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    const writes = [...failing.requests, ...working.requests].filter(({ method }) => method === 'POST');
    expect(writes).toHaveLength(6);
  });

  test('returns 503 with an error body when no process is reachable', async () => {
    const a = await startProcess(respondWith('a'));
    const { url } = await startGateway([a.url]);
    await a.stop();
    const response = await fetch(`${url}/api/ads`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
  });

  test('forwards the response of a process that is not ready when there is no other process', async () => {
    const a = await startProcess((_req, res) => void res.writeHead(503, { 'x-source': 'service' }).end());
    const { url, group } = await startGateway([a.url]);
    a.isReady = false;
    await eventually(() => expect(group.all[0]?.isReady).toBe(false));
    expect((await fetch(url)).headers.get('x-source')).toBe('service');
  });

  test('aborts an interrupted response, and ends a request when its client disconnects', async () => {
    const a = await startProcess((_req, res) => {
      res.writeHead(200, { 'content-length': '1000' });
      res.write('partial');
      setTimeout(() => res.destroy(), 50);
    });
    const { url, group } = await startGateway([a.url]);
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    const unresponsive = await startProcess(() => undefined);
    const second = await startGateway([unresponsive.url]);
    const disconnecting = request(second.url).on('error', () => undefined);
    disconnecting.end();
    await eventually(() => expect(unresponsive.requests).toHaveLength(1));
    disconnecting.destroy();
    await eventually(() => expect(second.group.all[0]?.active).toBe(0));
    await eventually(() => expect(group.all[0]?.active).toBe(0));
  });

  test('streams a large body without buffering it', async () => {
    let received = 0;
    const server = createServer((req, res) => {
      if (req.url === '/readyz') return void res.end();
      req.on('data', (chunk: Buffer) => (received += chunk.length));
      req.on('end', () => res.end(String(received)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => void server.close());
    const address = server.address();
    const { url } = await startGateway([
      `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    ]);
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024);
    const body = new ReadableStream({
      async pull(controller) {
        // The first megabyte must arrive before the last megabyte is sent, so the gateway must forward the body as a
        // stream.
        if (sent === 8) await eventually(() => expect(received).toBeGreaterThan(0));
        if (sent === 16) return controller.close();
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    const response = await fetch(`${url}/api/uploads/photos`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await response.text()).toBe(String(16 * chunk.length));
  });

  test('connects WebSockets, and uses another process when the first one is unreachable', async () => {
    const [a, b] = [await startProcess(respondWith('a')), await startProcess(respondWith('b'))];
    for (const { server } of [a, b]) {
      const sockets = new WebSocketServer({ server });
      sockets.on('connection', (socket, req) => socket.send(req.url ?? ''));
    }
    const { url, group } = await startGateway([a.url, b.url]);
    const open = () =>
      new Promise<{ socket: WebSocket; message: string }>((resolve, reject) => {
        const socket = new WebSocket(`${url.replace('http', 'ws')}/api/live?since=1`);
        socket.once('message', (data) => resolve({ socket, message: (data as Buffer).toString() }));
        socket.once('error', reject);
      });
    const clients = await Promise.all([open(), open(), open(), open()]);
    expect(clients.map(({ message }) => message)).toEqual(Array.from({ length: 4 }, () => '/api/live?since=1'));
    expect(group.all.map(({ active }) => active)).toEqual([2, 2]);
    await a.stop();
    expect((await open()).message).toBe('/api/live?since=1');
    for (const { socket } of clients) socket.terminate();
    await eventually(() => expect(group.all[0]?.active).toBe(0));
  });
});
