import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TextReader, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packBuild, readArchive, unpackBuild } from '../build/archive.mjs';
import { checkRemote } from '../build/check-remote.mjs';
import { toFlags, toKind } from '../build/deploy-options.mjs';
import { compressFiles, describeFiles } from '../build/artifact.mjs';
import { digestOf } from '../build/digests.mjs';
import { withFileLock } from '../build/file-lock.mjs';
import {
  deploy,
  describeDeployment,
  findDamagedFiles,
  findLive,
  PREVIEWS_MAX,
  RETENTION_days,
  STORED_MAX,
  needsDeploy,
  readHistory,
  readRegistry,
  rollback,
  type Artifact,
} from '../build/registry.mjs';
import { findTokens } from '../build/shared-modules.mjs';
import { readShells, recordShell, type ShellOffer } from '../build/shell-compatibility.mjs';
import { deployKeys, findTrustErrors, localKeys, publicKeyOf, signingKey, trustOf } from '../build/signing.mjs';
import { createRegistryReader } from '../server/registry-file.ts';

const shellWith = (...contracts: string[]) => ({ hash: '', contracts });
const CONTRACT = { shell: shellWith('1.2.0') };

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
const liveEntry = async () => (await readRegistry(mfDir)).remotes['mf-listings']?.[0];
const live = async () => (await liveEntry())?.hash;
const trust = () => localKeys(mfDir).trust;
/** A time at which builds that were deployed now are not needed any more. */
const afterRetention = () => new Date(Date.now() + (RETENTION_days + 1) * 86_400_000);
const back = (to?: string) => rollback({ mfDir, ...CONTRACT, name: 'mf-listings', to });

it('a deployment stores the files under their hash and makes them live', async () => {
  const hash = await deployText('one');
  expect(await live()).toBe(hash);
  expect(await readFile(path.join(mfDir, 'mf-listings', hash, 'remote-entry.js'), 'utf8')).toBe('one');
  expect((await liveEntry())?.integrity).toEqual({
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

it('the folder of a build is readable by the user of the shell, who may be another one', async () => {
  const { dist, artifact } = await build('one');
  await chmod(dist, 0o700);
  await deploy({ mfDir, ...CONTRACT, dist, artifact });
  expect((await stat(path.join(mfDir, 'mf-listings', artifact.hash))).mode & 0o777).toBe(0o755);
});

describe('the limits of stored builds', () => {
  const stored = async () => (await readHistory(mfDir, 'mf-listings')).map(({ hash }) => hash);

  it('previews have their own limit, so they do not push out builds that were live', async () => {
    const lives = [await deployText('one'), await deployText('two'), await deployText('three')];
    let last = '';
    for (let number = 0; number < PREVIEWS_MAX + 3; number++) {
      const preview = await build(`preview ${number}`);
      last = (await deploy({ mfDir, ...CONTRACT, ...preview, isPreview: true })).entry.hash;
    }
    const hashes = await stored();
    expect(hashes).toEqual(expect.arrayContaining([...lives, last]));
    expect(hashes).toHaveLength(lives.length + PREVIEWS_MAX);
  });

  it('the build whose last use is the longest ago is deleted first', async () => {
    const used = await deployText('used by an open tab');
    const unused = await deployText('unused');
    const later = new Date(Date.now() + 60_000);
    await utimes(path.join(mfDir, 'mf-listings', used), later, later);
    for (let number = 0; number < STORED_MAX; number++) await deployText(`build ${number}`);
    expect(await stored()).toContain(used);
    expect(await stored()).not.toContain(unused);
  });
});

describe('a start of the checkout', () => {
  const needs = (hash: string) => needsDeploy({ mfDir, ...CONTRACT, name: 'mf-listings', hash });

  it('does not deploy a build that was rolled back, also after a preview of another one', async () => {
    await deployText('good');
    const bad = await deployText('bad');
    await back();
    await deploy({ mfDir, ...CONTRACT, ...(await build('preview')), isPreview: true });
    expect(await needs(bad)).toBe(false);
    expect(await needs((await build('preview')).artifact.hash), 'the preview').toBe(false);
    expect(await needs((await build('new')).artifact.hash)).toBe(true);
  });

  it('deploys a build whose signature is not valid any more, although an earlier one is live', async () => {
    await deployText('earlier');
    const hash = await deployText('later');
    const file = path.join(mfDir, 'mf-listings/history.json');
    const history = await readHistory(mfDir, 'mf-listings');
    await writeFile(
      file,
      JSON.stringify(history.map(({ signature, ...one }) => (one.hash === hash ? one : { ...one, signature }))),
    );
    expect(await needs(hash)).toBe(true);
  });
});

it('a preview of a stored build replaces its description, and not its state', async () => {
  await deployText('good');
  const hash = await deployText('bad');
  await back();
  const file = path.join(mfDir, 'mf-listings/history.json');
  const history = await readHistory(mfDir, 'mf-listings');
  const [good, bad] = history;
  await writeFile(file, JSON.stringify([good, { ...bad, signature: undefined, chunks: { old: ['old.js'] } }]));
  await deploy({ mfDir, ...CONTRACT, ...(await build('bad')), isPreview: true });
  const [, stored] = await readHistory(mfDir, 'mf-listings');
  expect(stored).toEqual(bad);
  expect(stored).toMatchObject({ hash, isRolledBack: true });
  expect(findTrustErrors(stored ?? {}, trust())).toEqual([]);
});

describe('the recorded shells', () => {
  const shells = (file = '') => path.join(mfDir, 'shells', file);
  const recorded = (n: number) => ({ hash: n.toString(16).padStart(16, '0'), contracts: ['1.2.0'] });

  it.each([
    ['garbage', 'garbage{'],
    ['no object', 'null'],
    ['no contracts', '{"startedAt":"2026-11-30T00:00:00.000Z"}'],
    ['contracts that are no texts', '{"startedAt":"2026-11-30T00:00:00.000Z","contracts":[5]}'],
    ['no time', '{"contracts":["1.2.0"]}'],
  ])('with %s in one file are those of the other files', async (_, text) => {
    recordShell(mfDir, recorded(1));
    await writeFile(shells(`${'f'.repeat(16)}.json`), text);
    await mkdir(shells(`${'e'.repeat(16)}.json`));
    expect(readShells(mfDir)).toEqual([{ ...recorded(1), startedAt: expect.any(String) }]);
  });

  it('stay complete if one cannot be written, and nothing temporary remains', async () => {
    recordShell(mfDir, recorded(1));
    const file = shells(`${recorded(2).hash}.json`);
    // A file cannot replace a folder.
    await mkdir(file);
    expect(() => recordShell(mfDir, recorded(2))).toThrow();
    expect((await readdir(shells())).sort()).toEqual([1, 2].map((n) => `${recorded(n).hash}.json`));
    expect(readShells(mfDir)).toEqual([{ ...recorded(1), startedAt: expect.any(String) }]);
    await rm(file, { recursive: true });
    recordShell(mfDir, recorded(2));
    expect(readShells(mfDir)).toHaveLength(2);
  });

  it('are at most ten, and the content of a file does not decide which file is deleted', async () => {
    const outside = path.join(dir, 'outside.json');
    await writeFile(outside, '{}');
    recordShell(mfDir, recorded(0));
    const first = shells(`${recorded(0).hash}.json`);
    const moved = { ...recorded(0), hash: '../../outside', startedAt: '2020-01-01T00:00:00.000Z' };
    await writeFile(first, JSON.stringify(moved));
    for (let n = 1; n <= 10; n++) recordShell(mfDir, recorded(n));
    expect(await readdir(shells())).toHaveLength(10);
    expect(existsSync(first)).toBe(false);
    expect(existsSync(outside)).toBe(true);
  });
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
    const one = await deployText('one');
    const shell = shellWith('2.0.0');
    const { entry } = await deploy({ mfDir, shell, ...(await build('two', '^2.0.0')) });
    const reason = `mf-listings ${one} works with contract ^1.0.0, but the shell has contract 2.0.0`;
    await expect(rollback({ mfDir, shell, name: 'mf-listings' })).rejects.toThrow(reason);
    await expect(rollback({ mfDir, shell, name: 'mf-listings', to: one })).rejects.toThrow(
      'mf-listings works with contract ^1.0.0, but the shell has contract 2.0.0',
    );
    expect(await live()).toBe(entry.hash);
  });

  it('there is one live build per range, so each shell has one before, during and after a move', async () => {
    const [oldShell, bothShell, newShell] = [shellWith('1.2.0'), shellWith('1.2.0', '2.0.0'), shellWith('2.0.0')];
    const liveFor = async (shell: ShellOffer) =>
      findLive(await readHistory(mfDir, 'mf-listings'), shell, trust())?.hash;
    const old = await deployText('old');
    const next = await build('next', '^2.0.0');
    await expect(deploy({ mfDir, ...CONTRACT, ...next }), 'not without --ahead').rejects.toThrow('^2.0.0');
    const { entry, isLive } = await deploy({ mfDir, ...CONTRACT, ...next, isAhead: true });
    expect(isLive).toBe(false);
    expect(await liveFor(oldShell)).toBe(old);
    for (const shell of [bothShell, newShell]) expect(await liveFor(shell)).toBe(entry.hash);
    const contracts = async () => (await readRegistry(mfDir)).remotes['mf-listings']?.map(({ contract }) => contract);
    expect(await contracts()).toEqual(['^2.0.0', '^1.0.0']);
    // Another build for the old shell changes nothing for the new one, and neither does its rollback.
    const fixed = await deployText('fixed');
    expect([await liveFor(oldShell), await liveFor(newShell)]).toEqual([fixed, entry.hash]);
    expect((await back()).entry.hash).toBe(old);
    expect([await liveFor(oldShell), await liveFor(newShell)]).toEqual([old, entry.hash]);
    // One build for both shells replaces the two.
    const both = await deploy({ mfDir, ...CONTRACT, ...(await build('both', '^1.0.0 || ^2.0.0')) });
    expect(await contracts()).toEqual(['^1.0.0 || ^2.0.0']);
    expect([await liveFor(oldShell), await liveFor(newShell)]).toEqual([both.entry.hash, both.entry.hash]);
    // Its rollback makes both live again.
    await back();
    expect([await liveFor(oldShell), await liveFor(newShell)]).toEqual([old, entry.hash]);
  });

  it('the live build of a recently started shell stays stored after many deployments for another one', async () => {
    const old = await deployText('old');
    const shell = shellWith('2.0.0');
    for (let number = 0; number < 3; number++)
      await deploy({ mfDir, shell, now: afterRetention(), ...(await build(`new ${number}`, '^2.0.0')) });
    expect(await readdir(path.join(mfDir, 'mf-listings', old))).toEqual(['remote-entry.js']);
    expect(findLive(await readHistory(mfDir, 'mf-listings'), CONTRACT.shell, trust())?.hash).toBe(old);
  });
});

describe('a shell that raises the contract', () => {
  const [before, during, after] = [shellWith('1.2.0'), shellWith('1.3.0', '2.0.0'), shellWith('2.0.0')];
  const deployFor = async (shell: ShellOffer, text: string, range: string, isAhead = false) =>
    deploy({ mfDir, shell, isAhead, ...(await build(text, range)) });

  /** Expects that each of these shells, which run at the same time, has a build of the remote that it can run. */
  async function expectShown(...shells: readonly ShellOffer[]): Promise<void> {
    for (const shell of shells) {
      const { remotes } = await createRegistryReader({
        mfDir,
        shell,
        trust: trust(),
        log: { warn: () => undefined },
      })();
      expect(remotes['mf-listings'], shell.contracts.join()).toMatchObject({ fits: true });
    }
  }

  beforeEach(() => deployFor(before, 'old', '^1.0.0'));

  it('can be deployed after the remotes', async () => {
    await deployFor(before, 'new', '^2.0.0', true);
    await expectShown(before, after);
  });

  it('can be deployed before the remotes if it offers both versions', async () => {
    await expectShown(before, during);
    await deployFor(during, 'new', '^2.0.0');
    await expectShown(before, during, after);
  });

  it('can be deployed with the remotes, and rolled back', async () => {
    recordShell(mfDir, { ...before, hash: 'a'.repeat(16) });
    expect(
      findLive(await readHistory(mfDir, 'mf-listings'), after, trust()),
      'its image deploys its builds',
    ).toBeUndefined();
    await deployFor(after, 'new', '^2.0.0');
    await expectShown(before, after);
    for (let number = 0; number < 3; number++) await deployFor(after, `newer ${number}`, '^2.0.0');
    await expectShown(after, before);
  });
});

describe('shared packages and style tokens', () => {
  const shell = {
    ...CONTRACT.shell,
    packages: { react: '19.3.1', 'react-router-dom': '7.18.5' },
    tokens: ['--space-4'],
  };
  const needing = async (text: string, needs: Partial<Artifact>) => {
    const { dist, artifact } = await build(text);
    return { dist, artifact: { ...artifact, ...needs } };
  };

  it.each<readonly [Partial<Artifact>, string]>([
    [{ packages: { react: '^19.4.0' } }, 'mf-listings needs react ^19.4.0, but the shell has 19.3.1'],
    [{ packages: { redux: '^5.0.0' } }, 'mf-listings needs redux ^5.0.0, which the shell does not provide'],
    [{ tokens: ['--space-9'] }, 'mf-listings uses --space-9, which the shell does not define'],
  ])('a remote that needs %j is not deployed', async (needs, message) => {
    await expect(deploy({ mfDir, shell, ...(await needing('one', needs)) })).rejects.toThrow(message);
    expect(await live()).toBeUndefined();
  });

  it('a remote is deployed if the shell has what it needs, and stays live for an earlier shell', async () => {
    const earlier = { ...shell, hash: 'a'.repeat(16), packages: { react: '19.2.0' } };
    recordShell(mfDir, earlier);
    const first = await deploy({
      mfDir,
      shell: earlier,
      ...(await needing('one', { packages: { react: '^19.2.0' } })),
    });
    recordShell(mfDir, { ...shell, hash: 'b'.repeat(16) });
    const needs = { packages: { react: '^19.3.0' }, tokens: ['--space-4'] };
    const { entry } = await deploy({ mfDir, shell, ...(await needing('two', needs)) });
    expect((await readRegistry(mfDir)).remotes['mf-listings']?.map(({ hash }) => hash)).toEqual([
      entry.hash,
      first.entry.hash,
    ]);
    expect(findLive(await readHistory(mfDir, 'mf-listings'), earlier, trust())?.hash).toBe(first.entry.hash);
  });

  it('the needed tokens are those that a build uses without a fallback and does not declare', async () => {
    await writeFile(
      path.join(dir, 'app.css'),
      ':root{--own:1px}a{margin:var(--space-4) var( --own ) var(--optional,1px);--x-y:2px;top:var(--x-y)}',
    );
    await writeFile(
      path.join(dir, 'app.js'),
      'e={"--share":s,top:"var(--share)",left:"var(--nav-height)"};for(;--i;);',
    );
    expect(await findTokens(dir)).toEqual({
      declared: ['--own', '--share', '--x-y'],
      needed: ['--nav-height', '--space-4'],
    });
  });
});

describe('a rollback', () => {
  it('after A, B, a rollback and C returns to A', async () => {
    const good = await deployText('A');
    await deployText('B');
    await back();
    await deployText('C');
    expect((await back()).entry.hash).toBe(good);
  });

  it('returns to a named build, and later ones count as rolled back', async () => {
    const [one, two, three] = [await deployText('one'), await deployText('two'), await deployText('three')];
    expect(await back(one.slice(0, 8))).toMatchObject({ entry: { hash: one }, before: three });
    expect(await live()).toBe(one);
    const four = await deployText('four');
    for (const hash of [two, three])
      await expect(back(hash)).rejects.toThrow(`mf-listings ${hash} was rolled back. A rollback does not return to it`);
    await expect(back(four)).rejects.toThrow(`mf-listings ${four} is live already`);
    await expect(back('0000')).rejects.toThrow(`mf-listings has no stored builds 0000. Name one of: ${one}, ${four}`);
    expect(await live()).toBe(four);
    expect((await back()).entry.hash).toBe(one);
  });

  it('does not return to a build whose files are missing or changed', async () => {
    const [one, two] = [await deployText('one'), await deployText('two')];
    await deployText('three');
    await writeFile(path.join(mfDir, 'mf-listings', two, 'remote-entry.js'), 'changed');
    await expect(back(two)).rejects.toThrow(`mf-listings ${two} is incomplete: remote-entry.js`);
    expect((await back()).entry.hash).toBe(one);
  });
});

it('the registry of an earlier release with one build per remote can be read', async () => {
  await mkdir(mfDir);
  await writeFile(path.join(mfDir, 'registry.json'), JSON.stringify({ remotes: { 'mf-listings': { hash: 'a' } } }));
  expect((await readRegistry(mfDir)).remotes).toEqual({ 'mf-listings': [{ hash: 'a' }] });
});

describe('an archive', () => {
  const KEY = 'ab'.repeat(32);

  /** Creates a build with a style sheet, a picture, a server bundle and a file that is not part of the archive. */
  async function fullBuild() {
    const { dist, artifact } = await build('entry');
    await mkdir(path.join(dist, 'server'));
    await writeFile(path.join(dist, 'server/server.cjs'), 'exports');
    await writeFile(path.join(dist, 'app.css'), 'a{}'.repeat(1_000));
    await writeFile(path.join(dist, 'picture.png'), 'picture');
    await writeFile(path.join(dist, 'app.css.map'), '{}');
    const integrity = digestOf('exports');
    return { dist, artifact: { ...artifact, ...(await describeFiles(dist, '')), server: { integrity } } };
  }
  const unpackTo = async () => mkdtemp(path.join(dir, 'unpacked-'));

  it('contains the description and all described files, and is deployed like a build', async () => {
    const built = await fullBuild();
    const to = await unpackTo();
    const artifact = await unpackBuild(await packBuild(built, KEY), to);
    expect(artifact).toMatchObject(built.artifact);
    expect(findTrustErrors(artifact, { keys: [publicKeyOf(KEY)], revoked: [] })).toEqual([]);
    expect((await readdir(to)).sort()).toEqual([
      'app.css',
      'app.css.br',
      'app.css.gz',
      'picture.png',
      'remote-entry.js',
      'server',
    ]);
    const keys = { privateKey: null, trust: { keys: [publicKeyOf(KEY)], revoked: [] } };
    await expect(deploy({ mfDir, ...CONTRACT, dist: to, artifact }), 'an unknown key').rejects.toThrow(
      'is signed with a key that is not known here',
    );
    const { entry } = await deploy({ mfDir, ...CONTRACT, dist: to, artifact, keys });
    expect(await findDamagedFiles(path.join(mfDir, 'mf-listings', entry.hash), entry)).toEqual([]);
  });

  it.each(['app.css', 'picture.png', 'server/server.cjs'])('with a changed %s is rejected', async (file) => {
    const { dist, artifact } = await fullBuild();
    const zip = new ZipWriter(new Uint8ArrayWriter());
    await zip.add('build.json', new TextReader(JSON.stringify(artifact)));
    for (const name of ['remote-entry.js', 'app.css', 'picture.png', 'server/server.cjs'])
      await zip.add(
        name,
        new TextReader(`${await readFile(path.join(dist, name), 'utf8')}${name === file ? '!' : ''}`),
      );
    await expect(unpackBuild(await zip.close(), await unpackTo())).rejects.toThrow(
      `${file} in the archive does not match its digest`,
    );
  });

  it('is rejected if it would write outside of the folder, or is no archive of a remote', async () => {
    const { dist, artifact } = await fullBuild();
    const leading = { ...artifact, assets: { '../x': artifact.integrity['app.css'] ?? '' } };
    await expect(packBuild({ dist, artifact: leading }, KEY)).rejects.toThrow('a file with the name "../x"');
    for (const [description, message] of [
      [leading, 'a file with the name "../x"'],
      [{ ...artifact, name: '../mf' }, 'the name is "../mf"'],
    ] as const) {
      const zip = new ZipWriter(new Uint8ArrayWriter());
      await zip.add('build.json', new TextReader(JSON.stringify(description)));
      await expect(unpackBuild(await zip.close(), await unpackTo())).rejects.toThrow(message);
    }
    await expect(unpackBuild(Buffer.from('nothing'), await unpackTo())).rejects.toThrow();
  });

  it('is rejected before it fills the memory or the disk', async () => {
    function* endless() {
      for (;;) yield Buffer.alloc(1_000_000);
    }
    await expect(readArchive(Readable.from(endless()))).rejects.toThrow('The archive has more than 50000000 bytes');
    expect(await readArchive(Readable.from([Buffer.from('a'), Buffer.from('b')]))).toEqual(Buffer.from('ab'));
    const { artifact } = await fullBuild();
    const content = new Uint8Array(19_000_000);
    const digest = digestOf(content);
    const names = Array.from({ length: 6 }, (_, n) => `picture-${n}.bin`);
    const assets = Object.fromEntries(names.map((name) => [name, digest]));
    const { server: _server, ...described } = { ...artifact, assets };
    const zip = new ZipWriter(new Uint8ArrayWriter());
    await zip.add('build.json', new TextReader(JSON.stringify(described)));
    for (const name of [...Object.keys(artifact.integrity), ...names])
      await zip.add(name, new Uint8ArrayReader(content));
    const to = await unpackTo();
    await expect(unpackBuild(await zip.close(), to)).rejects.toThrow('The files of the archive have more than');
    expect(await readdir(to)).toEqual([]);
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
    expect(await needsDeploy({ mfDir, ...CONTRACT, name: 'mf-listings', hash })).toBe(true);
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
  await back();
  expect(await live()).toBe(two);
  expect(await needsDeploy({ mfDir, ...CONTRACT, name: 'mf-listings', hash: three })).toBe(false);
  await back();
  expect(await live()).toBe(one);
  await expect(back()).rejects.toThrow('no deployment before');
  expect(await needsDeploy({ mfDir, ...CONTRACT, name: 'mf-listings', hash: 'something else' })).toBe(true);
});

it('an earlier build can be deployed again and is then the newest deployment', async () => {
  const one = await deployText('one');
  const two = await deployText('two');
  expect(await deployText('one')).toBe(one);
  expect(await live()).toBe(one);
  await back();
  expect(await live()).toBe(two);
});

describe('stored builds', () => {
  const stored = async () => (await readHistory(mfDir, 'mf-listings')).map(({ hash }) => hash);
  const folders = async () =>
    (await readdir(path.join(mfDir, 'mf-listings'), { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  const deployAt = async (text: string, now: Date) =>
    (await deploy({ mfDir, ...CONTRACT, now, ...(await build(text)) })).entry.hash;

  it('remain for a time after they were replaced or used', async () => {
    const hashes: string[] = [];
    for (let number = 0; number < 12; number++) hashes.push(await deployText(`build ${number}`));
    expect(await stored(), 'all of them are recent').toEqual(hashes);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    const later = await deployAt('in time', inDays(RETENTION_days - 1));
    expect(await stored()).toEqual([...hashes, later]);
    // A tab still loads files of one of them.
    const used = hashes[3] ?? '';
    await utimes(path.join(mfDir, 'mf-listings', used), inDays(20), inDays(20));
    const last = await deployAt('last', inDays(RETENTION_days + 1));
    expect(await stored()).toEqual([used, hashes.at(-1), later, last]);
    expect((await folders()).sort()).toEqual((await stored()).toSorted());
  });

  it('of a rolled-back deployment do not push out those that are live', async () => {
    const good = await deployText('good');
    await deployText('bad');
    await back();
    await utimes(path.join(mfDir, 'mf-listings', good), new Date(0), new Date(0));
    const later = await deployAt('later', afterRetention());
    expect(await stored()).toEqual(expect.arrayContaining([good, later]));
    expect((await back()).entry.hash).toBe(good);
  });

  it('have a maximum number', async () => {
    for (let number = 0; number < STORED_MAX + 2; number++) await deployText(`build ${number}`);
    expect(await stored()).toHaveLength(STORED_MAX);
    expect((await folders()).length).toBe(STORED_MAX);
  });
});

describe('a canary', () => {
  const canary = async (text: string, canaryPercent: number) =>
    deploy({ mfDir, ...CONTRACT, canaryPercent, ...(await build(text)) });
  const inRegistry = async () => (await readRegistry(mfDir)).canaries['mf-listings'];

  it('is not live, and its share can grow until it is', async () => {
    const one = await deployText('one');
    const { entry, before } = await canary('two', 5);
    expect(before).toBe(one);
    expect(await live()).toBe(one);
    expect(await inRegistry()).toMatchObject({ percent: 5, build: { hash: entry.hash } });
    await canary('two', 25);
    expect(await inRegistry()).toMatchObject({ percent: 25, build: { hash: entry.hash } });
    await deployText('two');
    expect(await inRegistry()).toBeUndefined();
    expect(await live()).toBe(entry.hash);
    expect((await back()).entry.hash).toBe(one);
  });

  it('is ended by a rollback, which leaves the live build, and no rollback returns to it', async () => {
    const one = await deployText('one');
    const two = await deployText('two');
    const { entry } = await canary('three', 5);
    const ended = await back();
    expect(ended).toMatchObject({ entry: { hash: two }, before: two, endedCanary: entry.hash });
    expect(describeDeployment(ended)).toBe(
      `mf-listings   ${entry.hash} is no canary any more\nmf-listings   ${two} is live`,
    );
    expect([await live(), await inRegistry()]).toEqual([two, undefined]);
    await expect(back(entry.hash)).rejects.toThrow('was never live');
    expect((await back()).entry.hash).toBe(one);
    expect(await needsDeploy({ mfDir, ...CONTRACT, name: 'mf-listings', hash: entry.hash })).toBe(false);
  });

  it('that was live before is a build to which a rollback can return while it runs', async () => {
    const one = await deployText('one');
    const two = await deployText('two');
    await canary('one', 5);
    await canary('one', 25);
    const { entry, before } = await back(one);
    expect([entry.hash, before]).toEqual([one, two]);
    expect(entry).not.toHaveProperty('stage');
    expect([await live(), await inRegistry()]).toEqual([one, undefined]);
    expect(await readHistory(mfDir, 'mf-listings')).toMatchObject([
      { hash: two, isRolledBack: true },
      expect.not.objectContaining({ stage: 'canary', liveAt: expect.any(String) as string }),
    ]);
    await expect(back()).rejects.toThrow('mf-listings has no deployment before');
  });

  it('that was live before is rolled back when it ends, and no rollback returns to it', async () => {
    const zero = await deployText('zero');
    const one = await deployText('one');
    await deployText('two');
    await canary('one', 5);
    await back();
    await expect(back(one)).rejects.toThrow(`mf-listings ${one} was rolled back. A rollback does not return to it`);
    await canary('one', 5);
    await expect(back(one), 'since it was rolled back').rejects.toThrow(`mf-listings ${one} was never live`);
    expect((await back(zero)).entry.hash).toBe(zero);
  });

  it('that was live before leaves the builds before it as they are when a rollback returns to it', async () => {
    const zero = await deployText('zero');
    const one = await deployText('one');
    await deployText('two');
    await canary('one', 5);
    await back(one);
    expect((await back()).entry.hash).toBe(zero);
  });

  it('is the only one of its remote, and ends when another build becomes live', async () => {
    await deployText('one');
    const first = await canary('two', 5);
    const second = await canary('three', 5);
    expect([first.endedCanary, second.endedCanary]).toEqual([null, first.entry.hash]);
    expect(await inRegistry()).toMatchObject({ build: { hash: second.entry.hash } });
    await deployText('four');
    expect(await inRegistry()).toBeUndefined();
    const history = await readHistory(mfDir, 'mf-listings');
    for (const { entry } of [first, second])
      expect(history.find(({ hash }) => hash === entry.hash)).toMatchObject({ isRolledBack: true });
  });

  it('becomes live with a share of 100, which no other build does', async () => {
    const one = await deployText('one');
    const { entry } = await canary('two', 5);
    const toAll = async (text: string) => deploy({ mfDir, ...CONTRACT, endsCanary: true, ...(await build(text)) });
    for (const text of ['one', 'three'])
      await expect(toAll(text)).rejects.toThrow(`is no canary; the canary ${entry.hash} has other sources`);
    expect([await live(), (await inRegistry())?.build.hash]).toEqual([one, entry.hash]);
    expect(await toAll('two')).toMatchObject({ isLive: true, endedCanary: null });
    expect([await live(), await inRegistry()]).toEqual([entry.hash, undefined]);
    await expect(toAll('three')).rejects.toThrow('is no canary. Deploy it without --canary');
  });

  it('needs a live build and a share', async () => {
    await expect(canary('one', 5)).rejects.toThrow('has no live build with which a canary could be compared');
    await deployText('one');
    await expect(canary('one', 5)).rejects.toThrow('is live already');
    for (const percent of [0, 100, 2.5]) await expect(canary('two', percent)).rejects.toThrow('from 1 to 99 percent');
    expect(toKind({ canary: '100' })).toEqual({ isAhead: false, isPreview: false, endsCanary: true });
    expect(toKind({ canary: '5', ahead: true })).toEqual({
      isAhead: true,
      isPreview: false,
      canaryPercent: 5,
      isAutomatic: false,
    });
    expect(() => toKind({ canary: 'many' })).toThrow('name a percentage');
    expect(() => toKind({ canary: '5', preview: true })).toThrow('either a preview or a canary');
  });
});

it.each(['garbage{', 'null', '{}', '[null]', '["text"]'])(
  'a history that contains %s is not overwritten',
  async (text) => {
    await deployText('one');
    const file = path.join(mfDir, 'mf-listings/history.json');
    await writeFile(file, text);
    await expect(deployText('two')).rejects.toThrow(file);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

describe('keys', () => {
  it('a key of this machine is created next to the folder, and only its owner can read it', async () => {
    const { privateKey } = localKeys(mfDir);
    expect(localKeys(mfDir).privateKey).toBe(privateKey);
    expect((await stat(`${mfDir}.key`)).mode & 0o777).toBe(0o600);
    expect((await readdir(dir)).sort()).toEqual(['mf.key']);
  });

  it('a build that was signed with a lost key is deployed again', async () => {
    const hash = await deployText('one');
    await rm(`${mfDir}.key`);
    expect(await needsDeploy({ mfDir, ...CONTRACT, name: 'mf-listings', hash })).toBe(true);
    await deployText('one');
    expect(await needsDeploy({ mfDir, ...CONTRACT, name: 'mf-listings', hash })).toBe(false);
    expect(findTrustErrors((await liveEntry()) ?? {}, trust())).toEqual([]);
  });

  it('environment variables name them', () => {
    const [key, other] = ['ab'.repeat(32), publicKeyOf('cd'.repeat(32))];
    expect(deployKeys({ FRONT_END_PRIVATE_KEY: key, FRONT_END_KEYS: publicKeyOf(key) }, mfDir)).toEqual({
      privateKey: key,
      trust: { keys: [publicKeyOf(key)], revoked: [] },
    });
    expect(deployKeys({ FRONT_END_KEYS: other, FRONT_END_REVOKED: 'a, b' }, mfDir)).toEqual({
      privateKey: null,
      trust: { keys: [other], revoked: ['a', 'b'] },
    });
    expect(() => signingKey({ FRONT_END_PRIVATE_KEY: 'short' }, mfDir)).toThrow('64 hexadecimal digits');
    expect(signingKey({ FRONT_END_PRIVATE_KEY: key }, mfDir)).toBe(key);
  });

  it('a private key without public keys is rejected, because the shell would use none of its builds', async () => {
    const env = { FRONT_END_PRIVATE_KEY: 'ab'.repeat(32) };
    expect(() => deployKeys(env, mfDir)).toThrow('FRONT_END_PRIVATE_KEY is set, but not FRONT_END_KEYS');
    const { entry } = await deploy({ mfDir, ...CONTRACT, ...(await build('one')) });
    expect(findTrustErrors(entry, trustOf(mfDir, { keys: null, revoked: [] })), 'without both settings').toEqual([]);
  });

  it('of a team may sign only the remotes that the site names for it', async () => {
    const [key, other] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const keysFor = (...names: readonly string[]) => ({
      privateKey: key,
      trust: { keys: [publicKeyOf(other), `${publicKeyOf(key)}:${names.join('+')}`], revoked: [] },
    });
    const one = await build('one');
    await expect(deploy({ mfDir, ...CONTRACT, ...one, keys: keysFor('mf-events', 'mf-list') })).rejects.toThrow(
      `mf-listings ${one.artifact.hash} is signed with a key that may not sign mf-listings`,
    );
    const { entry } = await deploy({ mfDir, ...CONTRACT, ...one, keys: keysFor('mf-events', 'mf-listings') });
    expect(findTrustErrors(entry, keysFor('mf-listings').trust)).toEqual([]);
    expect(findTrustErrors(entry, keysFor('mf-events').trust)).toEqual([
      'is signed with a key that may not sign mf-listings',
    ]);
    expect(findTrustErrors({ ...entry, name: 'mf-events' }, keysFor('mf-events').trust)).toEqual([
      'has changed since it was signed',
    ]);
  });

  it('without a private key, only a signed build is deployed, and a revoked one never', async () => {
    const keys = { privateKey: null, trust: trust() };
    await expect(deploy({ mfDir, ...CONTRACT, keys, ...(await build('one')) })).rejects.toThrow('is not signed');
    const { entry } = await deploy({ mfDir, ...CONTRACT, ...(await build('one')) });
    const revoking = { ...localKeys(mfDir), trust: { ...trust(), revoked: [entry.hash] } };
    await expect(deploy({ mfDir, ...CONTRACT, keys: revoking, ...(await build('one')) })).rejects.toThrow(
      `mf-listings ${entry.hash} is revoked`,
    );
    await deployText('two');
    await expect(rollback({ mfDir, ...CONTRACT, keys: revoking, name: 'mf-listings' })).rejects.toThrow(
      `mf-listings ${entry.hash} is revoked`,
    );
    await expect(rollback({ mfDir, ...CONTRACT, keys: revoking, name: 'mf-listings', to: entry.hash })).rejects.toThrow(
      `mf-listings ${entry.hash} is revoked`,
    );
  });
});

describe('the check before a deployment', () => {
  const stamp = () => path.join(dir, 'checked');
  const silent = () => undefined;

  it('checks types and tests once for the same sources', async () => {
    const done: string[] = [];
    const parts = {
      types: (name: string) => Promise.resolve(void done.push(`types of ${name}`)),
      tests: (name: string) => Promise.resolve(void done.push(`tests of ${name}`)),
    };
    await checkRemote('mf-listings', { parts, stamp: stamp(), report: silent });
    await checkRemote('mf-listings', { parts, stamp: stamp(), report: silent });
    expect(done).toEqual(['types of mf-listings', 'tests of mf-listings']);
    await writeFile(stamp(), 'other sources');
    await checkRemote('mf-listings', { parts, stamp: stamp(), report: silent });
    expect(done).toHaveLength(4);
  });

  it.each(['types', 'tests'])('rejects a remote whose %s fail, also at the next attempt', async (failing) => {
    const parts = {
      types: () => Promise.resolve(),
      tests: () => Promise.resolve(),
      [failing]: () => Promise.reject(new Error(`the ${failing} fail`)),
    };
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(checkRemote('mf-listings', { parts, stamp: stamp(), report: silent })).rejects.toThrow(
        `the ${failing} fail\nmf-listings was not deployed. With --force, it is deployed without this check`,
      );
    expect(existsSync(stamp())).toBe(false);
  });

  it('can be skipped with --force, which the history records until the build is deployed with a check', async () => {
    const deployed = async () => (await readHistory(mfDir, 'mf-listings')).map(({ isForced = false }) => isForced);
    const one = await build('one');
    expect(toFlags({ force: true })).toEqual(['--force']);
    await deploy({ mfDir, ...CONTRACT, ...one, ...toKind({ force: true }) });
    await deployText('two');
    expect(await deployed()).toEqual([true, false]);
    expect(await liveEntry()).not.toHaveProperty('isForced');
    expect((await back()).entry.hash).toBe(one.artifact.hash);
    expect(await deployed(), 'after a rollback to it').toEqual([true, false]);
    expect(await live(), 'its signature is valid').toBe(one.artifact.hash);
    await deployText('one');
    expect(await deployed()).toEqual([false, false]);
  });
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

describe('a lock whose holder cannot be checked', () => {
  const times = { renewedEvery_ms: 20, unchangedMax_ms: 1_000 };

  it('is taken over if its time does not change', async () => {
    const file = path.join(dir, 'lock');
    await writeFile(file, '1 elsewhere');
    const started_ms = performance.now();
    expect(await withFileLock(file, () => Promise.resolve('done'), times)).toBe('done');
    expect(performance.now() - started_ms).toBeGreaterThan(times.unchangedMax_ms);
    expect(existsSync(file)).toBe(false);
  });

  it('stays while its holder works, however long that takes', async () => {
    const file = path.join(dir, 'lock');
    const order: string[] = [];
    const holder = withFileLock(
      file,
      async () => {
        await sleep(2 * times.unchangedMax_ms);
        order.push('holder');
      },
      times,
    );
    await expect.poll(() => existsSync(file)).toBe(true);
    await Promise.all([holder, withFileLock(file, () => Promise.resolve(order.push('waiting')), times)]);
    expect(order).toEqual(['holder', 'waiting']);
  });

  it('that another process has taken over is not released by its former holder', async () => {
    const file = path.join(dir, 'lock');
    await withFileLock(file, () => writeFile(file, '1 elsewhere'), times);
    expect(await readFile(file, 'utf8')).toBe('1 elsewhere');
  });
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
