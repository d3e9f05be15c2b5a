import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { faultsOf } from '../support/api-document.ts';
import { retryAfter_ms, sendPatiently, wire, type WireAnswer, type WireRequest } from './send.ts';

/** How the fuzz test's client takes a busy server: against a server that is busy as the test says. */

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly requestId: string;
  readonly body: string;
  readonly at_ms: number;
}

let server: Server;
let network: ReturnType<typeof wire>;
let seen: Seen[];
/** What is answered to each request in turn; the last one to all that follow. */
let answers: ((res: ServerResponse) => void)[];

beforeEach(async () => {
  seen = [];
  server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  network = wire(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 2, timeout_ms: 10_000 });
});
afterEach(async () => {
  network.close();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of req) body += String(chunk);
  const requestId = String(req.headers['x-request-id']);
  seen.push({ method: req.method, url: req.url, requestId, body, at_ms: performance.now() });
  res.setHeader('X-Request-Id', requestId);
  (answers[seen.length - 1] ?? answers.at(-1))?.(res);
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
const fine = (res: ServerResponse) => void res.setHeader('Content-Type', 'application/json').end('{"success":true}');

const REQUEST: WireRequest = {
  method: 'POST',
  target: '/api/admin/jobs/account-mail/retry?a=b',
  headers: { 'Content-Type': 'application/json' },
  body: Buffer.from('{"a":1}'),
};
const faults = ({ status, headers, text }: WireAnswer) =>
  faultsOf(REQUEST.method, REQUEST.target, {
    status,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    text,
  });
const PATIENCE = { attempts: 5, total_ms: 60_000 };

describe('a 503 with Retry-After', () => {
  test('is waited out, and the same request sent again under another id', async () => {
    answers = [busy('1'), busy('0'), fine];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([...early, last].map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual(
      [1, 2, 3].map(() => ['POST', REQUEST.target, '{"a":1}']),
    );
    expect((seen[1]?.at_ms ?? 0) - (seen[0]?.at_ms ?? 0)).toBeGreaterThanOrEqual(990);
    // Whoever looks what a request has done finds each attempt by itself.
    const ids = [...early, last].map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(seen.map(({ requestId }) => requestId));
  });

  test('is what the document has', async () => {
    answers = [busy('0'), fine];
    const {
      busy: [early],
    } = await sendPatiently(network.send, REQUEST, PATIENCE);
    if (!early) throw new Error('No early answer');
    expect(faults(early)).toEqual([]);
  });

  test('ends the patience after so many attempts', async () => {
    answers = [busy('0')];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([early.length, last.status, seen.length]).toEqual([4, 503, 5]);
    expect(retryAfter_ms(last)).toBe(0);
  });

  test('is not waited for longer than the patience lasts', async () => {
    answers = [busy('3600')];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([early.length, last.status, seen.length]).toEqual([0, 503, 1]);
  });
});

test.each([null, 'soon', '-1', ''])(
  'a 503 that does not say when (Retry-After: %s) is an answer like any other',
  async (after) => {
    answers = [busy(after), fine];
    const { busy: early, last } = await sendPatiently(network.send, REQUEST, PATIENCE);
    expect([early.length, last.status, seen.length, retryAfter_ms(last)]).toEqual([0, 503, 1, null]);
  },
);

test('a 503 without Retry-After is not what the document has', async () => {
  answers = [busy(null)];
  const { last } = await sendPatiently(network.send, REQUEST, PATIENCE);
  expect(faults(last)).toContain('503 without Retry-After');
});
