import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RegistryEntry } from '@alpenglow/ui';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compressFiles, describeFiles } from '../build/artifact.mjs';
import { withFileLock } from '../build/file-lock.mjs';
import { deploy, RETAINED_DEPLOYMENTS, needsDeploy, readHistory, readRegistry, rollback } from '../build/registry.mjs';

let dir: string;
let mfDir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'deployments-'));
  mfDir = path.join(dir, 'mf');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Creates a build with a single file whose content is `text`. */
async function build(text: string): Promise<{ dist: string; artifact: Omit<RegistryEntry, 'deployedAt'> }> {
  const dist = path.join(dir, `dist-${text}`);
  await mkdir(dist, { recursive: true });
  await writeFile(path.join(dist, 'remote-entry.js'), text);
  return {
    dist,
    artifact: {
      name: 'mf-listings',
      contractVersion: 1,
      preload: ['remote-entry.js'],
      ...(await describeFiles(dist, '1')),
    },
  };
}
const deployText = async (text: string) => (await deploy({ mfDir, ...(await build(text)) })).entry.hash;
const live = async () => (await readRegistry(mfDir)).remotes['mf-listings']?.hash;

it('a deployment stores the files under their hash and makes them live', async () => {
  const hash = await deployText('one');
  expect(await live()).toBe(hash);
  expect(await readFile(path.join(mfDir, 'mf-listings', hash, 'remote-entry.js'), 'utf8')).toBe('one');
  expect((await readRegistry(mfDir)).remotes['mf-listings']?.integrity).toEqual({
    'remote-entry.js': expect.stringMatching(/^sha384-[\w+/]{64}$/u),
  });
});

it('the hash depends on the content and the contract version', async () => {
  const { dist, artifact } = await build('one');
  expect(await describeFiles(dist, '1')).toMatchObject({ hash: artifact.hash });
  expect((await describeFiles(dist, '2')).hash).not.toBe(artifact.hash);
});

it('rollbacks go back one deployment at a time; a rolled-back build is not deployed again', async () => {
  const [one, two, three] = [await deployText('one'), await deployText('two'), await deployText('three')];
  await rollback({ mfDir, name: 'mf-listings' });
  expect(await live()).toBe(two);
  expect(await needsDeploy({ mfDir, name: 'mf-listings', hash: three })).toBe(false);
  await rollback({ mfDir, name: 'mf-listings' });
  expect(await live()).toBe(one);
  await expect(rollback({ mfDir, name: 'mf-listings' })).rejects.toThrow('no deployment before');
  expect(await needsDeploy({ mfDir, name: 'mf-listings', hash: 'something else' })).toBe(true);
});

it('an earlier build can be deployed again and is then the newest deployment', async () => {
  const one = await deployText('one');
  const two = await deployText('two');
  expect(await deployText('one')).toBe(one);
  expect(await live()).toBe(one);
  await rollback({ mfDir, name: 'mf-listings' });
  expect(await live()).toBe(two);
});

it('the latest deployments are retained for open tabs; older ones are deleted', async () => {
  const hashes: string[] = [];
  for (let number = 0; number < RETAINED_DEPLOYMENTS + 3; number++) hashes.push(await deployText(`build ${number}`));
  const folders = (await readdir(path.join(mfDir, 'mf-listings'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.sort()).toEqual(hashes.slice(-RETAINED_DEPLOYMENTS).sort());
  expect((await readHistory(mfDir, 'mf-listings')).map(({ hash }) => hash)).toEqual(
    hashes.slice(-RETAINED_DEPLOYMENTS),
  );
});

it('concurrent deployments leave one registry that names a complete deployment', async () => {
  const builds = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(build));
  await Promise.all(builds.map((build) => deploy({ mfDir, ...build })));
  expect(await readHistory(mfDir, 'mf-listings')).toHaveLength(5);
  expect(await readdir(path.join(mfDir, 'mf-listings', (await live()) ?? ''))).toEqual(['remote-entry.js']);
  expect((await readdir(mfDir)).sort(), 'neither a lock nor a temporary file remains').toEqual([
    'mf-listings',
    'registry.json',
  ]);
});

it('the lock of a process that has ended does not block', async () => {
  const endedPid = spawnSync(process.execPath, ['-e', '']).pid;
  const file = path.join(dir, 'lock');
  await writeFile(file, String(endedPid));
  expect(await withFileLock(file, () => Promise.resolve('done'))).toBe('done');
});

it.each([
  ['on another machine', () => '1 elsewhere'],
  ['with the id of this process, from before a restart', () => `${process.pid} ${os.hostname()}`],
])('the lock of a process %s is taken over only if it is old', async (_, holder) => {
  const file = path.join(dir, 'lock');
  await writeFile(file, holder());
  const done = withFileLock(file, () => Promise.resolve('done'));
  expect(await Promise.race([done, sleep(300)]), 'a recent lock blocks').toBeUndefined();
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(file, longAgo, longAgo);
  expect(await done).toBe('done');
});

it('large text files get compressed variants, small ones do not', async () => {
  await writeFile(path.join(dir, 'large.js'), 'let a = 1;\n'.repeat(500));
  await writeFile(path.join(dir, 'small.js'), 'let a = 1;\n');
  await writeFile(path.join(dir, 'font.woff2'), 'x'.repeat(5_000));
  await compressFiles(dir);
  expect((await readdir(dir)).filter((file) => /\.(?:br|gz)$/u.test(file)).sort()).toEqual([
    'large.js.br',
    'large.js.gz',
  ]);
});
