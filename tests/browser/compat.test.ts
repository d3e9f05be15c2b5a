import { mkdir, mkdtemp, rm, symlink, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flows } from '../../mf-listings/test/smoke.ts';
import { findBuild } from '../../shell/build/artifact.mjs';
import { distDir } from '../../shell/build/packages.mjs';
import { readHistory } from '../../shell/build/registry.mjs';
import { findPairs } from '../compat/compat.ts';
import { checkPairs } from '../compat/pairs.ts';
import { sharedBrowser } from '../support/browser.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { DeployedRemotes } from '../support/remotes.ts';
import { createShellVariant } from '../support/shell-variants.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** `npm run compat` (decision 0123), with three builds of the shell and three of a remote. */
const NAME = 'mf-listings';

let browser: Browser;
let product: TestProduct;
let remotes: DeployedRemotes;
let world: World;
let root: string;

beforeAll(async () => {
  remotes = await DeployedRemotes.create();
  product = await startTestProduct({ mfDir: remotes.mfDir });
  browser = await sharedBrowser();
  world = await populate(product.url);
  root = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-compat-root-'));
  const shells = path.join(root, '.build/front-ends/shell');
  await mkdir(path.join(root, 'shell'), { recursive: true });
  await mkdir(path.join(root, NAME));
  const folderOf = (number: number) => path.join(shells, String(number).repeat(16));
  await createShellVariant(folderOf(1), { mark: 'one', contracts: ['5.0.0'] });
  await createShellVariant(folderOf(2), { mark: 'two' });
  await createShellVariant(folderOf(3), { mark: 'three' });
  for (const number of [1, 2, 3]) await utimes(folderOf(number), number, number);
  await symlink(folderOf(3), path.join(root, 'shell/dist'));
  const build = await findBuild(distDir(NAME));
  if (!build) throw new Error(`${NAME} has not been built`);
  await symlink(build.dist, path.join(root, NAME, 'dist'));
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
  await remotes?.remove();
  await rm(root, { recursive: true, force: true });
});

it('the current build is checked with the last shells, and the current shell with the last builds', async () => {
  await remotes.deployWithCode(
    NAME,
    "if (document.documentElement.dataset.shell === 'two') throw new Error('too new');",
  );
  const broken = (await readHistory(remotes.mfDir, NAME)).at(-1);
  const [ofThree, ofTwo, ofOne, ...others] = await findPairs(root, NAME);
  if (!ofThree || !ofTwo || !ofOne || !broken) throw new Error('There are three shells');
  expect(others).toEqual([]);
  const needsOtherShell = { dist: remotes.folder(broken), artifact: broken };
  const pairs = [
    ...[ofThree, ofTwo, ofOne],
    { shellDir: ofTwo.shellDir, remote: needsOtherShell },
    { shellDir: ofThree.shellDir, remote: needsOtherShell },
  ];
  const results = await checkPairs(pairs, { browser, apiUrl: product.url, world, flows });
  const hashOf = async (dir: string) => (await findBuild(dir))?.artifact.hash;
  const shellOf = new Map(
    await Promise.all(pairs.map(async ({ shellDir }) => [shellDir, await hashOf(shellDir)] as const)),
  );
  const outcomes = pairs.map(({ shellDir, remote }) => {
    const result = results.find((one) => one.remote === remote.artifact.hash && shellOf.get(shellDir) === one.shell);
    return [result?.outcome, result?.reasons.join('\n')];
  });
  expect(outcomes).toEqual([
    ['works', ''],
    ['works', ''],
    ['unused', expect.stringMatching(/^works with contract \S+, but the shell has contract 5\.0\.0$/u)],
    ['fails', expect.stringContaining('too new')],
    ['works', ''],
  ]);
});
