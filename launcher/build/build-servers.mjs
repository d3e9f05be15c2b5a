// @ts-check
/**
 * Bundles the whole product into launcher/dist/embedded.mjs, and each service and each tool into its own file in the
 * same folder. Bundles are necessary, because some supported versions of Node cannot run TypeScript. A bundle also
 * starts faster than many small files.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { rspack } from '@rspack/core';
import { replaceBundles } from './replace-bundles.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const outDir = path.join(root, 'launcher/dist');
/** The bundles are written here first, because running servers load files from `outDir`. */
const incomingDir = path.join(root, `.build/servers.${process.pid}`);

/**
 * Returns the folder from which Node loads a package that a file in `folder` imports. Returns null if the package is
 * missing.
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
 * Decides which packages are external, i.e. loaded from node_modules and not bundled. A package is external if
 * launcher/dist and the importing file use the same copy of the package. Any other copy, such as a copy in a
 * workspace's own node_modules, is bundled, because launcher/dist cannot import it.
 * @param {import('@rspack/core').ExternalItemFunctionData} data
 */
async function installedPackages({ context, request, dependencyType }) {
  if (context === undefined || request === undefined) return undefined;
  // CommonJS packages load Node modules with `require`, because an import returns an ES module namespace object.
  if (isBuiltin(request)) return `${dependencyType === 'commonjs' ? 'node-commonjs' : 'module'} ${request}`;
  const name = /^(?:@[\w.-]+\/)?[\w-][\w.-]*/.exec(request)?.[0];
  if (name === undefined || path.isAbsolute(request) || name.startsWith('@alpenglow/')) return undefined;
  const fromContext = locate(context, name);
  // The package is optional and not installed, so loading it fails. The code that requires it handles the error.
  if (fromContext === null) return `node-commonjs ${request}`;
  return fromContext === locate(outDir, name) ? `module ${request}` : undefined;
}

/** The programs to bundle, which are the embedded product, all services and all tools. */
const entry = {
  embedded: './launcher/embedded/main.ts',
  'command-api': './command-api/src/main.ts',
  'query-api': './query-api/src/main.ts',
  projectors: './projectors/src/main.ts',
  workers: './workers/src/main.ts',
  shell: './shell/server/main.ts',
  decoder: './infra/decoder-service/main.ts',
  gateway: './infra/gateway/main.ts',
  projections: './launcher/tools/projections.ts',
  seed: './launcher/tools/seed.ts',
  'migrate-store': './launcher/tools/migrate-store.ts',
  backup: './launcher/tools/backup.ts',
  restore: './launcher/tools/restore.ts',
  audit: './launcher/tools/audit.ts',
  evidence: './launcher/tools/evidence.ts',
  removals: './launcher/tools/removals.ts',
  secrets: './launcher/tools/secrets.ts',
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
    path: incomingDir,
    filename: '[name].mjs',
    // A running server loads a chunk later than its program, so no other build may write a file of the same name.
    chunkFilename: '[name].[contenthash:10].mjs',
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
    // The bundle must not contain a path of this machine, because the checkout may be moved to another folder.
    parser: { javascript: { importMeta: false, url: false } },
    rules: [
      {
        test: /\.tsx?$/u,
        loader: 'builtin:swc-loader',
        options: { jsc: { parser: { syntax: 'typescript', tsx: true }, target: 'es2022' } },
      },
    ],
  },
  // The code is not minified, because readable stack traces are more useful on a server than a smaller file.
  optimization: { minimize: false, moduleIds: 'named' },
  performance: false,
  stats: 'errors-warnings',
};

const compiler = rspack(configuration);
/** @type {import('@rspack/core').Stats | undefined} */
const stats = await new Promise((resolve, reject) =>
  compiler.run((error, result) => (error ? reject(error) : resolve(result))),
);
if (stats?.hasErrors() || stats?.hasWarnings()) process.stderr.write(`${stats.toString('errors-warnings')}\n`);
if (!stats || stats.hasErrors()) process.exitCode = 1;
else await replaceBundles(incomingDir, outDir, Object.keys(entry));
await rm(incomingDir, { recursive: true, force: true });
compiler.close(() => undefined);
