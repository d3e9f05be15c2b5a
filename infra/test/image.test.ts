import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packBuild } from '../../shell/build/archive.mjs';
import { findTrustErrors, localKeys, publicKeyOf } from '../../shell/build/signing.mjs';
import { assemble } from '../deploy/image/assemble.mjs';

const repository = path.resolve(import.meta.dirname, '../..');
let dir: string;
let root: string;
let target: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(await realpath(tmpdir()), 'alpenglow-image-'));
  root = path.join(dir, 'checkout');
  target = path.join(dir, 'app');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}
const putPackage = (folder: string, manifest: object = {}) => put(`${folder}/package.json`, JSON.stringify(manifest));

const ENTRY = 'entry of a remote';
/** The description of a built remote. */
const artifactOf = (hash: string, contract = '^6.0.0') => ({
  ...{ name: 'mf-listings', hash, contract, container: 'mf_listings', entry: 'remote-entry.js', preload: [] },
  integrity: { 'remote-entry.js': `sha256-${createHash('sha256').update(ENTRY).digest('base64')}` },
  sizeBytes: 1,
});

/**
 * Creates a minimal built checkout. It contains a service, a tool, a remote (a front end), and files that are read at
 * run time.
 */
async function putCheckout(): Promise<void> {
  for (const folder of ['infra/deploy/image', 'shell/build'])
    await cp(path.join(repository, folder), path.join(root, folder), { recursive: true });
  await put('package.json', '{}');
  await put('infra/migrations/0001.sql', '');
  await put('infra/decoder/main.mjs', '');
  await put('domain/src/contracts/pdq.mjs', '');
  await put('launcher/seed/articles/one.md', '');
  await put('shell/dist/build.json', JSON.stringify({ contractVersion: '6.0.0' }));
  for (const name of ['semver', '@zip.js/zip.js', 'canonicalize'])
    await cp(path.join(repository, 'node_modules', name), path.join(root, 'node_modules', name), { recursive: true });
  await put('workers/assets/demo-01.jpg', '');
  await put('mf-listings/dist/build.json', JSON.stringify(artifactOf('0123456789abcdef')));
  await put('mf-listings/dist/remote-entry.js', ENTRY);
  await put(
    'launcher/dist/command-api.mjs',
    "import { createServer } from 'node:http';\ncreateServer().listen(0);\n" +
      "process.on('SIGTERM', () => { console.log('stopping'); process.exit(0); });\nconsole.log('listens');\n",
  );
  await put(
    'launcher/dist/count.mjs',
    'export const main = (args, { rootDir }) => { console.log(rootDir, ...args); return args.length; };',
  );
}
const run = (...args: string[]) =>
  spawnSync(process.execPath, [path.join(target, 'infra/deploy/image/run.mjs'), ...args], { encoding: 'utf8' });

describe('the assembled folder', () => {
  beforeEach(putCheckout);

  it('contains the part that shows remotes of developers only for staging', async () => {
    await put('launcher/dist/local-remotes.0123456789.mjs', '');
    const has = () => readdir(path.join(target, 'launcher/dist'));
    await assemble(root, target);
    expect(await has()).not.toContain('local-remotes.0123456789.mjs');
    await rm(target, { recursive: true });
    await assemble(root, target, { hasLocalRemotes: true });
    expect(await has()).toContain('local-remotes.0123456789.mjs');
    const files = await readdir(target, { recursive: true, withFileTypes: true });
    expect(files.map(({ name }) => name)).not.toContain('local-remote-token.mjs');
  });

  it('contains the packages that bundles import and their dependencies, and no others', async () => {
    await put(
      'launcher/dist/command-api.mjs',
      'import * as one from "direct";\nimport { two } from "@scope/direct/part";\n' +
        'const three = createRequire(import.meta.url)("not-installed");\n' +
        'import fs from "fs";\nimport a from "node:path";\n/** Not from "comment". */',
    );
    await put('launcher/dist/793.mjs', 'await import("late");');
    await put('launcher/dist/embedded.mjs', 'import "launcher-only";');
    await putPackage('node_modules/direct', {
      dependencies: { needed: '1', '@types/node': '1' },
      optionalDependencies: { other: '1', 'for-another-system': '1' },
      peerDependencies: { peer: '1' },
    });
    await putPackage('node_modules/direct/node_modules/needed', { dependencies: { direct: '1' } });
    for (const name of ['@scope/direct', 'late', 'other', 'peer', 'needed', 'unwanted', 'launcher-only', '@types/node'])
      await putPackage(`node_modules/${name}`);
    const { packages } = await assemble(root, target);
    expect(packages).toEqual(
      [
        '@scope/direct',
        '@zip.js/zip.js',
        'canonicalize',
        'direct',
        'direct/node_modules/needed',
        'late',
        'other',
        'peer',
        'semver',
      ].map((name) => `node_modules/${name}`),
    );
    expect((await readdir(path.join(target, 'node_modules'))).sort()).toEqual([
      '@scope',
      '@zip.js',
      'canonicalize',
      'direct',
      'late',
      'other',
      'peer',
      'semver',
    ]);
  });

  it('omits bundles that are not of the last build', async () => {
    for (const name of ['command-api', '1.aaa', '1.bbb']) await put(`launcher/dist/${name}.mjs`, '');
    await put('launcher/dist/bundles.json', JSON.stringify(['1.bbb.mjs', 'command-api.mjs']));
    await assemble(root, target);
    expect((await readdir(path.join(target, 'launcher/dist'))).sort()).toEqual(['1.bbb.mjs', 'command-api.mjs']);
  });

  it('omits files that are never loaded, and the launcher', async () => {
    await put('launcher/dist/embedded.mjs', '');
    await put('launcher/dist/command-api.mjs.map', '');
    await put('launcher/dist/command-api.mjs', 'import "one";');
    await putPackage('node_modules/one');
    for (const file of ['index.js', 'index.d.ts', 'index.js.map', 'README.md', 'LICENSE'])
      await put(`node_modules/one/${file}`, '');
    await assemble(root, target);
    expect((await readdir(path.join(target, 'launcher/dist'))).sort()).toEqual(['command-api.mjs', 'count.mjs']);
    expect((await readdir(path.join(target, 'node_modules/one'))).sort()).toEqual([
      'LICENSE',
      'index.js',
      'package.json',
    ]);
    expect(
      await readdir(path.join(target, 'launcher/seed/articles')),
      'our own Markdown files are read at run time',
    ).toEqual(['one.md']);
    expect((await readdir(path.join(target, 'launcher'))).sort()).toEqual(['dist', 'seed']);
    expect((await readdir(target)).sort()).toEqual([
      'domain',
      'infra',
      'launcher',
      'mf-listings',
      'node_modules',
      'package.json',
      'shell',
      'workers',
    ]);
  });

  it('contains only the ffprobe of its own system, which is executable', async () => {
    const programs = 'node_modules/ffprobe-static/bin';
    const own = `${process.platform}/${process.arch}/ffprobe`;
    await put('launcher/dist/workers.mjs', 'import "ffprobe-static";');
    await putPackage('node_modules/ffprobe-static');
    for (const file of [own, 'other/x64/ffprobe', `${process.platform}/other/ffprobe`]) {
      await put(`${programs}/${file}`, '');
      await chmod(path.join(root, programs, file), 0o755);
    }
    await assemble(root, target);
    const copied = (await readdir(path.join(target, programs), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    expect(copied).toEqual([path.join(target, programs, own)]);
    expect((await stat(path.join(target, programs, own))).mode & 0o111).toBe(0o111);
  });

  it('is rejected if a package is missing, something is not built, or the folder is not empty', async () => {
    await put('launcher/dist/late.mjs', 'import("missing");');
    await expect(assemble(root, target)).rejects.toThrow('missing is not installed; launcher/dist needs it');
    await rm(path.join(root, 'shell/dist'), { recursive: true });
    await expect(assemble(root, target)).rejects.toThrow('shell/dist is missing. Run: npm run build');
    await expect(assemble(root, root)).rejects.toThrow('is not empty');
  });
});

describe('run.mjs', () => {
  beforeEach(async () => {
    await putCheckout();
    await assemble(root, target);
  });

  it('starts a service, which receives signals itself', async () => {
    const service = spawn(process.execPath, [path.join(target, 'infra/deploy/image/run.mjs'), 'command-api'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output: string[] = [];
    service.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
    await once(service.stdout, 'data');
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
    expect(output.join('')).toBe('listens\nstopping\n');
  });

  it('runs a tool with its arguments, and returns its exit code', () => {
    const { status, stdout } = run('count', 'a', 'b');
    expect({ status, stdout }).toEqual({ status: 2, stdout: `${target} a b\n` });
  });

  it.each([
    [[], 'Name the program to start'],
    [['nothing'], 'There is no nothing'],
    [['../image/run'], 'There is no ../image/run'],
  ])('rejects other names: %j', (args, message) => {
    const { status, stderr } = run(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: `${message}: command-api, count, front-ends\n` });
  });

  it('runs the health check, which succeeds for a response with status 200', async () => {
    let status = 200;
    const server = createServer((req, res) => res.writeHead(req.url === '/healthz' ? status : 503).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const check = async (...args: string[]): Promise<unknown> => {
      const checking = spawn(process.execPath, [path.join(target, 'infra/deploy/image/healthcheck.mjs'), ...args], {
        env: { ...process.env, PORT: String((server.address() as AddressInfo).port) },
      });
      return (await once(checking, 'exit'))[0];
    };
    try {
      expect(await check()).toBe(0);
      expect(await check('/readyz')).toBe(1);
      status = 500;
      expect(await check()).toBe(1);
    } finally {
      server.close();
    }
    expect(
      spawnSync(process.execPath, [path.join(target, 'infra/deploy/image/healthcheck.mjs')], { env: { PORT: '1' } })
        .status,
    ).toBe(1);
  });
});

describe('front ends from the image', () => {
  const mfDir = () => path.join(dir, 'mf');
  /** The key that the program has created. */
  const key = () => localKeys(mfDir()).privateKey;
  const frontEnds = (...args: string[]) => frontEndsWith('', ...args);
  const frontEndsWith = (input: Uint8Array | string, ...args: string[]) =>
    spawnSync(process.execPath, [path.join(target, 'infra/deploy/image/run.mjs'), 'front-ends', ...args], {
      encoding: 'utf8',
      input,
      env: { ...process.env, MF_DIR: mfDir() },
    });
  const live = async (): Promise<unknown> =>
    (
      JSON.parse(await readFile(path.join(mfDir(), 'registry.json'), 'utf8')) as {
        remotes: Record<string, { hash: string }[]>;
      }
    ).remotes['mf-listings']?.map(({ hash }) => hash);
  const buildWith = (hash: string, contract = '^6.0.0') =>
    writeFile(path.join(target, 'mf-listings/dist/build.json'), JSON.stringify(artifactOf(hash, contract)));
  const shellHas = (contractVersion: string) =>
    writeFile(path.join(target, 'shell/dist/build.json'), JSON.stringify({ contractVersion }));

  it('are deployed without a name only if none is live, and by name always', async () => {
    await putCheckout();
    await assemble(root, target);
    expect(frontEnds()).toMatchObject({ status: 0, stdout: 'mf-listings   0123456789abcdef is live\n' });
    await buildWith('fedcba9876543210');
    expect(frontEnds()).toMatchObject({ status: 0, stdout: '' });
    expect(await live()).toEqual(['0123456789abcdef']);
    expect(frontEnds('mf-listings')).toMatchObject({
      status: 0,
      stdout: 'mf-listings   fedcba9876543210 is live (before: 0123456789abcdef)\n',
    });
    await buildWith('0000000000000000');
    expect(frontEnds('all').status).toBe(0);
    expect(await live()).toEqual(['0000000000000000']);
    expect(frontEnds('rollback', 'mf-listings')).toMatchObject({
      status: 0,
      stdout: 'mf-listings   fedcba9876543210 is live (before: 0000000000000000)\n',
    });
    expect(frontEnds(), 'a rolled-back front end is not deployed again').toMatchObject({ status: 0, stdout: '' });
    expect(await live()).toEqual(['fedcba9876543210']);
    for (const [args, stderr] of [
      [['mf-nothing'], 'Name remotes that are built here: mf-listings\n'],
      [['rollback', 'mf-nothing'], 'Name a deployed remote: mf-listings\n'],
      [['rollback'], 'Name a deployed remote: mf-listings\n'],
      [['install'], 'Name one archive, or - for the standard input\n'],
    ] as const)
      expect(frontEnds(...args)).toMatchObject({ status: 2, stderr });
  });

  it('are deployed next to a live deployment for another contract, which an older image still runs', async () => {
    await putCheckout();
    await assemble(root, target);
    expect(frontEnds().status).toBe(0);
    await shellHas('7.0.0');
    await buildWith('fedcba9876543210', '^7.0.0');
    expect(frontEnds().stdout).toBe('mf-listings   fedcba9876543210 is live\n');
    await shellHas('6.0.0');
    await buildWith('0123456789abcdef');
    expect(frontEnds(), 'an older image').toMatchObject({ status: 0, stdout: '' });
    expect(await live()).toEqual(['fedcba9876543210', '0123456789abcdef']);
  });

  it('are signed with the configured key, whose public key is printed', async () => {
    await putCheckout();
    await assemble(root, target);
    const privateKey = 'ab'.repeat(32);
    const withKey = (keys: string | undefined, ...args: string[]) =>
      spawnSync(process.execPath, [path.join(target, 'infra/deploy/image/run.mjs'), 'front-ends', ...args], {
        encoding: 'utf8',
        env: { ...process.env, MF_DIR: mfDir(), FRONT_END_PRIVATE_KEY: privateKey, FRONT_END_KEYS: keys },
      });
    expect(withKey(undefined, 'public-key').stdout).toBe(`${publicKeyOf(privateKey)}\n`);
    expect(withKey(undefined).stderr, 'the shell would use none of the builds').toContain('but not FRONT_END_KEYS');
    expect(withKey(publicKeyOf(privateKey)).status).toBe(0);
    const { remotes } = JSON.parse(await readFile(path.join(mfDir(), 'registry.json'), 'utf8')) as {
      remotes: Record<string, object[]>;
    };
    const [build = {}] = remotes['mf-listings'] ?? [];
    expect(findTrustErrors(build, { keys: [publicKeyOf(privateKey)], revoked: [] })).toEqual([]);
  });

  it('are deployed from an archive, and a named one is made live again', async () => {
    await putCheckout();
    await assemble(root, target);
    expect(frontEnds().status).toBe(0);
    const dist = path.join(target, 'mf-listings/dist');
    const archive = await packBuild({ dist, artifact: artifactOf('fedcba9876543210') }, key());
    const abandoned = path.join(mfDir(), '.incoming-killed');
    await mkdir(abandoned);
    await utimes(abandoned, new Date(0), new Date(0));
    expect(frontEndsWith(archive, 'install', '-')).toMatchObject({
      status: 0,
      stdout: 'mf-listings   fedcba9876543210 is live (before: 0123456789abcdef)\n',
    });
    expect(await readFile(path.join(mfDir(), 'mf-listings/fedcba9876543210/remote-entry.js'), 'utf8')).toBe(ENTRY);
    expect(await readdir(mfDir()), 'nothing temporary remains').toEqual(['mf-listings', 'registry.json']);
    expect(frontEnds('rollback', 'mf-listings', '--to', '0123')).toMatchObject({
      status: 0,
      stdout: 'mf-listings   0123456789abcdef is live (before: fedcba9876543210)\n',
    });
    const foreign = await packBuild({ dist, artifact: artifactOf('00000000000000fe') }, 'ab'.repeat(32));
    expect(frontEndsWith(foreign, 'install', '-')).toMatchObject({
      status: 1,
      stderr: 'mf-listings 00000000000000fe is signed with a key that is not known here\n',
    });
    const later = await packBuild({ dist, artifact: artifactOf('00000000000000ff', '^7.0.0') }, key());
    await writeFile(path.join(dir, 'later.zip'), later);
    expect(frontEnds('install', path.join(dir, 'later.zip'))).toMatchObject({
      status: 1,
      stderr: 'mf-listings works with contract ^7.0.0, but the shell has contract 6.0.0\n',
    });
    expect(frontEnds('install', path.join(dir, 'later.zip'), '--ahead')).toMatchObject({
      status: 0,
      stdout: 'mf-listings   00000000000000ff is stored for shells with contract ^7.0.0\n',
    });
    expect(await live()).toEqual(['00000000000000ff', '0123456789abcdef']);
  });

  it('are not deployed if the shell of the image has another contract', async () => {
    await putCheckout();
    await assemble(root, target);
    await shellHas('7.0.0');
    expect(frontEnds()).toMatchObject({
      status: 1,
      stderr: 'mf-listings works with contract ^6.0.0, but the shell has contract 7.0.0\n',
    });
  });
});
