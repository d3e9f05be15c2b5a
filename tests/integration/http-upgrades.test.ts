import { describe, expect, test } from 'vitest';
import { sendRaw } from '../support/raw-http.ts';
import { testProduct } from '../support/fixtures.ts';

const product = testProduct();

const HTTP2_OFFER = [
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
];
const statuses = (responses: string) =>
  [...responses.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => Number(status));
const LOGIN = JSON.stringify({ email: 'nobody@example.com', password: 'wrong horse' });

describe('a client that offers HTTP/2 with its request', () => {
  test('gets a response in HTTP/1.1, and the connection ends', async () => {
    expect(
      statuses(await sendRaw(product.url, ['GET /api/ads HTTP/1.1', 'Host: x', ...HTTP2_OFFER, '', ''].join('\r\n'))),
    ).toEqual([200]);
  });
  test('gets a response to a request with a body', async () => {
    const request = [
      'POST /api/auth/login HTTP/1.1',
      'Host: x',
      ...HTTP2_OFFER,
      'Content-Type: application/json',
      `Content-Length: ${LOGIN.length}`,
      '',
      LOGIN,
    ].join('\r\n');
    const responses = await sendRaw(product.url, request);
    expect(statuses(responses)).toEqual([401]);
    expect(responses).toContain('LOGIN_FAILED');
  });
  test('gets a response to a request with a chunked body', async () => {
    const chunks = `${LOGIN.length.toString(16)}\r\n${LOGIN}\r\n0\r\n\r\n`;
    const request = [
      'POST /api/auth/login HTTP/1.1',
      'Host: x',
      ...HTTP2_OFFER,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      chunks,
    ].join('\r\n');
    expect(statuses(await sendRaw(product.url, request))).toEqual([401]);
  });
});

test('a WebSocket request on another path is rejected', async () => {
  const request = [
    'GET /api/ads HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
    '',
  ].join('\r\n');
  expect(statuses(await sendRaw(product.url, request))).toEqual([404]);
});
