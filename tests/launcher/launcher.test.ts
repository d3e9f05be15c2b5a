import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isRunning, kill9, postgresPid } from '../support/launched-product.ts';
import { groupSignal, healthOf, launches } from '../support/launches.ts';

/** A start, an end, and a start after kill -9; every other way to begin and to end is in `launcher.long.test.ts`. */
const { dataDir, launch } = launches();

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
});
