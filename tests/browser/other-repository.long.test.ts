import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packRemotePackage } from '../../shell/build/pack-remote-package.mjs';
import { readHistory } from '../../shell/build/registry.mjs';
import { localKeys, publicKeyOf } from '../../shell/build/signing.mjs';
import { returningVisitor, sharedBrowser } from '../support/browser.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { DeployedRemotes } from '../support/remotes.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * The remote of docs/examples/mf-glossary, in a folder outside of the checkout: it is checked, tested, built with the
 * plain tools, deployed as an archive, and shown (decision 0123).
 */
const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const NAME = 'mf-glossary';
const TARBALL = 'alpenglow-remote-6.0.0.tgz';

let browser: Browser;
let product: TestProduct;
let remotes: DeployedRemotes;
let folder: string;

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly optional?: boolean; readonly resolved?: string }>
  >;
}
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as unknown;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-glossary-'));
  await cp(path.join(root, 'docs/examples', NAME), folder, { recursive: true });
  await packRemotePackage(folder);
  await install();
  remotes = await DeployedRemotes.create();
  product = await startTestProduct({ mfDir: remotes.mfDir });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
  await remotes?.remove();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Installs the packages of the lock file without a network: links those of the checkout, which have the same versions,
 * and unpacks the tarball.
 */
async function install(): Promise<void> {
  const { packages } = readJson(path.join(folder, 'package-lock.json')) as LockFile;
  const own = path.join(folder, 'node_modules/@alpenglow/remote');
  await mkdir(own, { recursive: true });
  await run('tar', ['-xzf', path.join(folder, TARBALL), '-C', own, '--strip-components=1']);
  for (const [location, { version, resolved }] of Object.entries(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/u.exec(location)?.[1];
    const source = path.join(root, location);
    // Packages for other operating systems are not installed.
    if (name === undefined || resolved?.endsWith(TARBALL) || !existsSync(source)) continue;
    expect(readJson(path.join(source, 'package.json')), location).toMatchObject({ version });
    await mkdir(path.dirname(path.join(folder, location)), { recursive: true });
    await symlink(source, path.join(folder, location));
  }
}

/** Runs a program of an installed package in the folder of the remote. */
const runTool = (program: string, ...args: string[]) =>
  run(process.execPath, [path.join(folder, 'node_modules', program), ...args], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: '', FRONT_END_PRIVATE_KEY: localKeys(remotes.mfDir).privateKey },
  });

it('its lock file belongs to its package.json and to the package of the contract', () => {
  const { packages } = readJson(path.join(folder, 'package-lock.json')) as LockFile;
  const { dependencies, devDependencies } = readJson(path.join(folder, 'package.json')) as Record<string, object>;
  expect(packages['']).toMatchObject({ dependencies, devDependencies });
  expect(packages['node_modules/@alpenglow/remote']).toMatchObject({
    version: (readJson(path.join(folder, 'node_modules/@alpenglow/remote/package.json')) as { version: string })
      .version,
    dependencies: (
      readJson(path.join(folder, 'node_modules/@alpenglow/remote/package.json')) as LockFile & {
        dependencies: object;
      }
    ).dependencies,
  });
});

it('a remote with another repository is checked, tested, built, deployed and shown', async () => {
  await runTool('@typescript/native/bin/tsc', '--project', '.');
  await runTool('vitest/vitest.mjs', 'run');
  await runTool('@rspack/cli/bin/rspack.js', 'build');
  await runTool('@alpenglow/remote/cli.mjs', 'pack');
  const [archive = ''] = (await readdir(folder)).filter((file) => file.endsWith('.zip'));
  const site = { ...process.env, MF_DIR: remotes.mfDir };
  await run(process.execPath, ['infra/deploy/image/run.mjs', 'front-ends', 'install', path.join(folder, archive)], {
    cwd: root,
    env: site,
  });
  const [stored] = await readHistory(remotes.mfDir, NAME);
  expect(stored).toMatchObject({ contract: '^6.0.0', packages: { react: expect.stringMatching(/^\^19\./u) } });
  expect(stored?.tokens).toContain('--space-4');

  const page = await (await returningVisitor(browser, product.url)).newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await expect.poll(async () => (await page.goto('/glossary'))?.status()).toBe(200);
  await page.getByRole('heading', { level: 1, name: 'Glossary' }).waitFor();
  await page.getByLabel('Search a word').fill('thr');
  await page.getByText('A topic of the community').waitFor();
  expect(await page.getByText('Moves an ad').count()).toBe(0);
  expect(new URL(page.url()).search).toBe('?q=thr');
  await page.getByRole('link', { name: 'Community' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Community' }).waitFor();
  expect(errors).toEqual([]);

  // The program also deploys, with the command that starts `front-ends` of a site.
  const { privateKey } = localKeys(remotes.mfDir);
  const frontEnds = `${process.execPath} ${path.join(root, 'infra/deploy/image/run.mjs')} front-ends`;
  const cli = path.join(folder, 'node_modules/@alpenglow/remote/cli.mjs');
  await run(process.execPath, [cli, 'deploy', '--force', '--via', frontEnds], {
    cwd: folder,
    env: { ...site, FRONT_END_PRIVATE_KEY: privateKey, FRONT_END_KEYS: publicKeyOf(privateKey) },
  });
  expect((await readHistory(remotes.mfDir, NAME)).map(({ isForced }) => isForced)).toEqual([true]);
});

it('a build with another contract than that of the package is not described', async () => {
  const file = path.join(folder, 'package.json');
  const manifest = readJson(file) as object;
  await writeFile(file, JSON.stringify({ ...manifest, contract: '^99.0.0' }));
  await rm(path.join(folder, 'dist'), { recursive: true, force: true });
  await expect(runTool('@rspack/cli/bin/rspack.js', 'build')).rejects.toThrow('works with contract ^99.0.0');
  expect(existsSync(path.join(folder, 'dist/build.json'))).toBe(false);
  await writeFile(file, JSON.stringify(manifest));
});
