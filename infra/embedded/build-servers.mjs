// @ts-check
/**
 * Bundles every server with the launcher's entry into infra/dist/embedded.mjs, and each tool beside it. Node cannot run TypeScript on every
 * version we support, and one file starts faster than a thousand.
 */
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { rspack } from '@rspack/core';

const root = path.resolve(import.meta.dirname, '../..');
const outDir = path.join(root, 'infra/dist');

/**
 * The folder Node would take a package from, seen from `folder`.
 * @param {string} folder
 * @param {string} name
 * @returns {string | null}
 */
function locate(folder, name) {
  const candidate = path.join(folder, 'node_modules', name);
  if (existsSync(candidate)) return candidate;
  const parent = path.dirname(folder);
  return parent === folder ? null : locate(parent, name);
}

/**
 * Installed packages stay outside the bundle. One that npm put into a workspace's own node_modules would not be found,
 * or found in another version, from infra/dist: that one is bundled.
 * @param {import('@rspack/core').ExternalItemFunctionData} data
 */
async function installedPackages({ context, request, dependencyType }) {
  if (context === undefined || request === undefined) return undefined;
  // A bundled package that requires a part of Node wants the part itself, not what an import would make of it.
  if (isBuiltin(request)) return `${dependencyType === 'commonjs' ? 'node-commonjs' : 'module'} ${request}`;
  const name = /^(?:@[\w.-]+\/)?[\w-][\w.-]*/.exec(request)?.[0];
  if (name === undefined || path.isAbsolute(request) || name.startsWith('@alpenglow/')) return undefined;
  const fromThere = locate(context, name);
  // An optional package that is not installed: whoever asks for it is prepared to miss it.
  if (fromThere === null) return `node-commonjs ${request}`;
  return fromThere === locate(outDir, name) ? `module ${request}` : undefined;
}

/** What can be started: the embedded product, each service by itself, each tool. */
const entry = {
  embedded: './infra/embedded/main.ts',
  'command-api': './command-api/src/main.ts',
  'query-api': './query-api/src/main.ts',
  projectors: './projectors/src/main.ts',
  workers: './workers/src/main.ts',
  shell: './shell/server/main.ts',
  gateway: './infra/gateway/main.ts',
  projections: './infra/tools/projections.ts',
  seed: './infra/tools/seed.ts',
  'migrate-store': './infra/tools/migrate-store.ts',
  backup: './infra/tools/backup.ts',
  restore: './infra/tools/restore.ts',
  audit: './infra/tools/audit.ts',
};

/** @type {import('@rspack/core').Configuration} */
const configuration = {
  name: 'servers',
  mode: 'production',
  context: root,
  target: ['node20', 'es2022'],
  entry,
  devtool: 'source-map',
  output: {
    path: outDir,
    filename: '[name].mjs',
    chunkFilename: '[name].mjs',
    module: true,
    chunkFormat: 'module',
    library: { type: 'module' },
    clean: true,
  },
  externalsPresets: { node: true },
  externals: [installedPackages],
  externalsType: 'module',
  resolve: { extensions: ['.ts', '.mjs', '.js'] },
  module: {
    // The bundle may be moved together with its checkout, so no path of this machine goes into it.
    parser: { javascript: { importMeta: false, url: false } },
    rules: [
      {
        test: /\.tsx?$/u,
        loader: 'builtin:swc-loader',
        options: { jsc: { parser: { syntax: 'typescript', tsx: true }, target: 'es2022' } },
      },
    ],
  },
  // Readable stack traces are worth more on a server than a smaller file.
  optimization: { minimize: false, moduleIds: 'named' },
  performance: false,
  stats: 'errors-warnings',
};

const compiler = rspack(configuration);
compiler.run((error, stats) => {
  const failed = error !== null || stats === undefined || stats.hasErrors();
  if (failed) process.exitCode = 1;
  if (error !== null) process.stderr.write(`${error.stack ?? error.message}\n`);
  else if (stats?.hasErrors() || stats?.hasWarnings()) process.stderr.write(`${stats.toString('errors-warnings')}\n`);
  compiler.close(() => undefined);
});
