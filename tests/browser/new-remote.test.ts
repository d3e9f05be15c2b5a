import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { rspack } from '@rspack/core';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeFiles } from '../../shell/build/artifact.mjs';
import { browserConfig, browserContainer, integrityValues, sharedRuntime } from '../../shell/build/preset.mjs';
import { deploy } from '../../shell/build/registry.mjs';
import { returningVisitor } from '../support/browser.ts';
import { startDeployedSite, type DeployedSite } from '../support/deployed-site.ts';

/**
 * Adds a remote that the shell does not know, from a folder outside of the repository (F-4). The shell is neither
 * changed nor built nor restarted.
 */
const APP = `
import { createElement, useState } from 'react';
export default function App({ host }) {
  const [count, setCount] = useState(0);
  return createElement('main', null,
    createElement('h1', null, 'Events'),
    createElement('button', { onClick: () => setCount(count + 1) }, 'Interested: ' + count));
}`;
const NAME = 'mf-events';

let site: DeployedSite;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-events-'));
  site = await startDeployedSite();
});
afterAll(async () => {
  await site?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Builds a remote with this code of its `App`. Returns the folder of its files. */
async function build(app: string): Promise<string> {
  const dist = await mkdtemp(path.join(folder, 'dist-'));
  await mkdir(path.join(folder, 'src'), { recursive: true });
  await writeFile(path.join(folder, 'src/App.mjs'), app);
  const { strictModuleErrorHandling } =
    browserConfig({ name: 'mf-community', entry: {}, publicPath: 'auto' }).output ?? {};
  const compiler = rspack({
    ...sharedRuntime,
    context: folder,
    mode: 'production',
    target: ['web', 'es2022'],
    entry: {},
    infrastructureLogging: { level: 'error' },
    output: {
      path: dist,
      publicPath: 'auto',
      uniqueName: 'mf_events',
      ...(strictModuleErrorHandling !== undefined && { strictModuleErrorHandling }),
      filename: '[name].[contenthash:10].js',
      crossOriginLoading: 'anonymous',
      trustedTypes: { policyName: 'alpenglow-bundler' },
    },
    plugins: [
      new ModuleFederationPlugin({
        ...browserContainer,
        name: 'mf_events',
        exposes: { './App': { import: './src/App.mjs', name: 'app' } },
      }),
      integrityValues(),
    ],
  });
  await new Promise<void>((resolve, reject) =>
    compiler.run((error, stats) => {
      if (stats && !stats.hasErrors()) resolve();
      else reject(error ?? new Error(stats?.toString({ preset: 'errors-only', colors: false })));
    }),
  );
  await new Promise((resolve) => compiler.close(resolve));
  return dist;
}

/** Deploys a build of the remote that works with a range of contract versions. */
async function deployEvents(dist: string, contract: string) {
  return deploy({
    mfDir: site.remotes.mfDir,
    dist,
    shell: { hash: '', contracts: [CONTRACT_VERSION] },
    artifact: {
      ...(await describeFiles(dist, '')),
      name: NAME,
      contract,
      container: 'mf_events',
      entry: 'remote-entry.js',
      preload: ['remote-entry.js'],
      preloadTexts: {},
      preloadData: {},
      routes: [{ path: '/events/*', access: 'everyone' }],
    },
  });
}

it('a remote with its own routes is added by an entry of the registry', async () => {
  const page = await (await returningVisitor(site.browser, site.product.url)).newPage();
  const before = await page.goto('/events/today');
  expect(before?.status(), 'the shell does not know the page').toBe(404);

  const dist = await build(APP);
  await expect(deployEvents(dist, '^1.0.0')).rejects.toThrow('mf-events works with contract ^1.0.0');
  await deployEvents(dist, `>=${CONTRACT_VERSION}`);

  // The server reads a changed registry within a second.
  await expect.poll(async () => (await page.goto('/events/today'))?.status()).toBe(200);
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await page.getByRole('button', { name: 'Interested: 0' }).click();
  await page.getByRole('button', { name: 'Interested: 1' }).waitFor();
  // The rest of the site works, and a navigation returns to the remote.
  await page.getByRole('link', { name: 'Community' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Community' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();

  // A later shell may exclude the deployment. The shell then does not load it, and the rest of the site works.
  await site.remotes.editEntry(NAME, (entry) => ({ ...entry, contract: `<${CONTRACT_VERSION}` }));
  await page.goto('/events/today');
  await page.getByText('This part of the site is being updated').waitFor();
  await page.getByRole('link', { name: 'Community' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Community' }).waitFor();
});

it('a remote whose module throws after it has exported the App is not shown, also not by a later attempt', async () => {
  const page = await (await returningVisitor(site.browser, site.product.url)).newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  const { entry } = await deployEvents(
    await build(`${APP}\nthrow new Error('broken at the end');`),
    `^${CONTRACT_VERSION}`,
  );
  await expect
    .poll(async () => {
      errors.length = 0;
      return (await page.goto('/events/today'))?.text();
    })
    .toContain(entry.hash);
  const box = page.getByRole('alert').filter({ hasText: 'This part of the site could not be loaded' });
  await box.waitFor();
  const thrown = () => errors.filter((text) => text.includes('broken at the end')).length;
  expect(thrown()).toBe(1);
  await box.getByRole('button', { name: 'Retry' }).click();
  // Each attempt evaluates the module again, and does not use the incomplete one.
  await expect.poll(thrown).toBe(2);
  await box.waitFor();
  expect(await page.getByRole('heading', { level: 1, name: 'Events' }).count()).toBe(0);
  await page.context().close();
});
