// @ts-check
/**
 * The Rspack configuration of every browser package. Host and remotes use the same function, so that they have the same
 * shared modules, supported browsers and names.
 *
 * Some lines below look unnecessary but are required. The reasons are in docs/decisions/0013-federation.md.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { rspack } from '@rspack/core';
import { RegistryIntegrityPlugin } from './registry-integrity-plugin.mjs';
import {
  CHUNK_LOAD_TIMEOUT_ms,
  ROOT,
  REMOTE_ENTRY,
  SERVER_BUNDLE,
  SERVER_DIR,
  SHELL,
  containerName,
  distDir,
} from './packages.mjs';

const require = createRequire(import.meta.url);

/** The oldest supported browsers. They support `light-dark()`, cascade layers, nesting and `:has()`. */
const BROWSERS = 'chrome 123, edge 123, safari 17.5, ios_saf 17.5, firefox 121';

/** The URL path of the shell's own files. */
export const ASSETS_PATH = '/assets/';

/**
 * @typedef {object} BrowserBuild
 * @property {string} name       package folder, e.g. `mf-listings`
 * @property {'host' | 'remote' | 'standalone'} role
 * @property {'production' | 'development'} [mode]
 */

/** Accepts every version of a shared module, because the contract version decides whether a remote is compatible. */
const ANY_VERSION = /** @type {const} */ (false);

/**
 * Returns the modules that the host and the remotes share. They must be loaded only once, because they contain a React
 * context or other state. `react` and `react/` are two entries, because `react/` matches only the paths below the
 * package.
 * @param {'host' | 'remote'} role
 */
function sharedModules(role) {
  const version = (/** @type {string} */ name) => require(`${name}/package.json`).version;
  // Bundlers do not remove unused exports of a shared module. Only the used part of the router is therefore shared.
  // This reduces its size from 62 to 15 KB (gzip).
  const router = { import: path.join(import.meta.dirname, 'router-api.mjs') };
  const requests = ['react', 'react/', 'react-dom', 'react-dom/', 'react-router-dom', '@tanstack/react-query'];
  /** @param {string} request */
  const provided = (request) => ({
    eager: true,
    version: version(request.replace(/\/$/u, '')),
    ...(request === 'react-router-dom' ? router : {}),
  });
  // False excludes the module from the remote, because the host provides it.
  const consumed = { import: /** @type {const} */ (false) };
  return Object.fromEntries(
    requests.map((request) => [
      request,
      { singleton: true, requiredVersion: ANY_VERSION, ...(role === 'host' ? provided(request) : consumed) },
    ]),
  );
}

/** The modules that the shell's bundle for the server provides to those of the remotes. */
const SERVER_SHARED = ['react', 'react/jsx-runtime', 'react-dom', 'react-router-dom', '@tanstack/react-query'];

/** @param {BrowserBuild} build */
function federation({ name, role }) {
  if (role === 'standalone') return [];
  const shared = sharedModules(role);
  if (role === 'host') return [new rspack.sharing.SharePlugin({ shared })];
  return [
    // This version of the plugin is part of the bundler. The newer one adds 35 KB (gzip) to a page.
    new rspack.container.ModuleFederationPluginV1({
      name: containerName(name),
      filename: REMOTE_ENTRY,
      exposes: { './App': { import: './src/App.tsx', name: 'app' } },
      shared,
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
        // The package names only its build for development, which contains checks and warnings.
        ...(mode === 'production' && {
          'react-router$': path.join(ROOT, 'node_modules/react-router/dist/production/index.mjs'),
        }),
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
      // The content security policy lists the name (shell/server/security-headers.ts).
      trustedTypes: { policyName: 'alpenglow-bundler' },
    },
    module: modules({ name, mode, isServer: false }),
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

/**
 * Returns the configuration of the bundle with which the server renders pages (decision 0087). It is one CommonJS file.
 * The shell's bundle contains the shared modules, which a remote's bundle requires.
 * @param {{ name: string }} build
 * @returns {import('@rspack/core').Configuration}
 */
export function serverConfig({ name }) {
  const isShell = name === SHELL;
  return {
    name: `${name} (server)`,
    mode: 'production',
    context: path.join(ROOT, name),
    target: 'node20',
    entry: { [SERVER_BUNDLE]: isShell ? './server/rendering/render-pages.tsx' : './src/App.tsx' },
    devtool: false,
    resolve: {
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      alias: {
        'react-router-dom$': path.join(import.meta.dirname, 'router-api.mjs'),
        // Only browsers load remotes from the registry.
        [path.join(ROOT, SHELL, 'src/remotes/federation.ts')]: false,
      },
    },
    externalsType: 'commonjs',
    externals: isShell ? [] : SERVER_SHARED,
    output: {
      path: path.join(distDir(name), SERVER_DIR),
      clean: true,
      filename: '[name]',
      library: { type: 'commonjs2' },
    },
    module: modules({ name, mode: 'production', isServer: true }),
    optimization: { minimize: false },
    lazyCompilation: false,
    performance: false,
    stats: 'errors-warnings',
  };
}

/**
 * Returns how source files are compiled. The server's bundle contains no styles and no files, but the same class names.
 * @param {{ name: string, mode: 'production' | 'development', isServer: boolean }} build
 * @returns {import('@rspack/core').ModuleOptions}
 */
function modules({ name, mode, isServer }) {
  const layer = name === SHELL ? 'shell' : `remotes.${name}`;
  const hashed = mode === 'production' ? '.[contenthash:10]' : '';
  return {
    parser: {
      'css/auto': { namedExports: false },
      // The server's bundle is one file, so that the digest of one file is checked.
      ...(isServer && { javascript: { dynamicImportMode: 'eager' } }),
    },
    generator: {
      // Adds the package name to class names, because one page may contain two versions of a `ui` component.
      'css/auto': {
        exportsOnly: isServer,
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
      // Declares that the modules of the domain have no side effects. Otherwise the bundler would not remove unused
      // validation rules, because function calls such as `z.object(…)` create them.
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
      { test: /\.(?:woff2|png|webp|avif|svg)$/u, type: 'asset/resource', generator: { emit: !isServer } },
      // Emits each worker as a separate file, so that the registry contains its integrity value. The integrity of
      // workers that the bundler emits would not be checked (docs/decisions/0013-federation.md).
      {
        test: /\.ts$/u,
        resourceQuery: /^\?url$/u,
        type: 'asset/resource',
        generator: { filename: `[name]${hashed}.js`, emit: !isServer },
      },
    ],
  };
}

const layerLoader = path.join(import.meta.dirname, 'layer-loader.mjs');
