import { expect, onTestFinished, test, vi } from 'vitest';
import { sendRaw } from '../support/raw-http.ts';
import { testProduct } from '../support/fixtures.ts';

/**
 * A client sends so many headers that the server could drop the last one, which is the `X-Forwarded-For` header of the
 * trusted proxy. The limits of requests would then count an address that the client has chosen.
 */

const product = testProduct({ rateLimits: true, trustedProxies: 1 });

/** The number of headers in each request that are neither filling nor chosen by a test. */
const FIXED_HEADERS = 4;

/** Sends a request with `count` headers. The last one is that of the proxy. Returns the head of the response. */
async function sendThroughProxy(
  [method, path, ...headers]: readonly [string, string, ...string[]],
  { count, forged, address }: { readonly count: number; readonly forged: string; readonly address: string },
): Promise<string> {
  const filling = Array.from({ length: count - FIXED_HEADERS - headers.length }, (_, index) => `x-${index}: 1`);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(product.url).host}`,
    ...headers,
    `X-Forwarded-For: ${forged}`,
    ...filling,
    'X-Forwarded-Proto: https',
    `X-Forwarded-For: ${address}`,
  ];
  return sendRaw(product.url, `${lines.join('\r\n')}\r\n\r\n`);
}

const force = ['POST', '/api/sync/force', 'Connection: close', 'Content-Length: 0'] as const;
const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/u.exec(response)?.[1]);

test('requests with 100 headers are counted by the address of the client of the proxy', async () => {
  // Stops only the clock, so that the limit of requests per minute does not start again between two requests.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const statuses: number[] = [];
  for (let turn = 0; turn < 11; turn += 1)
    statuses.push(
      statusOf(await sendThroughProxy(force, { count: 100, forged: `198.51.100.${turn}`, address: '203.0.113.50' })),
    );
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
});

test.each([101, 1_000])('a request with %i headers is rejected with 431', async (count) => {
  const response = await sendThroughProxy(force, { count, forged: '198.51.100.1', address: '203.0.113.51' });
  expect(statusOf(response)).toBe(431);
  expect(response).toContain('"code":"TOO_MANY_HEADERS"');
});

test('a page with 101 headers is rejected with 431', async () => {
  const page = ['GET', '/', 'Connection: close', 'Accept: text/html'] as const;
  expect(statusOf(await sendThroughProxy(page, { count: 101, forged: '198.51.100.1', address: '203.0.113.52' }))).toBe(
    431,
  );
});

test('a WebSocket with 101 headers is rejected with 431', async () => {
  const live = [
    'GET',
    '/api/live',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ] as const;
  expect(statusOf(await sendThroughProxy(live, { count: 101, forged: '198.51.100.1', address: '203.0.113.53' }))).toBe(
    431,
  );
});

test.each(['/', '/api/health', '/dev/inbox'])(
  'a request for %s with two Host headers is rejected with 400',
  async (path) => {
    const { host } = new URL(product.url);
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'hOST: example.org', 'Connection: close', '', ''];
    expect(statusOf(await sendRaw(product.url, lines.join('\r\n')))).toBe(400);
  },
);
