import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HEALTH_TIMEOUT_ms } from '@alpenglow/domain';
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { ANSWER_ms, health } from '../src/health.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

/** Asks for health where readiness is what the test says. */
async function ask(isReady: () => Promise<boolean>, answer_ms?: number) {
  const server = express()
    .get('/health', health('1.2.3', isReady, answer_ms))
    .listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/health`);
  return { status: answer.status, body: await answer.json(), cache: answer.headers.get('cache-control') };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u) as string;

describe('GET /health', () => {
  test('is ok while reads answer', async () => {
    expect(await ask(async () => true)).toMatchObject({
      status: 200,
      body: { success: true, status: 'ok', version: '1.2.3', time },
      cache: 'no-store',
    });
  });
  test.each([
    ['are not there yet', async () => false],
    ['fail', () => Promise.reject(new Error('away'))],
  ])('is unavailable while reads %s', async (_what, isReady) => {
    expect(await ask(isReady)).toMatchObject({
      status: 503,
      body: { success: false, status: 'unavailable', version: '1.2.3', time },
    });
  });
  test(`says so before the ${HEALTH_TIMEOUT_ms} ms are over that a client waits`, async () => {
    expect(ANSWER_ms).toBeLessThanOrEqual(HEALTH_TIMEOUT_ms - 1_000);
    // Reads never answer: a check that waited for them without this limit would not, either.
    const { status } = await ask(() => new Promise(() => undefined), 50);
    expect(status).toBe(503);
  });
});
