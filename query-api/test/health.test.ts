import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HEALTH_TIMEOUT_ms } from '@alpenglow/domain';
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { RESPONSE_TIMEOUT_ms, createHealthHandler } from '../src/health.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

/** Requests the health of a server with the given readiness check. */
async function requestHealth(isReady: () => Promise<boolean>, timeout_ms?: number) {
  const server = express()
    .get('/health', createHealthHandler('1.2.3', isReady, timeout_ms))
    .listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/health`);
  return { status: response.status, body: await response.json(), cache: response.headers.get('cache-control') };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u) as string;

describe('GET /health', () => {
  test('returns 200 while reads succeed', async () => {
    expect(await requestHealth(async () => true)).toMatchObject({
      status: 200,
      body: { success: true, status: 'ok', version: '1.2.3', time },
      cache: 'no-store',
    });
  });
  test.each([
    ['are not ready', async () => false],
    ['fail', () => Promise.reject(new Error('unavailable'))],
  ])('returns 503 while reads %s', async (_what, isReady) => {
    expect(await requestHealth(isReady)).toMatchObject({
      status: 503,
      body: { success: false, status: 'unavailable', version: '1.2.3', time },
    });
  });
  test(`returns 503 within ${HEALTH_TIMEOUT_ms} ms if reads do not respond`, async () => {
    expect(RESPONSE_TIMEOUT_ms).toBeLessThanOrEqual(HEALTH_TIMEOUT_ms - 1_000);
    // The reads never finish, so the response is sent at the time limit.
    const { status } = await requestHealth(() => new Promise(() => undefined), 50);
    expect(status).toBe(503);
  });
});
