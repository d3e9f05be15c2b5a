import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DomainError, JobQueueUnavailable, type Position } from '@alpenglow/domain';
import { Router } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { errorHandler } from '../src/http/errors.ts';
import { setRevision } from '../src/http/revisions.ts';
import { createApp } from '../src/http/server.ts';
import { createLogger } from '../src/logger.ts';
import { createMetrics, httpMetrics } from '../src/metrics.ts';

/** What a route has said of its success must not stand on the refusal it ends with. */

const stops: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** What is answered where a route sets these headers, and then throws. */
async function answered(
  error: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Response> {
  const log = createLogger('silent');
  const app = createApp({ trustedProxies: 0, log, metrics: httpMetrics(createMetrics()) });
  const routes = Router();
  routes.all('/ads', (_req, res) => {
    setRevision(res, { revision: 3, position: '42' as Position });
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    throw error;
  });
  app.use('/api', routes);
  app.use(errorHandler(log));
  const server = app.listen(0, '127.0.0.1');
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  await once(server, 'listening');
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ads`, { method });
}

describe('a refusal', () => {
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
      const { status, headers } = await answered(error, success);
      expect(status).toBeGreaterThanOrEqual(400);
      for (const name of ['ETag', 'X-Position', ...Object.keys(success)].filter(
        (one) => one !== 'Cache-Control' && one !== 'Content-Length',
      ))
        expect(headers.get(name), name).toBeNull();
      expect(headers.get('Cache-Control')).toBe('no-store');
    },
  );

  test('keeps what every answer has, and says its own', async () => {
    const answer = await answered(new JobQueueUnavailable('away'));
    const { headers } = answer;
    expect([headers.get('X-Content-Type-Options'), headers.get('Content-Security-Policy')]).toEqual([
      'nosniff',
      expect.stringContaining("default-src 'none'"),
    ]);
    expect(headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/u);
    expect([headers.get('Retry-After'), headers.get('Content-Type')]).toEqual([
      '1',
      'application/problem+json; charset=utf-8',
    ]);
    const text = await answer.text();
    expect([JSON.parse(text), Number(headers.get('Content-Length'))]).toEqual([
      expect.objectContaining({ code: 'UNAVAILABLE' }),
      Buffer.byteLength(text),
    ]);
  });

  test('of HEAD has the same headers, and no body', async () => {
    const answer = await answered(new DomainError('NOT_FOUND'), {}, 'HEAD');
    expect([answer.status, answer.headers.get('X-Position'), await answer.text()]).toEqual([404, null, '']);
  });
});
