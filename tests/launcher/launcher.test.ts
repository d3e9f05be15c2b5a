import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isRunning, kill9, postgresPid } from '../support/launched-product.ts';
import { signalGroup, fetchHealth, setUpLaunches } from '../support/launches.ts';

/**
 * Tests a start, a shutdown, and a start after SIGKILL. `launcher.long.test.ts` tests other ways to start and end the
 * product.
 */
const { dataDir, launch } = setUpLaunches();

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await pause(20);
}

describe('npm start', () => {
  test('prints its address in one line, and Ctrl-C ends it and Postgres with exit code 0', async () => {
    const product = launch({ npm: true });
    const url = await product.ready();
    expect(url).toMatch(/^http:\/\/localhost:\d+$/u);
    expect(await fetchHealth(url)).toMatchObject({ success: true });
    const postgres = await postgresPid(dataDir.path);
    expect(postgres !== null && isRunning(postgres)).toBe(true);

    signalGroup(product, 'SIGINT');
    expect(await product.ended()).toEqual({ code: 0, signal: null });
    expect(isRunning(postgres ?? 0)).toBe(false);
    expect(product.stdout().match(/ready at/gu)).toHaveLength(1);
    expect(product.stderr()).not.toMatch(/npm error|\bat .*:\d+:\d+/u);
  });
});

test('a port in use is reported in one line before any file is created', async () => {
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

test('all errors of a configuration are reported at once', async () => {
  const product = launch({ env: { PORT: 'eighty', DEMO: 'maybe', LOG_LEVEL: 'loud' } });
  expect(await product.ended()).toMatchObject({ code: 1 });
  for (const name of ['PORT', 'DEMO', 'LOG_LEVEL']) expect(product.stderr()).toMatch(new RegExp(`^.*${name}: `, 'mu'));
});

describe('after kill -9', () => {
  test('of Node, the next start stops the Postgres that is still running', async () => {
    const first = launch();
    await first.ready();
    const left = await postgresPid(dataDir.path);
    kill9(first.process.pid);
    await first.ended();
    expect(isRunning(left ?? 0)).toBe(true);

    expect(await fetchHealth(await launch().ready())).toMatchObject({ success: true });
    await untilGone(left ?? 0);
    expect(await postgresPid(dataDir.path)).not.toBe(left);
  });
});
