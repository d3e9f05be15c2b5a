import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRunning, kill9, launchProduct, postgresPid, temporaryDataDir, type LaunchedProduct, type LaunchOptions } from '../support/launched-product.ts';

// Most of them make a database cluster and start a product twice.
vi.setConfig({ testTimeout: 300_000 });
let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
let launched: LaunchedProduct[] = [];

beforeEach(async () => {
  dataDir = await temporaryDataDir();
  launched = [];
});

afterEach(async () => {
  const postgres = await postgresPid(dataDir.path);
  for (const { process: child } of launched) kill9(child.pid);
  await Promise.all(launched.map((product) => product.ended()));
  kill9(postgres);
  await dataDir.remove();
});

function launch(options: Omit<LaunchOptions, 'dataDir'> = {}): LaunchedProduct {
  const product = launchProduct({ dataDir: dataDir.path, ...options });
  launched.push(product);
  return product;
}

const groupSignal = (product: LaunchedProduct, name: NodeJS.Signals) => process.kill(-(product.process.pid ?? 0), name);

async function healthOf(url: string): Promise<unknown> {
  const answer = await fetch(`${url}/api/health`);
  return (await answer.json()) as unknown;
}

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await pause(20);
}

describe('npm start', () => {
  test('says on one line where it is, and Ctrl-C ends it and Postgres with exit code 0', async () => {
    const product = launch({ npm: true });
    const url = await product.ready();
    expect(url).toMatch(/^http:\/\/localhost:\d+$/u);
    expect(await healthOf(url)).toMatchObject({ success: true });
    const postgres = await postgresPid(dataDir.path);
    expect(postgres !== null && isRunning(postgres)).toBe(true);

    groupSignal(product, 'SIGINT');
    expect(await product.ended()).toEqual({ code: 0, signal: null });
    expect(isRunning(postgres ?? 0)).toBe(false);
    expect(product.stdout().match(/ready at/gu)).toHaveLength(1);
    expect(product.stderr()).not.toMatch(/npm error|\bat .*:\d+:\d+/u);
  });

  test('whose npm is killed stops by itself, and the next start waits for that', async () => {
    const first = launch({ npm: true });
    await first.ready();
    kill9(first.process.pid);
    const second = launch({ npm: true });
    expect(await healthOf(await second.ready())).toMatchObject({ success: true });
    await first.ended();
  });
});

test('SIGTERM ends it cleanly', async () => {
  const product = launch();
  await product.ready();
  const postgres = await postgresPid(dataDir.path);
  product.process.kill('SIGTERM');
  expect(await product.ended()).toEqual({ code: 0, signal: null });
  expect(isRunning(postgres ?? 0)).toBe(false);
});

test('Ctrl-C during the start ends it cleanly', async () => {
  const product = launch();
  while (!product.stderr().includes('database cluster')) await pause(10);
  groupSignal(product, 'SIGINT');
  expect(await product.ended()).toEqual({ code: 0, signal: null });
  expect(await launch().ready()).toBeTypeOf('string');
});

test('a second start on the same DATA_DIR is refused and leaves the first alone', async () => {
  const first = launch();
  const url = await first.ready();
  const second = launch();
  expect(await second.ended()).toMatchObject({ code: 1 });
  expect(second.stderr()).toContain(`already running`);
  expect(second.stderr()).toContain(url);
  expect(await healthOf(url)).toMatchObject({ success: true });
});

test('two starts at the same moment: one runs, one is refused', async () => {
  const both = [launch(), launch()];
  const outcomes = await Promise.all(both.map((product) => product.ready().then(() => 'ready', (error: Error) => error.message)));
  expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome.includes('already running'))).toHaveLength(1);
});

test('a port in use is said in one line, before anything is made', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const product = launch({ env: { PORT: String(port) } });
  expect(await product.ended()).toMatchObject({ code: 1 });
  expect(product.stderr()).toMatch(new RegExp(`^Alpenglow could not start\\. Port ${port} is in use\\. .*$`, 'mu'));
  expect(product.stderr()).not.toMatch(/\bat .*:\d+:\d+/u);
  expect(await postgresPid(dataDir.path)).toBeNull();
  other.close();
});

test('a wrong configuration is told with all its faults at once', async () => {
  const product = launch({ env: { PORT: 'eighty', DEMO: 'maybe', LOG_LEVEL: 'loud' } });
  expect(await product.ended()).toMatchObject({ code: 1 });
  for (const name of ['PORT', 'DEMO', 'LOG_LEVEL']) expect(product.stderr()).toMatch(new RegExp(`^.*${name}: `, 'mu'));
});

describe('after kill -9', () => {
  test('of Node, the next start stops the Postgres that was left', async () => {
    const first = launch();
    await first.ready();
    const left = await postgresPid(dataDir.path);
    kill9(first.process.pid);
    await first.ended();
    expect(isRunning(left ?? 0)).toBe(true);

    expect(await healthOf(await launch().ready())).toMatchObject({ success: true });
    await untilGone(left ?? 0);
    expect(await postgresPid(dataDir.path)).not.toBe(left);
  });

  test('of Node and Postgres, whose number now belongs to a stranger, the next start succeeds', async () => {
    const first = launch();
    await first.ready();
    const left = await postgresPid(dataDir.path);
    kill9(first.process.pid);
    kill9(left);
    await first.ended();
    await untilGone(left ?? 0);
    const { home } = JSON.parse(await readFile(path.join(dataDir.path, 'postgres.json'), 'utf8')) as { home: string };
    const pidFile = path.join(home, 'cluster/postmaster.pid');
    await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/u, String(process.pid)));

    expect(await healthOf(await launch().ready())).toMatchObject({ success: true });
  });

  test.each([50, 150, 300, 500])('%i ms into making the database cluster, the next start makes it anew', async (delay_ms) => {
    const first = launch();
    while (!first.stderr().includes('database cluster')) await pause(10);
    await pause(delay_ms);
    kill9(first.process.pid);
    await first.ended();
    expect(await healthOf(await launch().ready())).toMatchObject({ success: true });
  });

  test('of Postgres alone, the product says so and ends, and the next start succeeds', async () => {
    const first = launch();
    await first.ready();
    kill9(await postgresPid(dataDir.path));
    expect(await first.ended()).toMatchObject({ code: 1 });
    expect(first.stderr()).toContain('Postgres ended by itself');
    expect(await healthOf(await launch().ready())).toMatchObject({ success: true });
  });
});
