import { describe, expect, test } from 'vitest';
import { npmServices } from '../support/npm-service.ts';

/**
 * Tests a service without a database, and errors at its start. `services.long.test.ts` tests several services together.
 */
const READY = { interval: 100 };
const { npmStart } = npmServices();

describe('a single service', () => {
  test('shell starts without a database', async () => {
    const shell = await npmStart('shell', {});
    await expect.poll(() => shell.status('/readyz'), READY).toBe(200);
    expect((await fetch(shell.url, { headers: { accept: 'text/html' } })).status).toBe(200);
  });

  test('waits for an unreachable database and reports that in its responses', async () => {
    const started = await npmStart('command-api', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    await expect.poll(() => started.status('/healthz'), READY).toBe(200);
    expect(await started.status('/readyz')).toBe(503);
    const response = await fetch(`${started.url}/api/ads`, { method: 'POST' });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
  });

  test('reports every error of its configuration and does not start', async () => {
    const started = await npmStart('workers', {
      PORT: 'many',
      KAFKA_BROKERS: 'somewhere',
      S3_ENDPOINT: 'http://127.0.0.1:1',
    });
    expect(await started.ended).toEqual({ code: 1 });
    for (const name of ['PORT', 'KAFKA_BROKERS', 'S3_BUCKET']) expect(started.stderr()).toContain(`${name}: `);
  });

  test('requires the address of its database', async () => {
    const started = await npmStart('projectors', {});
    expect(await started.ended).toEqual({ code: 1 });
    expect(started.stderr()).toContain('DATABASE_URL: is needed by projectors');
  });
});
