import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Compiler, Stats } from '@rspack/core';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useBuild } from '../server/build-in-use.ts';

const NAME = 'mf-test';
const root = vi.hoisted(() => ({ dir: '' }));
vi.mock('../build/packages.mjs', async (importActual) => {
  root.dir = mkdtempSync(path.join(os.tmpdir(), 'finish-build-'));
  return {
    ...(await importActual<object>()),
    ROOT: root.dir,
    distDir: (name: string) => path.join(root.dir, name, 'dist'),
  };
});
// Another file of this process may have loaded the modules with the folder of the checkout.
vi.resetModules();
const { findBuild } = await import('../build/artifact.mjs');
const { FinishBuildPlugin, incomingDir } = await import('../build/finish-build.mjs');
const { computeInputHash } = await import('../build/input-hash.mjs');
const { CONTRACT_VERSION } = await import('../build/packages.mjs');

const source = () => path.join(root.dir, NAME, 'src/App.tsx');
const dist = () => path.join(root.dir, NAME, 'dist');
const builds = () => path.join(root.dir, '.build/front-ends', NAME);
const { exitCode } = process;

beforeEach(async () => {
  await mkdir(path.dirname(source()), { recursive: true });
  await declareContract(`^${CONTRACT_VERSION}`);
  await writeFile(source(), 'one');
});
afterEach(() => {
  process.exitCode = exitCode;
  vi.restoreAllMocks();
});
afterAll(() => rm(root.dir, { recursive: true, force: true }));

const declareContract = (contract?: string, others: object = {}) =>
  writeFile(path.join(root.dir, NAME, 'package.json'), JSON.stringify({ contract, ...others }));

/** Builds with a compiler that only copies the source. `whileCompiling` runs after it has read the source. */
async function build({ whileCompiling = () => Promise.resolve(), hasWarnings = false } = {}) {
  const plugin = new FinishBuildPlugin(NAME, 1);
  let done: ((stats: Stats) => Promise<void>) | undefined;
  const hooks = {
    watchRun: { tap: () => undefined },
    done: { tapPromise: (_: string, callback: typeof done) => (done = callback) },
  };
  plugin.apply({ hooks } as unknown as Compiler);
  const incoming = incomingDir(NAME);
  await mkdir(incoming, { recursive: true });
  await writeFile(path.join(incoming, 'remote-entry.js'), await readFile(source()));
  const manifest = {
    metaData: { remoteEntry: { name: 'remote-entry.js' }, globalName: 'mf_test' },
    exposes: [{ path: './App', assets: { js: { sync: [] }, css: { sync: [] } } }],
    shared: [],
  };
  await writeFile(path.join(incoming, 'mf-manifest.json'), JSON.stringify(manifest));
  await whileCompiling();
  await done?.({
    hasErrors: () => false,
    hasWarnings: () => hasWarnings,
    compilation: { options: { name: NAME } },
    toJson: () => ({}),
  } as unknown as Stats);
}
const builtStamp = async () => (await findBuild(dist()))?.artifact.stamp;
const builtCode = () => readFile(path.join(dist(), 'remote-entry.js'), 'utf8');

it('a build has the stamp of its sources', async () => {
  await build();
  expect(await builtStamp()).toBe(computeInputHash(NAME));
});

it('a source that changes during the build needs another build', async () => {
  await build({ whileCompiling: () => writeFile(source(), 'two') });
  expect(await builtStamp()).not.toBe(computeInputHash(NAME));
  await build();
  expect(await builtCode()).toBe('two');
  await writeFile(source(), 'one');
  expect(await builtStamp()).not.toBe(computeInputHash(NAME));
  await build();
  expect(await builtCode()).toBe('one');
});

it('another build of the same sources has no effect', async () => {
  await build();
  await build();
  expect(await builtCode()).toBe('one');
  expect((await readdir(builds())).filter((folder) => folder.startsWith('incoming'))).toEqual([]);
});

it('the files of a build that was interrupted are removed, those of a running build are not', async () => {
  const ended = `incoming.${spawnSync(process.execPath, ['-e', '']).pid}`;
  const running = `incoming.${process.ppid}`;
  for (const folder of [ended, running]) await mkdir(path.join(builds(), folder), { recursive: true });
  await build();
  expect((await readdir(builds())).filter((folder) => folder.startsWith('incoming'))).toEqual([running]);
});

it('many builds do not remove the build of a running server, and the next one after its end does', async () => {
  await build();
  const folder = useBuild(dist());
  for (let number = 0; number < 12; number++) {
    await writeFile(source(), `later${number}`);
    await build();
  }
  expect(await readFile(path.join(folder, 'remote-entry.js'), 'utf8')).toBe('one');
  expect((await readdir(builds())).filter((name) => /^[0-9a-f]{16}$/u.test(name))).toHaveLength(11);
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  await rename(`${folder}.in-use.${process.pid}`, `${folder}.in-use.${ended}`);
  await writeFile(source(), 'more');
  await build();
  expect(existsSync(folder)).toBe(false);
  await writeFile(source(), 'one');
});

it('a build with warnings is not published, and the process fails', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await build();
  await writeFile(source(), 'warning');
  await build({ hasWarnings: true });
  expect(await builtCode()).toBe('one');
  expect(process.exitCode).toBe(1);
  expect(written).toHaveBeenCalledExactlyOnceWith(
    `${NAME} was not published, because its build has warnings or errors\n`,
  );
});

it.each([
  ['^1.0.0', `${NAME} works with contract ^1.0.0, but the shell has contract ${CONTRACT_VERSION}`],
  [undefined, `${NAME} states no valid range of contract versions`],
])('a remote for contract %s is not published, because it is built with another one', async (contract, message) => {
  await build();
  await writeFile(source(), 'other');
  await declareContract(contract);
  await expect(build()).rejects.toThrow(message);
  expect(await builtCode()).toBe('one');
});

it('a remote with an invalid route is not published, because the server would ignore it', async () => {
  await build();
  await writeFile(source(), 'other');
  await declareContract(`^${CONTRACT_VERSION}`, { routes: [{ path: '/events', access: 'all' }] });
  await expect(build()).rejects.toThrow(`${NAME} is invalid: routes contains {"path":"/events","access":"all"}`);
  expect(await builtCode()).toBe('one');
});
