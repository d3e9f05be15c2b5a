import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { responseViolationsOf } from '../support/api-document.ts';
import { retryAfter_ms, sendPatiently, createWireClient, type WireResponse, type WireRequest } from './send.ts';

/** Tests how the client of the fuzz test handles a busy server. The test server returns predefined responses. */

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly requestId: string;
  readonly body: string;
  readonly at_ms: number;
}

let server: Server;
let network: ReturnType<typeof createWireClient>;
let received: ReceivedRequest[];
/** Responses of the test server in order. The last response is returned for all further requests. */
let responses: ((res: ServerResponse) => void)[];

beforeEach(async () => {
  received = [];
  server = createServer((req, res) => void respond(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  network = createWireClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    connections: 2,
    timeout_ms: 10_000,
  });
});
afterEach(async () => {
  network.close();
  await new Promise((resolve) => server.close(resolve));
});

async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of req) body += String(chunk);
  const requestId = String(req.headers['x-request-id']);
  received.push({ method: req.method, url: req.url, requestId, body, at_ms: performance.now() });
  res.setHeader('X-Request-Id', requestId);
  (responses[received.length - 1] ?? responses.at(-1))?.(res);
}

const busy = (after: string | null) => (res: ServerResponse) => {
  if (after !== null) res.setHeader('Retry-After', after);
  res.statusCode = 503;
  const problem = {
    success: false,
    error: 'The service is busy. Please try again.',
    message: 'The service is busy. Please try again.',
    code: 'UNAVAILABLE',
    title: 'Service Unavailable',
    status: 503,
    requestId: String(res.getHeader('X-Request-Id')),
    ...(after !== null && { retryAfter_s: Number(after) }),
  };
  res.setHeader('Content-Type', 'application/problem+json').end(JSON.stringify(problem));
};
const success = (res: ServerResponse) => void res.setHeader('Content-Type', 'application/json').end('{"success":true}');

const REQUEST: WireRequest = {
  method: 'POST',
  target: '/api/admin/jobs/account-mail/retry?a=b',
  headers: { 'Content-Type': 'application/json' },
  body: Buffer.from('{"a":1}'),
};
const violations = ({ status, headers, text }: WireResponse) =>
  responseViolationsOf(REQUEST.method, REQUEST.target, {
    status,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    text,
  });
const PATIENCE = { attempts: 5, total_ms: 60_000 };

describe('a response with status 503 and Retry-After', () => {
  test('is followed by the same request with another id after the delay', async () => {
    responses = [busy('1'), busy('0'), success];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([...early, last].map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(received.map(({ method, url, body }) => [method, url, body])).toEqual(
      [1, 2, 3].map(() => ['POST', REQUEST.target, '{"a":1}']),
    );
    expect((received[1]?.at_ms ?? 0) - (received[0]?.at_ms ?? 0)).toBeGreaterThanOrEqual(990);
    // Each attempt needs its own request id, so that the events of each attempt can be found.
    const ids = [...early, last].map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(received.map(({ requestId }) => requestId));
  });

  test('conforms to the API document', async () => {
    responses = [busy('0'), success];
    const {
      busy: [early],
    } = await sendPatiently(network.send, REQUEST, PATIENCE);
    if (!early) throw new Error('No busy response');
    expect(violations(early)).toEqual([]);
  });

  test('is returned after the maximum number of attempts', async () => {
    responses = [busy('0')];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([early.length, last.status, received.length]).toEqual([4, 503, 5]);
    expect(retryAfter_ms(last)).toBe(0);
  });

  test('is returned when the delay exceeds the time limit', async () => {
    responses = [busy('3600')];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([early.length, last.status, received.length]).toEqual([0, 503, 1]);
  });
});

test.each([null, 'soon', '-1', ''])(
  'a response with status 503 and without a valid Retry-After (%s) is returned at once',
  async (after) => {
    responses = [busy(after), success];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([early.length, last.status, received.length, retryAfter_ms(last)]).toEqual([0, 503, 1, null]);
  },
);

test('a response with status 503 and without Retry-After violates the API document', async () => {
  responses = [busy(null)];
  const { last } = await sendPatiently(network.send, REQUEST, PATIENCE);
  expect(violations(last)).toContain('503 without Retry-After');
});
