import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DomainError, JobQueueUnavailable, type Position } from '@alpenglow/domain';
import { Router } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { createErrorHandler } from '../src/http/errors.ts';
import { providePositions } from '../src/http/position-headers.ts';
import { setRevision } from '../src/http/revision-headers.ts';
import { createApp } from '../src/http/server.ts';
import { createPositionTokens } from '../src/security/position-tokens.ts';
import { createLogger } from '../src/service/logger.ts';
import { createMetrics, createHttpMetrics } from '../src/service/metrics.ts';

/** Tests that an error response contains no header that the route has set for a successful response. */

const stops: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** Returns the response of a route that sets `headers` and then throws `error`. */
async function respond(
  error: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Response> {
  const log = createLogger('silent');
  const app = createApp({ trustedProxies: 0, log, metrics: createHttpMetrics(createMetrics()) });
  const routes = Router();
  routes.all('/ads', (_req, res) => {
    setRevision(res, { revision: 3, position: '42' as Position });
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    throw error;
  });
  app.use('/api', providePositions(createPositionTokens('ab'.repeat(32))), routes);
  app.use(createErrorHandler(log));
  const server = app.listen(0, '127.0.0.1');
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  await once(server, 'listening');
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ads`, { method });
}

describe('an error response', () => {
  test.each([new JobQueueUnavailable('away'), new DomainError('CONFLICT'), new TypeError('a mistake')])(
    'has no header of a success: %s',
    async (error) => {
      const success = {
        Location: '/api/ads/1',
        'Content-Range': 'bytes 0-1/2',
        'Accept-Ranges': 'bytes',
        'Content-Disposition': 'attachment',
        'Idempotency-Replayed': 'true',
        'Content-Length': '3',
        'Last-Modified': 'x',
        'Content-Encoding': 'identity',
        'Cache-Control': 'public',
        'X-Demo-Inbox': '1',
      };
      const { status, headers } = await respond(error, success);
      expect(status).toBeGreaterThanOrEqual(400);
      for (const name of ['ETag', 'X-Position', ...Object.keys(success)].filter(
        (header) => header !== 'Cache-Control' && header !== 'Content-Length',
      ))
        expect(headers.get(name), name).toBeNull();
      expect(headers.get('Cache-Control')).toBe('no-store');
    },
  );

  test('has the headers of every response, and its own', async () => {
    const response = await respond(new JobQueueUnavailable('away'));
    const { headers } = response;
    expect([headers.get('X-Content-Type-Options'), headers.get('Content-Security-Policy')]).toEqual([
      'nosniff',
      expect.stringContaining("default-src 'none'"),
    ]);
    expect(headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/u);
    expect([headers.get('Retry-After'), headers.get('Content-Type')]).toEqual([
      '1',
      'application/problem+json; charset=utf-8',
    ]);
    const text = await response.text();
    expect([JSON.parse(text), Number(headers.get('Content-Length'))]).toEqual([
      expect.objectContaining({ code: 'UNAVAILABLE' }),
      Buffer.byteLength(text),
    ]);
  });

  test('to HEAD has the same headers, and no body', async () => {
    const response = await respond(new DomainError('NOT_FOUND'), {}, 'HEAD');
    expect([response.status, response.headers.get('X-Position'), await response.text()]).toEqual([404, null, '']);
  });
});
