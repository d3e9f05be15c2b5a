import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { MAX_OPEN_BODIES } from '../../infra/src/http/open-bodies.ts';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { eventually } from '../support/eventually.ts';
import { expectDocumentedMetrics } from '../support/metrics.ts';
import { METRICS_TOKEN } from '../support/product.ts';

const root = path.resolve(import.meta.dirname, '../..');
const METRICS = 'figures of a service';

/**
 * Tests the gateway in a separate process, as in production. All tests share this process, so no test may stop it.
 */
describe('the gateway process', () => {
  let gateway: ChildProcess;
  let port: number;
  let service: Server;
  let requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** Number of requests that reached the service, including incomplete ones. */
  let begun = 0;
  let respond: (req: IncomingMessage, res: ServerResponse, body: string) => void;
  let stderr = '';

  beforeAll(async () => {
    const sockets = new WebSocketServer({ noServer: true });
    service = createServer((req, res) => {
      if (req.url === '/readyz') return void res.end();
      if (req.url === '/metrics') return void res.end(METRICS);
      begun += 1;
      let body = '';
      req.setEncoding('utf8').on('data', (text: string) => (body += text));
      req.on('end', () => {
        requests.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body });
        respond(req, res, body);
      });
    });
    service.on('upgrade', (req, socket, head) =>
      sockets.handleUpgrade(req, socket, head, (client) => client.on('message', (data) => client.send(data as Buffer))),
    );
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    port = await findFreePort();
    const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    gateway = spawn(process.execPath, ['infra/deploy/image/run.mjs', 'gateway'], {
      cwd: root,
      // The server of the shell does not run in these tests, so its URL is unreachable.
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        COMMAND_API_URLS: serviceUrl,
        QUERY_API_URLS: `${serviceUrl},http://nowhere.invalid:1`,
        SHELL_URLS: 'http://127.0.0.1:1',
        DRAIN_DELAY_MS: '0',
        LOG_LEVEL: 'info',
        METRICS_TOKEN,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    gateway.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), {
      interval_ms: 100,
    });
  });
  beforeEach(() => {
    requests = [];
    begun = 0;
    respond = (_req, res, body) => void res.end(body || 'answered');
  });
  afterEach(async () => {
    const after = await fetch(`http://127.0.0.1:${port}/api/ads`);
    expect([after.status, gateway.exitCode]).toEqual([200, null]);
    await after.text();
    expect(stderr).not.toContain('unforeseen');
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => gateway.once('close', resolve));
    gateway.kill('SIGTERM');
    expect(await ended).toBe(0);
    service.closeAllConnections();
    service.close();
  });

  /**
   * Sends raw bytes to the gateway and returns the received text. Stops reading when the connection ends, or shortly
   * after the first bytes of a response.
   */
  async function raw(text: string, { waitForResponse = true, leaveAfter_ms = 1_000 } = {}): Promise<string> {
    const socket: Socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const begun = new Promise((resolve) => socket.once('data', resolve));
    socket.write(text);
    if (waitForResponse) await Promise.race([closed, begun, pause(20_000)]);
    await Promise.race([closed, pause(leaveAfter_ms)]);
    socket.destroy();
    return received;
  }

  test('returns 503 with a JSON body for reads and writes of a service that does not run', async () => {
    for (const method of ['GET', 'POST']) {
      const unavailable = await fetch(`http://127.0.0.1:${port}/somewhere`, {
        method,
        ...(method === 'POST' && { body: '{}' }),
      });
      expect(unavailable.status).toBe(503);
      expect(unavailable.headers.get('retry-after')).toBe('1');
      expect(await unavailable.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
    }
  });

  test('survives clients that disconnect during a body and services that end during a request', async () => {
    await raw('POST /api/ads HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{"half":', {
      waitForResponse: false,
      leaveAfter_ms: 100,
    });
    await raw('POST /api/uploads/photos HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', {
      waitForResponse: false,
      leaveAfter_ms: 100,
    });
    respond = (req) => req.socket.resetAndDestroy();
    expect((await fetch(`http://127.0.0.1:${port}/api/ads`, { method: 'POST', body: '{}' })).status).toBe(503);
    respond = (_req, res) => void res.end();
  });

  test('forwards a chunked body as the body of one request for every method', async () => {
    const hidden = 'POST /api/hidden HTTP/1.1\r\nHost: a\r\nContent-Length: 330\r\n\r\n';
    // The gateway rejects OPTIONS requests itself, so their bodies do not reach the service.
    for (const method of ['DELETE', 'PATCH', 'OPTIONS', 'POST']) {
      await raw(
        `${method} /api/ads/1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
        { leaveAfter_ms: 300 },
      );
    }
    await fetch(`http://127.0.0.1:${port}/api/ads`, { headers: { authorization: 'Bearer of-somebody-else' } });
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['DELETE', '/api/ads/1', hidden],
      ['PATCH', '/api/ads/1', hidden],
      ['POST', '/api/ads/1', hidden],
      ['GET', '/api/ads', ''],
    ]);
  });

  test.each([
    '/./metrics',
    '/api/../metrics',
    '/api/%2e%2e/metrics',
    '/uploads/../readyz',
    '/api/..%2fmetrics',
    '/api\\..\\metrics',
    'http://a:99999/x',
    'http://127.0.0.1/api/ads',
    '*',
  ])('rejects the ambiguous target %s', async (target) => {
    const received = await raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 400 /u);
    expect(received).not.toContain(METRICS);
    const upgraded = await raw(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(upgraded).toMatch(/^HTTP\/1\.1 400 /u);
    expect(requests).toEqual([]);
  });

  test('does not expose the metrics of services', async () => {
    for (const target of ['/metrics', '/metrics/', '/Metrics', '//metrics', '/%6detrics']) {
      const response = await fetch(`http://127.0.0.1:${port}${target}`);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(await response.text()).not.toContain(METRICS);
    }
  });

  test('returns its own metrics about requests and the services behind it, and only with the token', async () => {
    await (await fetch(`http://127.0.0.1:${port}/api/ads`)).text();
    await (await fetch(`http://127.0.0.1:${port}/somewhere`)).text();
    const load = (authorization: string) => fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization } });
    expect((await load('Bearer another-token-of-the-tests')).status).toBe(401);
    const response = await load(`Bearer ${METRICS_TOKEN}`);
    expect(response.status).toBe(200);
    await expectDocumentedMetrics(`http://127.0.0.1:${port}`, ['gateway']);
    await response.text();
    const lines = [
      /^http_request_duration_seconds_count\{method="GET",status="2xx"\} [1-9]/mu,
      /^http_request_duration_seconds_count\{method="GET",status="5xx"\} [1-9]/mu,
      /^upstream_request_duration_seconds_count\{service="query-api",status="2xx"\} [1-9]/mu,
      /^upstream_request_duration_seconds_count\{service="shell",status="failed"\} [1-9]/mu,
      /^upstream_processes\{service="command-api"\} 1$/mu,
      /^upstream_ready_processes\{service="query-api"\} 1$/mu,
      /^upstream_ready_processes\{service="shell"\} 0$/mu,
      /^upstream_open_requests\{service="query-api"\} 0$/mu,
    ];
    // On a busy machine, a check of the service may be late, and a response may end a moment after its last byte.
    await eventually(async () => {
      const metrics = await (await load(`Bearer ${METRICS_TOKEN}`)).text();
      for (const line of lines) expect(metrics).toMatch(line);
    });
  });

  test('forwards the headers of the request but not those of the connection', async () => {
    await raw(
      'GET /api/ads HTTP/1.1\r\nHost: site.example\r\nConnection: close, x-secret-hop\r\nX-Secret-Hop: 1\r\n' +
        'Keep-Alive: 5\r\nProxy-Authorization: x\r\nTE: trailers\r\nX-Kept: yes\r\n\r\n',
    );
    const headers: IncomingMessage['headers'] = requests[0]?.headers ?? {};
    expect(headers).toMatchObject({
      host: 'site.example',
      'x-kept': 'yes',
      'x-forwarded-host': 'site.example',
      'x-forwarded-for': expect.stringContaining('127.0.0.1') as string,
    });
    expect(Object.keys(headers)).toEqual(
      expect.not.arrayContaining(['x-secret-hop', 'keep-alive', 'proxy-authorization', 'te']),
    );
    expect(headers.connection).not.toContain('x-secret-hop');
  });

  test('rejects a body that is too large for a service, and forwards a large upload', async () => {
    const large = Buffer.alloc(200_000, 'x').toString();
    expect((await fetch(`http://127.0.0.1:${port}/api/ads`, { method: 'POST', body: large })).status).toBe(413);
    expect(requests).toEqual([]);
    const upload = await fetch(`http://127.0.0.1:${port}/api/uploads/photos`, { method: 'POST', body: large });
    expect((await upload.text()).length).toBe(large.length);
  });

  test('does not forward slow requests before they are complete', async () => {
    const slow = Array.from({ length: MAX_OPEN_BODIES - 1 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST /api/auth/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n');
      return socket;
    });
    await pause(300);
    const login = await fetch(`http://127.0.0.1:${port}/api/auth/login`, { method: 'POST', body: '{}' });
    expect(login.status).toBe(200);
    // The gateway has forwarded no slow request. A slow request would occupy a connection to the service.
    expect([begun, requests.length]).toEqual([1, 1]);
    for (const socket of slow) socket.destroy();
  });

  test('forwards WebSockets and survives their resets', async () => {
    const open = () =>
      new Promise<WebSocket>((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/api/live`);
        socket.once('open', () => resolve(socket));
        socket.once('error', reject);
      });
    const echo = async (socket: WebSocket) => {
      const reply = new Promise<string>((resolve) =>
        socket.once('message', (data: Buffer) => resolve(data.toString())),
      );
      socket.send('hello');
      return reply;
    };
    const [reset, intact] = [await open(), await open()];
    (reset as unknown as { _socket: Socket })._socket.resetAndDestroy();
    await pause(200);
    expect(await echo(intact)).toBe('hello');
    intact.close();
    // An HTTP/1.0 request may have no Host header. The gateway must handle such a request without failing.
    expect(
      await raw(
        'GET /api/live HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1\.1 \d{3} /u);
    const unavailable = new WebSocket(`ws://127.0.0.1:${port}/somewhere`);
    expect(await new Promise((resolve) => unavailable.once('error', (error) => resolve(error.message)))).toContain(
      '503',
    );
  });

  test('a truncated response of a service is not returned as a complete one', async () => {
    respond = (_req, res) => {
      res.writeHead(200, { 'content-length': '1000' });
      res.write('half');
      setTimeout(() => res.destroy(), 50);
    };
    await expect(fetch(`http://127.0.0.1:${port}/api/ads`).then((broken) => broken.text())).rejects.toThrow();
    respond = (_req, res) => void res.end();
  });
});
