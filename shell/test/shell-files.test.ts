import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { compressFiles, describeFiles } from '../build/artifact.mjs';
import { main } from '../build/deploy-built.mjs';
import { storeShell } from '../build/shell-files.mjs';
import { localKeys, publicKeyOf, signBuild } from '../build/signing.mjs';
import { createShellServer } from '../server/index.ts';

/** The files of other versions of the shell (decision 0124). */
const DAY_ms = 86_400_000;

vi.mock('node:fs/promises', { spy: true });
// Another test file of the same process may have loaded the modules without the spies.
vi.hoisted(() => vi.resetModules());

let dir: string;
let mfDir: string;
const warnings: string[] = [];
const stops: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'shell-files-'));
  mfDir = path.join(dir, 'mf');
});
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  warnings.length = 0;
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

/** Writes a build of the shell with one script and a font. Returns its folder and its hash. */
async function buildShell(version: string) {
  const distDir = path.join(dir, `dist-${version}`);
  const assets = path.join(distDir, 'assets');
  await mkdir(assets, { recursive: true });
  await writeFile(path.join(assets, `shell.${version}.js`), `console.log('${version}');`.repeat(100));
  await writeFile(path.join(assets, `shell.${version}.js.map`), '{}');
  await writeFile(path.join(assets, 'font.1.woff2'), 'font');
  const { hash, sizeBytes } = await describeFiles(assets, '');
  await compressFiles(assets);
  const build = { hash, sizeBytes, scripts: [`shell.${version}.js`], styles: [], texts: {}, fonts: [] };
  await writeFile(path.join(distDir, 'build.json'), JSON.stringify(build));
  return { distDir, hash, folder: path.join(mfDir, 'shell', hash) };
}

const store = (distDir: string, now?: Date) =>
  storeShell({ mfDir, distDir, keys: localKeys(mfDir), ...(now && { now }) });

/** Starts the server of a version. */
async function serve(distDir: string) {
  const served = await serveRoutes(
    '/',
    createShellServer({
      ...{ mfDir, distDir, siteUrl: null, reads: null, metrics: null },
      log: { warn: (_fields, text) => warnings.push(text) },
    }),
  );
  stops.push(() => served.stop());
  return (file: string, encoding = 'identity') =>
    fetch(new URL(`/assets/${file}`, served.url), { headers: { 'accept-encoding': encoding } });
}

describe('a server', () => {
  it('serves the files of a later and of an earlier version, also compressed', async () => {
    const [one, two] = [await buildShell('one'), await buildShell('two')];
    await store(one.distDir);
    const get = await serve(one.distDir);
    expect((await get('shell.two.js')).status, 'before it is stored').toBe(404);
    await store(two.distDir);
    await expect.poll(async () => (await get('shell.two.js')).status).toBe(200);
    const other = await get('shell.two.js', 'br');
    expect(await other.text()).toContain("console.log('two')");
    expect(Object.fromEntries(other.headers)).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const getOfTwo = await serve(two.distDir);
    expect(await (await getOfTwo('shell.one.js')).text()).toContain("console.log('one')");
    for (const file of ['shell.one.js.map', 'build.json', 'missing.js', '..%2fshell%2fbuild.json'])
      expect((await getOfTwo(file)).status, file).toBe(404);
  });

  it.each<readonly [string, (folder: string) => Promise<unknown>]>([
    ['a changed file', (folder) => writeFile(path.join(folder, 'shell.two.js'), 'alert(1)')],
    [
      'a changed compressed file',
      async (folder) => {
        await writeFile(path.join(folder, 'shell.two.js'), 'alert(1)');
        await writeFile(path.join(folder, 'shell.two.js.br'), brotliCompressSync('alert(1)'));
      },
    ],
    [
      'a symbolic link',
      async (folder) => {
        await rm(path.join(folder, 'shell.two.js'));
        await symlink(path.join(dir, 'dist-one/build.json'), path.join(folder, 'shell.two.js'));
      },
    ],
    [
      'a list with another signature',
      async (folder) => {
        const file = path.join(folder, 'build.json');
        const described = JSON.parse(await readFile(file, 'utf8')) as object;
        await writeFile(file, JSON.stringify(signBuild(described, 'ab'.repeat(32))));
      },
    ],
    [
      'the signed list of a remote',
      async (folder) => {
        const file = path.join(folder, 'build.json');
        const described = JSON.parse(await readFile(file, 'utf8')) as object;
        const remote = signBuild({ ...described, name: 'mf-listings' }, localKeys(mfDir).privateKey);
        await writeFile(file, JSON.stringify(remote));
      },
    ],
  ])('does not serve %s from the volume', async (_, change) => {
    const [one, two] = [await buildShell('one'), await buildShell('two')];
    await store(two.distDir);
    await change(two.folder);
    for (const extension of ['br', 'gz'])
      if (_ !== 'a changed compressed file')
        await rm(path.join(two.folder, `shell.two.js.${extension}`), { force: true });
    const get = await serve(one.distDir);
    expect((await get('shell.two.js', 'br')).status).toBe(404);
  });

  /** Replaces the list of a stored shell by one with another signature. Returns the file and its valid content. */
  async function invalidateList(folder: string) {
    const file = path.join(folder, 'build.json');
    const valid = await readFile(file, 'utf8');
    await writeFile(file, JSON.stringify(signBuild(JSON.parse(valid) as object, 'ab'.repeat(32))));
    return { file, valid };
  }

  it('serves a shell that was stored again after its list was not valid', async () => {
    const [one, two] = [await buildShell('one'), await buildShell('two')];
    await store(two.distDir);
    await invalidateList(two.folder);
    const get = await serve(one.distDir);
    expect((await get('shell.two.js')).status).toBe(404);
    await store(two.distDir);
    await expect.poll(async () => (await get('shell.two.js')).status).toBe(200);
    expect(warnings).toEqual(['the files of a stored shell are not used']);
  });

  it('reads a list again that could not be read', async () => {
    const [one, two] = [await buildShell('one'), await buildShell('two')];
    await store(two.distDir);
    const list = path.join(two.folder, 'build.json');
    await rename(list, `${list}.away`);
    const get = await serve(one.distDir);
    expect((await get('shell.two.js')).status).toBe(404);
    await rename(`${list}.away`, list);
    await expect.poll(async () => (await get('shell.two.js')).status).toBe(200);
  });

  it('reads lists that were not valid again after 30 s, although the folder has not changed', async () => {
    const [one, two] = [await buildShell('one'), await buildShell('two')];
    await store(two.distDir);
    const { file, valid } = await invalidateList(two.folder);
    const get = await serve(one.distDir);
    const started_ms = performance.now();
    const now_ms = vi.spyOn(performance, 'now').mockReturnValue(started_ms);
    expect((await get('shell.two.js')).status).toBe(404);
    await writeFile(file, valid);
    now_ms.mockReturnValue(started_ms + 29_000);
    expect((await get('shell.two.js')).status).toBe(404);
    now_ms.mockReturnValue(started_ms + 31_000);
    expect((await get('shell.two.js')).status).toBe(200);
  });

  it('lists the stored shells once for simultaneous requests', async () => {
    const one = await buildShell('one');
    await store(one.distDir);
    const get = await serve(one.distDir);
    vi.mocked(readdir).mockClear();
    const responses = await Promise.all(Array.from({ length: 20 }, () => get('missing.js')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]));
    const shells = path.join(mfDir, 'shell');
    expect(vi.mocked(readdir).mock.calls.filter(([folder]) => folder === shells)).toHaveLength(1);
  });

  it('serves its own files from its own build', async () => {
    const one = await buildShell('one');
    await store(one.distDir);
    await writeFile(path.join(one.folder, 'shell.one.js'), 'alert(1)');
    expect(await (await (await serve(one.distDir))('shell.one.js')).text()).toContain("console.log('one')");
  });
});

describe('a stored shell', () => {
  const stored = () => readdir(path.join(mfDir, 'shell'));
  const at = (days: number) => new Date(Date.now() + days * DAY_ms);

  it('needs a key, unless it is stored already', async () => {
    const one = await buildShell('one');
    const withoutKey = { privateKey: null, trust: localKeys(mfDir).trust };
    expect(await storeShell({ mfDir, distDir: one.distDir, keys: withoutKey })).toBe(false);
    expect(await store(one.distDir)).toBe(true);
    expect(await storeShell({ mfDir, distDir: one.distDir, keys: withoutKey })).toBe(true);
  });

  it('needs a key that may sign more than some remotes', async () => {
    const one = await buildShell('one');
    const { privateKey } = localKeys(mfDir);
    const trust = { keys: [`${publicKeyOf(privateKey)}:mf-listings`], revoked: [] };
    expect(await storeShell({ mfDir, distDir: one.distDir, keys: { privateKey, trust } })).toBe(false);
    await expect(readdir(one.folder)).rejects.toThrow('ENOENT');
  });

  /** Moves a build of the shell to where an image has it. Returns the root folder of the image. */
  async function putIntoImage(distDir: string): Promise<string> {
    const rootDir = path.join(dir, 'image');
    await mkdir(path.join(rootDir, 'shell'), { recursive: true });
    await rename(distDir, path.join(rootDir, 'shell/dist'));
    return rootDir;
  }

  it.each([
    ['shell', 'The files of the shell were not stored for other servers: '],
    ['shells', 'The shell was not recorded, so deployments are compared with an earlier one: '],
  ])('is not required for the start of the shell if the folder %s cannot be written', async (folder, warning) => {
    const one = await buildShell('one');
    const rootDir = await putIntoImage(one.distDir);
    await mkdir(mfDir);
    // Nothing can be written into a file as into a folder, not even by root.
    await writeFile(path.join(mfDir, folder), 'a file');
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await main([], { env: { MF_DIR: mfDir }, rootDir })).toBe(0);
    expect(printed.mock.calls).toEqual([[expect.stringContaining(warning)]]);
    expect(await readFile(path.join(mfDir, folder), 'utf8')).toBe('a file');
    const get = await serve(path.join(rootDir, 'shell/dist'));
    expect((await get('shell.one.js')).status).toBe(200);
    expect((await get('shell.two.js')).status).toBe(404);
  });

  it('is not required for the start of the shell', async () => {
    const one = await buildShell('one');
    const rootDir = await putIntoImage(one.distDir);
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    // The disk is full after some files.
    vi.mocked(cp).mockImplementationOnce(async (_, copied) => {
      await mkdir(String(copied), { recursive: true });
      throw new Error('ENOSPC: no space left on device');
    });
    expect(await main([], { env: { MF_DIR: mfDir }, rootDir })).toBe(0);
    expect(printed.mock.calls).toEqual([
      ['The files of the shell were not stored for other servers: ENOSPC: no space left on device\n'],
    ]);
    expect(await stored(), 'without the incomplete copy').toEqual([]);
    expect(await main([], { env: { MF_DIR: mfDir }, rootDir })).toBe(0);
    expect(await stored()).toEqual([one.hash]);
    await writeFile(path.join(rootDir, 'shell/dist/assets/shell.one.js'), 'changed');
    expect(await main([], { env: { MF_DIR: mfDir }, rootDir })).toBe(0);
    expect(printed.mock.lastCall?.[0]).toContain('have changed since the build');
  });

  it('is stored after old ones were removed, because the disk may be full', async () => {
    for (let number = 0; number < 12; number++) await store((await buildShell(`v${number}`)).distDir, at(number / 100));
    const { distDir } = await buildShell('later');
    vi.mocked(cp).mockRejectedValueOnce(new Error('ENOSPC: no space left on device'));
    await expect(store(distDir, at(40))).rejects.toThrow('ENOSPC');
    expect(await stored()).toHaveLength(10);
  });

  it('is repaired if a file is damaged', async () => {
    const one = await buildShell('one');
    await store(one.distDir);
    await writeFile(path.join(one.folder, 'shell.one.js'), 'alert(1)');
    await store(one.distDir);
    expect(await readFile(path.join(one.folder, 'shell.one.js'), 'utf8')).toContain("console.log('one')");
    expect(await stored()).toEqual([one.hash]);
  });

  it('is not stored if its files are not those of the build', async () => {
    const one = await buildShell('one');
    await writeFile(path.join(one.distDir, 'assets/shell.one.js'), 'changed');
    await expect(store(one.distDir)).rejects.toThrow('have changed since the build');
  });

  it('stays for 30 days after its last use, and as one of the last ten without a limit', async () => {
    const hashes: string[] = [];
    for (let number = 0; number < 12; number++) {
      const { distDir, hash } = await buildShell(`v${number}`);
      await store(distDir, at(number / 100));
      hashes.push(hash);
    }
    expect(await stored()).toHaveLength(12);
    const used = path.join(mfDir, 'shell', hashes[0] ?? '');
    await utimes(used, at(20), at(20));
    const { distDir, hash } = await buildShell('later');
    await store(distDir, at(40));
    const remaining = await stored();
    expect(remaining).toHaveLength(10);
    expect(remaining).toContain(hash);
    expect(remaining, 'used by an old tab').toContain(hashes[0]);
    expect(remaining).not.toContain(hashes[1]);
  });
});
