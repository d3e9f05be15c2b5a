// @ts-check
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rspack } from '@rspack/core';

/** Folder of the bundles. It is in the repository, so that a bundle can import packages from node_modules. */
const BUNDLES = path.join(import.meta.dirname, '../../.build');

/**
 * Bundles a TypeScript file and the TypeScript files that it imports, so that Node can run them.
 * @param {string} entry   path of the TypeScript file
 * @returns {Promise<{ readonly path: string, remove(): Promise<void> }>} path of the bundle, and its removal
 */
export async function bundle(entry) {
  await mkdir(BUNDLES, { recursive: true });
  const folder = await mkdtemp(path.join(BUNDLES, 'bundle-'));
  const compiler = rspack({
    mode: 'none',
    target: 'node20',
    context: import.meta.dirname,
    entry: { main: path.resolve(entry) },
    devtool: false,
    resolve: { extensions: ['.ts', '...'] },
    module: {
      rules: [
        {
          test: /\.ts$/u,
          loader: 'builtin:swc-loader',
          options: { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } },
          type: 'javascript/auto',
        },
      ],
    },
    externalsPresets: { node: true },
    externals: [
      ({ context, request = '' }, done) => {
        // JavaScript files are imported from their original folder, because they use other files in that folder.
        if (/^\.\.?\/.*\.mjs$/u.test(request))
          done(undefined, `module ${pathToFileURL(path.resolve(context ?? '', request)).href}`);
        else if (/^(?!@alpenglow\/|[./])/u.test(request)) done(undefined, `module ${request}`);
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
