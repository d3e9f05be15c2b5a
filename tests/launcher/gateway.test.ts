import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { freePort } from '../../infra/cluster/free-port.mjs';
import { eventually } from '../support/eventually.ts';

const root = path.resolve(import.meta.dirname, '../..');
const METRICS = 'figures of a service';

/** The gateway as it is deployed: one process, and after everything that is done to it here still the same one. */
describe('the gateway process', () => {
  let gateway: ChildProcess;
  let port: number;
  let service: Server;
  let requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** Requests the service has heard of, whole or not. */
  let begun = 0;
  let answer: (req: IncomingMessage, res: ServerResponse, body: string) => void;
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
        answer(req, res, body);
      });
    });
    service.on('upgrade', (req, socket, head) =>
      sockets.handleUpgrade(req, socket, head, (client) => client.on('message', (data) => client.send(data as Buffer))),
    );
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    port = await freePort();
    const there = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    gateway = spawn(process.execPath, ['infra/image/run.mjs', 'gateway'], {
      cwd: root,
      // The shell cannot be reached.
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        COMMAND_API_URLS: there,
        QUERY_API_URLS: `${there},http://nowhere.invalid:1`,
        SHELL_URLS: 'http://127.0.0.1:1',
        DRAIN_DELAY_MS: '0',
        LOG_LEVEL: 'info',
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
    answer = (_req, res, body) => void res.end(body || 'answered');
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

  /** Sends bytes as they are, and answers all that comes back until the connection ends, or for a while after an answer has begun to come. */
  async function raw(text: string, { isAnswered = true, leaveAfter_ms = 1_000 } = {}): Promise<string> {
    const socket: Socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const begun = new Promise((resolve) => socket.once('data', resolve));
    socket.write(text);
    if (isAnswered) await Promise.race([closed, begun, pause(20_000)]);
    await Promise.race([closed, pause(leaveAfter_ms)]);
    socket.destroy();
    return received;
  }

  test('answers 503 in words for a service that nobody runs, reads and writes', async () => {
    for (const method of ['GET', 'POST']) {
      const refused = await fetch(`http://127.0.0.1:${port}/somewhere`, {
        method,
        ...(method === 'POST' && { body: '{}' }),
      });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(await refused.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
    }
  });

  test('outlives clients that leave in the middle of a body, and processes that die in the middle of a request', async () => {
    await raw('POST /api/ads HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{"half":', {
      isAnswered: false,
      leaveAfter_ms: 100,
    });
    await raw('POST /api/uploads/photos HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', {
      isAnswered: false,
      leaveAfter_ms: 100,
    });
    answer = (req) => req.socket.resetAndDestroy();
    expect((await fetch(`http://127.0.0.1:${port}/api/ads`, { method: 'POST', body: '{}' })).status).toBe(503);
    answer = (_req, res) => void res.end();
  });

  test('passes a chunked body on as one body of one request, whatever the method', async () => {
    const hidden = 'POST /api/hidden HTTP/1.1\r\nHost: a\r\nContent-Length: 330\r\n\r\n';
    // OPTIONS is refused by the gateway itself, and its body is nobody's request.
    for (const method of ['DELETE', 'PATCH', 'OPTIONS', 'POST']) {
      await raw(
        `${method} /api/ads/1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
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
  ])('refuses %s, which might be read in two ways', async (target) => {
    const received = await raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 400 /u);
    expect(received).not.toContain(METRICS);
    const upgraded = await raw(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    expect(upgraded).toMatch(/^HTTP\/1\.1 400 /u);
    expect(requests).toEqual([]);
  });

  test('shows figures to nobody', async () => {
    for (const where of ['/metrics', '/metrics/', '/Metrics', '//metrics', '/%6detrics']) {
      const shown = await fetch(`http://127.0.0.1:${port}${where}`);
      expect(shown.status).toBeGreaterThanOrEqual(400);
      expect(await shown.text()).not.toContain(METRICS);
    }
  });

  test('hands on what is about the request, and nothing about the connection', async () => {
    await raw(
      'GET /api/ads HTTP/1.1\r\nHost: site.example\r\nConnection: close, x-secret-hop\r\nX-Secret-Hop: 1\r\nKeep-Alive: 5\r\nProxy-Authorization: x\r\nTE: trailers\r\nX-Kept: yes\r\n\r\n',
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

  test('refuses a body that no service takes, before anybody has it; a large upload goes through', async () => {
    const large = Buffer.alloc(200_000, 'x').toString();
    expect((await fetch(`http://127.0.0.1:${port}/api/ads`, { method: 'POST', body: large })).status).toBe(413);
    expect(requests).toEqual([]);
    const upload = await fetch(`http://127.0.0.1:${port}/api/uploads/photos`, { method: 'POST', body: large });
    expect((await upload.text()).length).toBe(large.length);
  });

  test('lets nobody hold a service up by sending slowly', async () => {
    const slow = Array.from({ length: 300 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST /api/auth/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n');
      return socket;
    });
    await pause(300);
    const login = await fetch(`http://127.0.0.1:${port}/api/auth/login`, { method: 'POST', body: '{}' });
    expect(login.status).toBe(200);
    // Nobody who is slow has got as far as the service, where they would hold it up until they leave.
    expect([begun, requests.length]).toEqual([1, 1]);
    for (const socket of slow) socket.destroy();
  });

  test('carries WebSockets, and outlives those that are reset', async () => {
    const open = () =>
      new Promise<WebSocket>((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/api/live`);
        socket.once('open', () => resolve(socket));
        socket.once('error', reject);
      });
    const echoed = async (socket: WebSocket) => {
      const heard = new Promise<string>((resolve) =>
        socket.once('message', (data: Buffer) => resolve(data.toString())),
      );
      socket.send('hello');
      return heard;
    };
    const [reset, kept] = [await open(), await open()];
    (reset as unknown as { _socket: Socket })._socket.resetAndDestroy();
    await pause(200);
    expect(await echoed(kept)).toBe('hello');
    kept.close();
    // Without a host, as HTTP/1.0 allows.
    expect(
      await raw(
        'GET /api/live HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1\.1 \d{3} /u);
    const refused = new WebSocket(`ws://127.0.0.1:${port}/somewhere`);
    expect(await new Promise((resolve) => refused.once('error', (error) => resolve(error.message)))).toContain('503');
  });

  test('an answer that breaks off is not taken for a whole one', async () => {
    answer = (_req, res) => {
      res.writeHead(200, { 'content-length': '1000' });
      res.write('half');
      setTimeout(() => res.destroy(), 50);
    };
    await expect(fetch(`http://127.0.0.1:${port}/api/ads`).then((broken) => broken.text())).rejects.toThrow();
    answer = (_req, res) => void res.end();
  });
});
