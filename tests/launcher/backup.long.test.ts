import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import {
  isRunning,
  kill9,
  launchProduct,
  postgresPid,
  temporaryDataDir,
  type LaunchedProduct,
} from '../support/launched-product.ts';
import { listAds } from '../support/list-ads.ts';
import { decryptFile } from '../support/open-backup.ts';

/**
 * Tests backup and restore of the embedded product with the commands of the README. `tests/integration`
 * checks the content of backups.
 */

const root = path.resolve(import.meta.dirname, '../..');
let dataDirs: Awaited<ReturnType<typeof temporaryDataDir>>[];
let backups: string;
/** The folder in which the first backup creates its key. */
let configFolder: string;
let launched: LaunchedProduct[];

beforeEach(async () => {
  dataDirs = [await temporaryDataDir(), await temporaryDataDir()];
  backups = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-backups-'));
  configFolder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-config-'));
  launched = [];
});
afterEach(async () => {
  for (const { process: child } of launched) kill9(child.pid);
  await Promise.all(launched.map((product) => product.ended()));
  for (const dataDir of dataDirs) {
    kill9(await postgresPid(dataDir.path));
    await dataDir.remove();
  }
  for (const temporary of [backups, configFolder]) await rm(temporary, { recursive: true, force: true });
});

async function launch(dataDir: string): Promise<{ readonly product: LaunchedProduct; readonly url: string }> {
  const product = launchProduct({ dataDir, env: { DEMO: 'on' } });
  launched.push(product);
  return { product, url: await product.ready() };
}

async function stop({ process: child, ended }: LaunchedProduct): Promise<void> {
  child.kill('SIGTERM');
  expect(await ended()).toEqual({ code: 0, signal: null });
}

function npmRun(
  script: string,
  args: readonly string[],
  dataDir: string,
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], XDG_CONFIG_HOME: configFolder, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (printed += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, printed })));
}

test('a running product is backed up and restored elsewhere, and a stopped one is started for its backup', async () => {
  const [first, second] = dataDirs.map((dataDir) => dataDir.path);
  const source = await launch(first ?? '');
  const [running, stopped] = [path.join(backups, 'running'), path.join(backups, 'stopped')];
  const keyFile = path.join(configFolder, 'alpenglow/backup-key.txt');
  expect(await npmRun('backup', ['--to', running, '--with-secrets'], first ?? '')).toMatchObject({
    code: 0,
    printed: expect.stringContaining(`Created the key of the backups: ${keyFile}`),
  });
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  const ads = await listAds(apiClient(source.url));
  expect(ads.size).toBeGreaterThan(50);
  expect(await npmRun('restore', ['--from', running], first ?? '')).toMatchObject({
    code: 1,
    printed: expect.stringContaining('Alpenglow is running here.'),
  });
  await stop(source.product);

  expect(await npmRun('backup', ['--to', stopped], first ?? '')).toMatchObject({
    code: 0,
    printed: expect.stringContaining('Without them, its personal data cannot be read'),
  });
  const postgres = await postgresPid(first ?? '');
  expect(postgres !== null && isRunning(postgres)).toBe(false);
  const eventsOf = async (backup: string) =>
    (
      JSON.parse((await decryptFile(path.join(backup, 'manifest.json.age'), keyFile)).toString()) as {
        events: { count: number };
      }
    ).events.count;
  expect(await eventsOf(stopped)).toBeGreaterThanOrEqual(await eventsOf(running));
  expect((await readdir(backups)).sort()).toEqual(['running', 'stopped']);

  expect(await npmRun('restore', ['--from', running], second ?? '')).toMatchObject({ code: 0 });
  const restored = await launch(second ?? '');
  expect(await listAds(apiClient(restored.url))).toEqual(ads);
  await stop(restored.product);
  expect(await npmRun('restore', ['--from', running], second ?? '')).toMatchObject({
    code: 1,
    printed: expect.stringContaining('This installation is not empty.'),
  });
});

test('the backup of an empty folder fails, and wrong arguments print the usage', async () => {
  const dataDir = dataDirs[0]?.path ?? '';
  expect(await npmRun('backup', ['--to', path.join(backups, 'x')], dataDir)).toMatchObject({
    code: 1,
    printed: expect.stringContaining('There is no installation in'),
  });
  expect(await npmRun('backup', [], dataDir)).toMatchObject({
    code: 2,
    printed: expect.stringContaining('Usage: npm run backup'),
  });
  expect(await npmRun('restore', ['--from', backups], dataDir)).toMatchObject({
    code: 1,
    printed: expect.stringContaining('is no backup'),
  });
  expect(await npmRun('migrate:store', ['--from', 'here', '--to', 'there'], dataDir)).toMatchObject({
    code: 2,
    printed: expect.stringContaining('Usage: npm run migrate:store'),
  });
  expect(await readdir(backups)).toEqual([]);
  expect(await postgresPid(dataDir)).toBeNull();
});
