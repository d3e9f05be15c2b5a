import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startProduct } from '../../launcher/embedded/main.ts';
import { createPreparedLocation, type TemporaryDataLocation } from '../support/product.ts';
import { openTcpLink } from '../support/tcp-link.ts';
import { setUpLaunches } from '../support/launches.ts';

/** Starts with backing services that cannot be reached, or that are started later. */

const rootDir = path.resolve(import.meta.dirname, '../..');
const { dataDir, launch } = setUpLaunches();
let place: TemporaryDataLocation;

beforeAll(async () => {
  place = await createPreparedLocation();
});
afterAll(() => place.remove());

/** Returns a port on which no server listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the product in this process, with a short limit for unreachable services. */
function start(
  env: Readonly<Record<string, string>>,
  {
    startLimit_ms = 1_500,
    onStep = () => undefined,
  }: { startLimit_ms?: number; onStep?: (step: string) => unknown } = {},
) {
  const steps: string[] = [];
  const started = startProduct(
    {
      env: { PORT: '0', DEMO: 'off', LOG_LEVEL: 'silent', ...env },
      rootDir,
      dataDir: env['DATA_DIR'] ?? dataDir.path,
      startLimit_ms,
      progress: (step) => {
        steps.push(step);
        onStep(step);
      },
      onFailure: () => undefined,
    },
    new AbortController().signal,
  );
  return { started, steps };
}

describe('a service that cannot be reached is reported in one sentence without its password', () => {
  const s3 = { S3_BUCKET: 'files', S3_REGION: 'r', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
  test.each([
    [
      'EVENTSTORE_URL',
      'The event store',
      (host: string) => ({ EVENTSTORE_URL: `esdb://admin:secret@${host}?tls=false` }),
    ],
    ['DATABASE_URL', 'Postgres', (host: string) => ({ DATABASE_URL: `postgres://admin:secret@${host}/alpenglow` })],
    ['S3_ENDPOINT', 'S3', (host: string) => ({ ...s3, S3_ENDPOINT: `http://${host}` })],
  ])('%s', async (variable, name, envOf) => {
    for (const host of [`127.0.0.1:${await closedPort()}`, 'store.invalid:2113']) {
      const { started, steps } = start(envOf(host));
      const error = await started.then(
        () => null,
        (reason: unknown) => reason as Error,
      );
      expect(error?.name).toBe('BackingServiceUnreachable');
      expect(error?.message).toMatch(
        new RegExp(`^${name} at ${host} cannot be reached: [^\\n]*${variable} is right\\.$`, 'u'),
      );
      expect(error?.message).not.toContain('secret');
      expect(steps.slice(1)).toEqual([expect.stringMatching(new RegExp(`^Waiting for .* at ${host} `, 'u'))]);
    }
  });
});

test('a service that is started later is awaited', async () => {
  const { hostname, port } = new URL(place.databaseUrl);
  const link = await openTcpLink(Number(port || 5432), hostname);
  onTestFinished(() => link.close());
  await link.cut();
  const url = new URL(place.databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(link.port);
  const { started, steps } = start(
    { DATABASE_URL: url.href, DATA_DIR: place.dataDir },
    { startLimit_ms: 60_000, onStep: (step) => (step.startsWith('Waiting') ? link.reopen() : undefined) },
  );
  const product = await started;
  expect((await fetch(`${product.url}/api/health`)).status).toBe(200);
  await product.stop();
  expect(steps.filter((step) => step.startsWith('Waiting for Postgres'))).toHaveLength(1);
});

test('a failed start closes the services before it stops Postgres', async () => {
  const { started } = start(
    {},
    {
      onStep: (step) => {
        if (step === 'Bringing the read models up to date') throw new Error('This start fails');
      },
    },
  );
  await expect(started).rejects.toThrow('This start fails');
  const log = await readFile(path.join(dataDir.path, 'postgres', 'postgres.log'), 'utf8');
  expect(log, 'no connection was open when Postgres was stopped').not.toContain('terminating connection');
});

test('a database that rejects the connection is reported in one line', async () => {
  const url = new URL(place.databaseUrl);
  url.pathname = '/no_such_database';
  const product = launch({ env: { DATABASE_URL: url.href } });
  expect(await product.ended()).toMatchObject({ code: 1 });
  expect(product.stderr()).toMatch(/\nAlpenglow could not start\. Postgres at \S+ rejects the connection: .*\n$/u);
  expect(product.stderr()).not.toMatch(/\bat .*:\d+:\d+/u);
});
