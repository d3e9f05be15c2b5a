import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { rspack, type RspackPluginInstance } from '@rspack/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { browserConfig, browserContainer, sharedRuntime, stableRuntimePath } from '../build/preset.mjs';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'stable-path-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Builds a remote. Returns the identifiers of the modules that the plugin of Module Federation has generated. */
async function generatedModules(plugins: readonly RspackPluginInstance[]): Promise<readonly string[]> {
  await writeFile(path.join(dir, 'app.js'), 'export default () => null;');
  const { output, ...config } = browserConfig({ name: 'mf-community', entry: {}, publicPath: 'auto' });
  const container = new ModuleFederationPlugin({
    ...browserContainer,
    name: 'small',
    exposes: { './App': path.join(dir, 'app.js') },
  });
  const compiler = rspack({
    ...config,
    ...sharedRuntime,
    output: { ...output, path: path.join(dir, 'dist') },
    plugins: [container, ...plugins],
  });
  const stats = await new Promise<import('@rspack/core').Stats>((resolve, reject) =>
    compiler.run((error, result) => {
      if (result && !result.hasErrors()) resolve(result);
      else reject(error ?? new Error(result?.toString('errors-only')));
    }),
  );
  const { modules = [] } = stats.toJson({ modules: true, nestedModules: false, ids: true });
  await new Promise((resolve) => compiler.close(resolve));
  return modules.flatMap(({ identifier }) => (identifier?.startsWith('data:') === true ? identifier : []));
}

it('the modules that Module Federation generates do not depend on the folder of the checkout', async () => {
  const folder = encodeURIComponent(CHECKOUT);
  const without = await generatedModules([]);
  expect(without.filter((identifier) => identifier.includes(folder))).not.toEqual([]);
  const modules = await generatedModules([stableRuntimePath()]);
  expect(modules).toHaveLength(without.length);
  expect(modules.filter((identifier) => identifier.includes(folder))).toEqual([]);
});
