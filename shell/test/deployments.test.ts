import { spawnSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readFile, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compressFiles, describeFiles } from '../build/artifact.mjs';
import { withFileLock } from '../build/file-lock.mjs';
import {
  deploy,
  RETAINED_DEPLOYMENTS,
  needsDeploy,
  readHistory,
  readRegistry,
  rollback,
  type Artifact,
} from '../build/registry.mjs';

const CONTRACT = { shellContract: '1.2.0' };

let dir: string;
let mfDir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'deployments-'));
  mfDir = path.join(dir, 'mf');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Creates a build with a single file whose content is `text`. */
async function build(text: string, contract = '^1.0.0'): Promise<{ dist: string; artifact: Artifact }> {
  const dist = path.join(dir, `dist-${text}`);
  await mkdir(dist, { recursive: true });
  await writeFile(path.join(dist, 'remote-entry.js'), text);
  return {
    dist,
    artifact: {
      name: 'mf-listings',
      contract,
      container: 'mf_listings',
      entry: 'remote-entry.js',
      preload: ['remote-entry.js'],
      ...(await describeFiles(dist, '1')),
    },
  };
}
const deployText = async (text: string) => (await deploy({ mfDir, ...CONTRACT, ...(await build(text)) })).entry.hash;
const live = async () => (await readRegistry(mfDir)).remotes['mf-listings']?.hash;

it('a deployment stores the files under their hash and makes them live', async () => {
  const hash = await deployText('one');
  expect(await live()).toBe(hash);
  expect(await readFile(path.join(mfDir, 'mf-listings', hash, 'remote-entry.js'), 'utf8')).toBe('one');
  expect((await readRegistry(mfDir)).remotes['mf-listings']?.integrity).toEqual({
    'remote-entry.js': expect.stringMatching(/^sha256-[\w+/]{43}=$/u),
  });
});

it.each<readonly [string, Partial<Artifact>, string]>([
  [
    'pages at all addresses',
    { routes: [{ path: '/{name}', access: 'everyone' }] },
    'routes contains {"path":"/{name}","access":"everyone"}',
  ],
  ['a name with a digit', { name: 'mf-events2' }, 'the name is "mf-events2"'],
  ['data paths of a wrong shape', { preloadData: { '/': 5 as never } }, 'preloadData is no list'],
  ['an entry without a file', { entry: 'missing.js' }, 'entry is no file with an integrity value'],
])('a remote with %s is not deployed, because the server would ignore it', async (_, changes, message) => {
  const hash = await deployText('one');
  const { dist, artifact } = await build('two');
  await expect(deploy({ mfDir, ...CONTRACT, dist, artifact: { ...artifact, ...changes } })).rejects.toThrow(message);
  expect(Object.keys((await readRegistry(mfDir)).remotes)).toEqual(['mf-listings']);
  expect(await live()).toBe(hash);
});

it('a rollback never returns to a deployment that was rolled back, unless it was deployed again', async () => {
  const back = () => rollback({ mfDir, ...CONTRACT, name: 'mf-listings' });
  const good = await deployText('good');
  await deployText('bad');
  await back();
  await deployText('also bad');
  expect((await back()).entry.hash).toBe(good);
  await expect(back()).rejects.toThrow('mf-listings has no deployment before');
  const second = await deployText('bad');
  await deployText('worse');
  expect((await back()).entry).toMatchObject({ hash: second });
  expect((await back()).entry).toMatchObject({ hash: good });
});

describe('the range of contract versions', () => {
  it.each(['^1.0.0', '>=1.2 <3', '1.1.0 || 1.2.0'])('a remote for contract %s is deployed', async (range) => {
    const { artifact } = await build('one');
    const { entry } = await deploy({ mfDir, ...CONTRACT, ...(await build('one', range)) });
    expect(entry).toMatchObject({ hash: artifact.hash, contract: range });
  });

  it.each([
    ['^2.0.0', 'mf-listings works with contract ^2.0.0, but the shell has contract 1.2.0'],
    ['^1.3.0', 'mf-listings works with contract ^1.3.0, but the shell has contract 1.2.0'],
    ['one', 'mf-listings states no valid range of contract versions, e.g. "contract": "^1.2.0"'],
  ])('a remote for contract %s is not deployed', async (range, message) => {
    const hash = await deployText('one');
    await expect(deploy({ mfDir, ...CONTRACT, ...(await build('two', range)) })).rejects.toThrow(message);
    expect(await live()).toBe(hash);
    expect(await readHistory(mfDir, 'mf-listings')).toHaveLength(1);
  });

  it('a rollback does not return to a deployment that does not work with the shell', async () => {
    await deployText('one');
    const shellContract = '2.0.0';
    const { entry } = await deploy({ mfDir, shellContract, ...(await build('two', '^2.0.0')) });
    await expect(rollback({ mfDir, shellContract, name: 'mf-listings' })).rejects.toThrow(
      'mf-listings works with contract ^1.0.0, but the shell has contract 2.0.0',
    );
    expect(await live()).toBe(entry.hash);
  });
});

describe('symbolic links', () => {
  const isLink = async (hash: string) => (await lstat(path.join(mfDir, 'mf-listings', hash))).isSymbolicLink();

  /** Creates a build whose `dist` is a symbolic link, as each build does. */
  async function linkedBuild(text: string) {
    const { dist, artifact } = await build(text);
    const link = path.join(dir, 'dist');
    await rm(link, { force: true });
    await symlink(path.basename(dist), link);
    return { dist: link, artifact };
  }

  it('a deployment copies the files of a linked build', async () => {
    const { entry } = await deploy({ mfDir, ...CONTRACT, ...(await linkedBuild('one')) });
    expect(await isLink(entry.hash)).toBe(false);
    expect(await readdir(path.join(mfDir, 'mf-listings', entry.hash))).toEqual(['remote-entry.js']);
  });

  it('a deployment that is a link is replaced by the files', async () => {
    const one = await linkedBuild('one');
    const { hash } = one.artifact;
    await deploy({ mfDir, ...CONTRACT, ...one });
    await rm(path.join(mfDir, 'mf-listings', hash), { recursive: true });
    await symlink(one.dist, path.join(mfDir, 'mf-listings', hash));
    expect(await needsDeploy({ mfDir, name: 'mf-listings', hash })).toBe(true);
    await deploy({ mfDir, ...CONTRACT, ...one });
    expect(await isLink(hash)).toBe(false);
  });

  it('a link that is no retained deployment is deleted, but not the files behind it', async () => {
    const one = await linkedBuild('one');
    await deploy({ mfDir, ...CONTRACT, ...one });
    const link = path.join(mfDir, 'mf-listings', 'f'.repeat(16));
    await symlink(one.dist, link);
    await deploy({ mfDir, ...CONTRACT, ...one });
    await expect(lstat(link)).rejects.toThrow('ENOENT');
    expect(await readdir(one.dist)).toEqual(['remote-entry.js']);
  });
});

it('the hash depends on the content and the contract version', async () => {
  const { dist, artifact } = await build('one');
  expect(await describeFiles(dist, '1')).toMatchObject({ hash: artifact.hash });
  expect((await describeFiles(dist, '2')).hash).not.toBe(artifact.hash);
});

it('rollbacks go back one deployment at a time; a rolled-back build is not deployed again', async () => {
  const [one, two, three] = [await deployText('one'), await deployText('two'), await deployText('three')];
  await rollback({ mfDir, ...CONTRACT, name: 'mf-listings' });
  expect(await live()).toBe(two);
  expect(await needsDeploy({ mfDir, name: 'mf-listings', hash: three })).toBe(false);
  await rollback({ mfDir, ...CONTRACT, name: 'mf-listings' });
  expect(await live()).toBe(one);
  await expect(rollback({ mfDir, ...CONTRACT, name: 'mf-listings' })).rejects.toThrow('no deployment before');
  expect(await needsDeploy({ mfDir, name: 'mf-listings', hash: 'something else' })).toBe(true);
});

it('an earlier build can be deployed again and is then the newest deployment', async () => {
  const one = await deployText('one');
  const two = await deployText('two');
  expect(await deployText('one')).toBe(one);
  expect(await live()).toBe(one);
  await rollback({ mfDir, ...CONTRACT, name: 'mf-listings' });
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
  const builds = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => build(text)));
  await Promise.all(builds.map((build) => deploy({ mfDir, ...CONTRACT, ...build })));
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
