import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { rspack, type RspackPluginInstance } from '@rspack/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { browserConfig } from '../build/preset.mjs';
import { SharedModuleIdsPlugin } from '../build/shared-module-ids.mjs';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'shared-module-ids-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Builds a host that provides a shared module, in a folder with this name. Returns its script. */
async function buildIn(name: string, plugins: readonly RspackPluginInstance[]): Promise<string> {
  const dir = path.join(root, name);
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'part.mjs'), 'export const part = 1;');
  await writeFile(path.join(dir, 'main.mjs'), "import { part } from 'shared-part';\nconsole.log(part);");
  const { output, ...config } = browserConfig({ name: 'shell', entry: { main: './main.mjs' }, publicPath: '/' });
  const shared = { singleton: true, eager: true, requiredVersion: false as const, version: '1.0.0' };
  const host = new ModuleFederationPlugin({
    name: 'host',
    shared: { 'shared-part': { ...shared, import: './part.mjs' } },
    manifest: false,
    dts: false,
  });
  const compiler = rspack({
    ...config,
    context: dir,
    devtool: false,
    output: { ...output, path: path.join(dir, 'dist'), filename: '[name].js' },
    optimization: { minimize: false },
    plugins: [host, ...plugins],
  });
  await new Promise<void>((resolve, reject) =>
    compiler.run((error, result) => {
      if (result && !result.hasErrors()) resolve();
      else reject(error ?? new Error(result?.toString('errors-only')));
    }),
  );
  await new Promise((resolve) => compiler.close(resolve));
  return readFile(path.join(dir, 'dist/main.js'), 'utf8');
}

it('the ids of shared modules do not depend on the folder of the checkout', async () => {
  expect(await buildIn('one', [])).not.toBe(await buildIn('two', []));
  const plugins = () => [new SharedModuleIdsPlugin()];
  expect(await buildIn('one', plugins())).toBe(await buildIn('two', plugins()));
});
