/**
 * The Rspack configuration of every browser package. One function, so that host and remotes cannot drift apart in what they
 * share, which browsers they serve and how they name things.
 *
 * Several lines below look optional and are not; the reasons are kept in infra/decisions/0013-federation.md.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { rspack } from '@rspack/core';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { RegistryIntegrityPlugin } from './registry-integrity-plugin.mjs';
import { CHUNK_LOAD_TIMEOUT_ms, ROOT, REMOTE_ENTRY, SHELL, containerName, distDir } from './packages.mjs';

const require = createRequire(import.meta.url);

/** Everything here has `light-dark()`, cascade layers, nesting and `:has()`. */
export const BROWSERS = 'chrome 123, edge 123, safari 17.5, ios_saf 17.5, firefox 121';

/** Public path of the shell's own files. */
export const ASSETS_PATH = '/assets/';

/**
 * @typedef {object} BrowserBuild
 * @property {string} name       package folder, e.g. `mf-listings`
 * @property {'host' | 'remote' | 'standalone'} role
 * @property {'production' | 'development'} [mode]
 */

/** The contract version says what fits together, not package versions. */
const ANY_VERSION = /** @type {const} */ (false);

/**
 * What host and remotes have in one copy: only what carries context or state. `react` and `react/` are two entries because
 * the second matches what lies below the package and not the package itself.
 * @param {'host' | 'remote'} role
 */
function sharedModules(role) {
  const version = (/** @type {string} */ name) => require(`${name}/package.json`).version;
  /** @type {Record<string, { from: string, import?: string }>} */
  const modules = {
    react: { from: 'react' },
    'react/': { from: 'react' },
    'react-dom': { from: 'react-dom' },
    'react-dom/': { from: 'react-dom' },
    // A shared module is never tree-shaken: of the router we share the part we use, 62 → 15 KB gzip.
    'react-router-dom': { from: 'react-router-dom', import: path.join(import.meta.dirname, 'router-api.mjs') },
    '@tanstack/react-query': { from: '@tanstack/react-query' },
  };
  return Object.fromEntries(
    Object.entries(modules).map(([request, { from, import: provided }]) => [
      request,
      role === 'host'
        ? {
            singleton: true,
            eager: true,
            version: version(from),
            requiredVersion: ANY_VERSION,
            ...(provided ? { import: provided } : {}),
          }
        : // The host brings it: a remote carries no second copy that could ever be loaded.
          { singleton: true, import: /** @type {const} */ (false), requiredVersion: ANY_VERSION },
    ]),
  );
}

/** @param {BrowserBuild} build */
function federation({ name, role }) {
  if (role === 'standalone') return [];
  const common = {
    name: containerName(name),
    shareStrategy: /** @type {const} */ ('loaded-first'),
    shared: sharedModules(role),
    dts: false,
    manifest: false,
    dev: false,
  };
  const optimization = { target: /** @type {const} */ ('web'), disableSnapshot: true };
  return role === 'host'
    ? [new ModuleFederationPlugin({ ...common, experiments: { provideExternalRuntime: true, optimization } })]
    : [
        new ModuleFederationPlugin({
          ...common,
          filename: REMOTE_ENTRY,
          exposes: { './App': { import: './src/App.tsx', name: 'app' } },
          experiments: { externalRuntime: true, optimization },
        }),
        new RegistryIntegrityPlugin(),
      ];
}

/**
 * @param {BrowserBuild} build
 * @returns {import('@rspack/core').Configuration}
 */
export function browserConfig({ name, role, mode = 'production' }) {
  const packageDir = path.join(ROOT, name);
  const hashed = mode === 'production' ? '.[contenthash:10]' : '';
  const layer = name === SHELL ? 'shell' : `remotes.${name}`;
  return {
    name,
    mode,
    context: packageDir,
    target: ['web', 'es2022'],
    entry:
      role === 'host'
        ? { shell: './src/main.tsx' }
        : role === 'standalone'
          ? { [name]: path.join(import.meta.dirname, 'dev/main.tsx') }
          : {},
    devtool: mode === 'production' ? 'source-map' : 'cheap-module-source-map',
    resolve: {
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      alias: {
        'file-selector': path.join(import.meta.dirname, 'files-of-event.mjs'),
        ...(role === 'standalone' && { 'remote-under-development': path.join(packageDir, 'src/App.tsx') }),
      },
    },
    output: {
      path: role === 'host' ? path.join(distDir(name), 'assets') : distDir(name),
      clean: true,
      publicPath: role === 'host' ? ASSETS_PATH : role === 'remote' ? 'auto' : '/',
      uniqueName: containerName(name),
      chunkLoadingGlobal: `${containerName(name)}_chunks`,
      filename: `[name]${hashed}.js`,
      chunkFilename: `[name]${hashed}.js`,
      cssFilename: `[name]${hashed}.css`,
      cssChunkFilename: `[name]${hashed}.css`,
      assetModuleFilename: `[name]${hashed}[ext]`,
      chunkLoadTimeout: CHUNK_LOAD_TIMEOUT_ms,
      crossOriginLoading: 'anonymous',
    },
    module: {
      parser: { 'css/auto': { namedExports: false } },
      generator: {
        // Two deployments of one component of `ui` may stand on a page at once, so class names carry the package.
        'css/auto': {
          exportsOnly: false,
          localIdentName: `${name.replace(/^mf-/u, '')}-[local]-[hash:6]`,
          exportsConvention: 'as-is',
        },
      },
      rules: [
        {
          test: /\.tsx?$/u,
          loader: 'builtin:swc-loader',
          options: {
            jsc: {
              parser: { syntax: 'typescript', tsx: true },
              transform: { react: { runtime: 'automatic', development: mode === 'development' } },
              target: 'es2022',
            },
          },
        },
        // Field rules are made by calls (`z.object(…)`), which a bundler must otherwise keep.
        { include: path.join(ROOT, 'domain/src'), sideEffects: false },
        {
          test: /\/locales\/(?:server\/)?[a-z]{2}\.json$/u,
          loader: path.join(import.meta.dirname, 'catalog-loader.mjs'),
        },
        {
          test: /\.css$/u,
          type: 'css/auto',
          use: [{ loader: 'builtin:lightningcss-loader', options: { targets: BROWSERS } }],
        },
        {
          test: /\.module\.css$/u,
          oneOf: [
            { include: path.join(ROOT, 'ui'), use: [{ loader: layerLoader, options: { layer: 'ui' } }] },
            { use: [{ loader: layerLoader, options: { layer } }] },
          ],
        },
        { test: /\.(?:woff2|png|webp|avif|svg)$/u, type: 'asset/resource' },
        // A worker of its own file, which the registry lists as any other script: one made by the bundler would not be checked (infra/decisions/0013-federation.md).
        {
          test: /\.ts$/u,
          resourceQuery: /^\?url$/u,
          type: 'asset/resource',
          generator: { filename: `[name]${hashed}.js` },
        },
      ],
    },
    optimization: {
      minimizer: [
        new rspack.SwcJsMinimizerRspackPlugin({ minimizerOptions: { ecma: 2022 } }),
        new rspack.LightningCssMinimizerRspackPlugin({ minimizerOptions: { targets: BROWSERS } }),
      ],
    },
    plugins: federation({ name, role }),
    lazyCompilation: false,
    performance: false,
    stats: 'errors-warnings',
  };
}

const layerLoader = path.join(import.meta.dirname, 'layer-loader.mjs');
