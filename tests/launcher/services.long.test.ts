import { describe, expect, test } from 'vitest';
import { read } from '../architecture/deploy-files.ts';
import { createTestPool } from '../support/database.ts';
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

describe('the connections to Postgres', () => {
  /** The documented connections of a pod, by service. */
  const documented = new Map(
    [...read('infra/deploy/k8s/README.md').matchAll(/^\| ([a-z-]+) \| (\d+) \| \d+ \| \d+ \|$/gmu)].map(
      ([, name = '', count]) => [name, Number(count)],
    ),
  );
  const PATHS: Readonly<Record<string, (turn: number) => string>> = {
    'command-api': (turn) => `/api/auth/verify-email?turn=${turn}`,
    'query-api': (turn) => `/api/search?q=word${turn}`,
    projectors: () => '/readyz',
    workers: () => '/readyz',
  };

  test.each(Object.keys(PATHS))('of %s are at most as many as documented, also under load', async (service) => {
    const env = await createDatabaseEnv();
    const pool = createTestPool(env.DATABASE_URL, 1);
    try {
      const secrets = Object.fromEntries(
        ['ACCOUNT_IDS', 'DATA_KEYS', 'VERIFICATION_CODES'].map((name, index) => [
          `SECRET_${name}`,
          String(index).repeat(64),
        ]),
      );
      // The connections of this service have their own user, because query-api also needs projectors.
      await pool.query('create role counted superuser login password $$counted$$').catch(() => undefined);
      const url = new URL(env.DATABASE_URL);
      url.username = url.password = 'counted';
      if (service === 'query-api') await npmStart('projectors', { ...env, ...secrets });
      const started = await npmStart(service, { ...secrets, DATABASE_URL: url.href, RATE_LIMITS: 'off' });
      let most = 0;
      const count = async () => {
        const { rows } = await pool.query<{ count: number }>(
          `select count(*)::int from pg_stat_activity where usename = 'counted' and datname = current_database()`,
        );
        most = Math.max(most, rows[0]?.count ?? 0);
      };
      await expect.poll(async () => (await count(), started.status('/readyz')), READY).toBe(200);
      const load = Array.from({ length: 200 }, (_, turn) => started.status(PATHS[service]?.(turn) ?? '/readyz'));
      const ended = Promise.all(load).then(() => true);
      while (!(await Promise.race([ended, count().then(() => false)])));
      await count();
      expect(most).toBeGreaterThan(3);
      expect(most).toBeLessThanOrEqual(documented.get(service) ?? 0);
    } finally {
      await pool.end();
    }
  });
});
