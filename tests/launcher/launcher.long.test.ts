import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isRunning, kill9, postgresPid } from '../support/launched-product.ts';
import { signalGroup, fetchHealth, setUpLaunches } from '../support/launches.ts';

const { dataDir, launch } = setUpLaunches();

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await pause(20);
}

describe('npm start', () => {
  test('stops when its npm process is killed, and the next start waits for that', async () => {
    const first = launch({ npm: true });
    await first.ready();
    kill9(first.process.pid);
    const second = launch({ npm: true });
    expect(await fetchHealth(await second.ready())).toMatchObject({ success: true });
    await first.ended();
  });
});

test('SIGTERM ends the product cleanly', async () => {
  const product = launch();
  await product.ready();
  const postgres = await postgresPid(dataDir.path);
  product.process.kill('SIGTERM');
  expect(await product.ended()).toEqual({ code: 0, signal: null });
  expect(isRunning(postgres ?? 0)).toBe(false);
});

test('Ctrl-C during the start ends the product cleanly', async () => {
  const product = launch();
  while (!product.stderr().includes('database cluster')) await pause(10);
  signalGroup(product, 'SIGINT');
  expect(await product.ended()).toEqual({ code: 0, signal: null });
  expect(await launch().ready()).toBeTypeOf('string');
});

test('a second start on the same DATA_DIR is rejected and does not affect the first', async () => {
  const first = launch();
  const url = await first.ready();
  const second = launch();
  expect(await second.ended()).toMatchObject({ code: 1 });
  expect(second.stderr()).toContain(`already running`);
  expect(second.stderr()).toContain(url);
  expect(await fetchHealth(url)).toMatchObject({ success: true });
});

test('of two simultaneous starts, one runs and one is rejected', async () => {
  const both = [launch(), launch()];
  const outcomes = await Promise.all(
    both.map((product) =>
      product.ready().then(
        () => 'ready',
        (error: Error) => error.message,
      ),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome.includes('already running'))).toHaveLength(1);
});

describe('after kill -9', () => {
  test('of Node and Postgres, the next start succeeds even if another process has the old process id', async () => {
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

    expect(await fetchHealth(await launch().ready())).toMatchObject({ success: true });
  });

  test.each([50, 150, 300, 500])(
    '%i ms into the creation of the database cluster, the next start creates it again',
    async (delay_ms) => {
      const first = launch();
      while (!first.stderr().includes('database cluster')) await pause(10);
      await pause(delay_ms);
      kill9(first.process.pid);
      await first.ended();
      expect(await fetchHealth(await launch().ready())).toMatchObject({ success: true });
    },
  );

  test('of Postgres alone, the product reports it and ends, and the next start succeeds', async () => {
    const first = launch();
    await first.ready();
    kill9(await postgresPid(dataDir.path));
    expect(await first.ended()).toMatchObject({ code: 1 });
    expect(first.stderr()).toContain('Postgres ended by itself');
    expect(await fetchHealth(await launch().ready())).toMatchObject({ success: true });
  });
});
