import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../infra/cluster/free-port.mjs';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

// One starts three services after each other.
vi.setConfig({ testTimeout: 360_000 });
const root = path.resolve(import.meta.dirname, '../..');
const READY = { interval: 100 };
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

interface Started {
  readonly url: string;
  status(path: string): Promise<number>;
  ended: Promise<{ code: number | null }>;
  stderr(): string;
  terminate(): void;
}

/** `npm start -w <service>`, as somebody would type it. */
async function npmStart(service: string, env: Record<string, string>): Promise<Started> {
  const port = await freePort();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-service-'));
  const child = spawn('npm', ['start', '-w', service], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: String(port), DATA_DIR: dataDir, DRAIN_DELAY_MS: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<{ code: number | null }>((resolve) => child.once('close', (code) => resolve({ code })));
  const terminate = () => void (child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGTERM'));
  stops.push(async () => {
    terminate();
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  return { url, ended, terminate, stderr: () => stderr, status: (where) => fetch(`${url}${where}`).then(({ status }) => status, () => 0) };
}

describe('a service alone', () => {
  let database: TestDatabase;
  const withDatabase = async () => {
    database = await createTestDatabase();
    stops.push(() => database.drop());
    return { DATABASE_URL: database.connectionString };
  };

  test.each([
    ['command-api', '/api/auth/login', 405],
    ['workers', '/api/ads', 404],
    ['projectors', '/api/ads', 404],
  ])('%s starts with nothing but a database, answers its probes, and stops when told', async (service, elsewhere, status) => {
    const started = await npmStart(service, await withDatabase());
    await expect.poll(() => started.status('/readyz'), READY).toBe(200);
    expect(await started.status('/healthz')).toBe(200);
    expect(await started.status('/metrics')).toBe(200);
    expect(await started.status(elsewhere)).toBe(status);
    started.terminate();
    expect(await started.ended).toEqual({ code: 0 });
  });

  test('query-api is ready once projectors have made its read models', async () => {
    // Processes of one installation have the same secrets.
    const [accountIds, dataKeys, verificationCodes] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
    const env = { ...(await withDatabase()), SECRET_ACCOUNT_IDS: accountIds, SECRET_DATA_KEYS: dataKeys, SECRET_VERIFICATION_CODES: verificationCodes };
    const queries = await npmStart('query-api', env);
    await expect.poll(() => queries.status('/healthz'), READY).toBe(200);
    expect(await queries.status('/readyz')).toBe(503);
    await npmStart('projectors', env);
    await expect.poll(() => queries.status('/readyz'), READY).toBe(200);
    expect(await queries.status('/api/ads')).toBe(200);

    // The shell has the data of its pages from there.
    const shell = await npmStart('shell', { QUERY_API_URLS: queries.url });
    await expect.poll(() => shell.status('/readyz'), READY).toBe(200);
    const page = async () => (await fetch(shell.url, { headers: { accept: 'text/html' } })).text();
    await expect.poll(page, READY).toMatch(/id="first-answers">\{"position":.*"\/api\/ads":\{"success":true/u);
  });

  test('with other secrets than the rest of its installation does not start', async () => {
    const env = await withDatabase();
    const first = await npmStart('command-api', env);
    await expect.poll(() => first.status('/readyz'), READY).toBe(200);
    // In a folder of its own it makes secrets of its own.
    const second = await npmStart('query-api', env);
    expect(await second.ended).toEqual({ code: 1 });
    expect(second.stderr()).toMatch(/SECRET_\w+: /u);
  });

  test('shell needs no database', async () => {
    const shell = await npmStart('shell', {});
    await expect.poll(() => shell.status('/readyz'), READY).toBe(200);
    expect((await fetch(shell.url, { headers: { accept: 'text/html' } })).status).toBe(200);
  });

  test('waits for a database that cannot be reached, and says so in its answers', async () => {
    const started = await npmStart('command-api', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    await expect.poll(() => started.status('/healthz'), READY).toBe(200);
    expect(await started.status('/readyz')).toBe(503);
    const answer = await fetch(`${started.url}/api/ads`, { method: 'POST' });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ success: false, code: 'UNAVAILABLE' });
  });

  test('names every fault of its configuration and does not start', async () => {
    const started = await npmStart('workers', { PORT: 'many', KAFKA_BROKERS: 'somewhere', S3_ENDPOINT: 'http://127.0.0.1:1' });
    expect(await started.ended).toEqual({ code: 1 });
    for (const name of ['PORT', 'KAFKA_BROKERS', 'S3_BUCKET']) expect(started.stderr()).toContain(`${name}: `);
  });

  test('needs to be told of its database', async () => {
    const started = await npmStart('projectors', {});
    expect(await started.ended).toEqual({ code: 1 });
    expect(started.stderr()).toContain('DATABASE_URL: is needed by projectors');
  });
});
