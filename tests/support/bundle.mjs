// @ts-check
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { rspack } from '@rspack/core';

/** Inside the repository, so that Node finds the packages that stay outside a bundle. */
const BUNDLES = path.join(import.meta.dirname, '../../.build');

/**
 * Builds a TypeScript entry into one file that plain Node can run, for tests and benchmarks that need processes of their own. Only
 * packages of this repository go into it.
 * @param {string} entry
 * @returns {Promise<{ readonly path: string, remove(): Promise<void> }>} the file to run with Node
 */
export async function bundleForNode(entry) {
  await mkdir(BUNDLES, { recursive: true });
  const folder = await mkdtemp(path.join(BUNDLES, 'test-'));
  const compiler = rspack({
    mode: 'none',
    target: 'node20',
    context: import.meta.dirname,
    entry: { main: entry },
    devtool: false,
    resolve: { extensions: ['.ts', '...'] },
    module: {
      rules: [{ test: /\.ts$/u, loader: 'builtin:swc-loader', options: { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } }, type: 'javascript/auto' }],
    },
    externalsPresets: { node: true },
    externals: [
      ({ request }, done) => {
        if (request !== undefined && /^(?!@alpenglow\/|[./])/u.test(request)) done(undefined, `module ${request}`);
        else done();
      },
    ],
    output: { path: folder, filename: '[name].mjs', module: true, chunkFormat: 'module', library: { type: 'module' } },
  });
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      compiler.run((error, stats) => {
        compiler.close((closeError) => {
          if (error ?? closeError) reject(error ?? closeError ?? new Error());
          else if (stats?.hasErrors() === true) reject(new Error(stats.toString('errors-only')));
          else resolve();
        });
      });
    })
  );
  return { path: path.join(folder, 'main.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}
