import { describe, expect, test } from 'vitest';
import { expectDocumentedMetrics } from '../support/metrics.ts';
import { npmServices } from '../support/npm-service.ts';
import { METRICS_TOKEN } from '../support/product.ts';

const READY = { interval: 100 };
const { npmStart, createDatabaseEnv } = npmServices();

describe('a single service', () => {
  test.each([
    ['command-api', '/api/auth/login', 405],
    ['workers', '/api/ads', 404],
    ['projectors', '/api/ads', 404],
  ])(
    '%s starts with only a database, responds to its probes and stops on a signal',
    async (service, elsewhere, status) => {
      const started = await npmStart(service, { ...(await createDatabaseEnv()), METRICS_TOKEN });
      await expect.poll(() => started.status('/readyz'), READY).toBe(200);
      expect(await started.status('/healthz')).toBe(200);
      expect(await started.status('/metrics')).toBe(401);
      await expectDocumentedMetrics(started.url, [service]);
      expect(await started.status(elsewhere)).toBe(status);
      started.terminate();
      expect(await started.ended).toEqual({ code: 0 });
    },
  );

  test('query-api is ready when projectors have built its read models', async () => {
    // All processes of one installation must have the same secrets.
    const [accountIds, dataKeys, verificationCodes] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [
      string,
      string,
      string,
    ];
    const env = {
      ...(await createDatabaseEnv()),
      SECRET_ACCOUNT_IDS: accountIds,
      SECRET_DATA_KEYS: dataKeys,
      SECRET_VERIFICATION_CODES: verificationCodes,
    };
    const queries = await npmStart('query-api', { ...env, METRICS_TOKEN });
    await expect.poll(() => queries.status('/healthz'), READY).toBe(200);
    expect(await queries.status('/readyz')).toBe(503);
    await npmStart('projectors', env);
    await expect.poll(() => queries.status('/readyz'), READY).toBe(200);
    expect(await queries.status('/api/ads')).toBe(200);
    await expectDocumentedMetrics(queries.url, ['query-api']);

    // The shell reads the data of its pages from the query API.
    const shell = await npmStart('shell', { QUERY_API_URLS: queries.url, METRICS_TOKEN });
    await expect.poll(() => shell.status('/readyz'), READY).toBe(200);
    await expectDocumentedMetrics(shell.url, ['shell']);
    const page = async () => (await fetch(shell.url, { headers: { accept: 'text/html' } })).text();
    await expect.poll(page, READY).toMatch(/id="first-answers">\{"position":.*"queries":\[\{.*\["ads","list"/u);
  });

  test('does not start with other secrets than the rest of its installation', async () => {
    const env = await createDatabaseEnv();
    const first = await npmStart('command-api', env);
    await expect.poll(() => first.status('/readyz'), READY).toBe(200);
    // The second service has a separate folder, so it creates other secrets than the first service.
    const second = await npmStart('query-api', env);
    expect(await second.ended).toEqual({ code: 1 });
    expect(second.stderr()).toMatch(/SECRET_\w+: /u);
  });
});
