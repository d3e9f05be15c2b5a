// @ts-check
/**
 * The Rspack preset of the front ends. The `rspack.config.mjs` of each front end names what is special about it. The
 * preset contains everything that must be the same: shared modules, supported browsers, styles, names of files.
 *
 * Some lines below look unnecessary but are required. The reasons are in docs/decisions/0013-federation.md.
 */
import { existsSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { rspack } from '@rspack/core';
import { FinishBuildPlugin, incomingDir } from './finish-build.mjs';
import { computeInputHash } from './input-hash.mjs';
import {
  BROWSERS,
  CHUNK_LOAD_TIMEOUT_ms,
  ROOT,
  SERVER_BUNDLE,
  SERVER_DIR,
  SHELL,
  containerName,
  typesDir,
} from './packages.mjs';
import { SharedModuleIdsPlugin } from './shared-module-ids.mjs';
import { SHARED, packageOf, versionOf } from './shared-modules.mjs';
import { StableRuntimePathPlugin } from './stable-runtime-path.mjs';
import { UniqueNamePlugin, provisionalName } from './unique-name.mjs';

const require = createRequire(import.meta.url);

/** The running product whose API a remote under development uses. */
const API_URL = process.env.API_URL ?? 'http://127.0.0.1:8080';

/** The port of `rspack preview` in the package of the shell. Remotes have their own ports. */
const SHELL_PORT = 8089;

/** The URL path of the shell's own files. */
export const ASSETS_PATH = '/assets/';

/**
 * The module that contains the code with which a container uses the runtime of Module Federation. The plugin imports
 * it by its path.
 */
export const BUNDLER_RUNTIME_PACKAGE = '@module-federation/webpack-bundler-runtime';
const BUNDLER_RUNTIME = require.resolve(BUNDLER_RUNTIME_PACKAGE);
const RUNTIME_DIR = path.dirname(require.resolve('@module-federation/runtime'));
const RUNTIME_CORE_DIR = path.join(RUNTIME_DIR, '../../runtime-core/dist');
/** Replaces the parts of the runtime that are not used. */
const RUNTIME_PARTS = path.join(import.meta.dirname, 'runtime-parts.mjs');
/**
 * The ES modules of the runtime. The plugin would use its CommonJS modules, whose unused parts cannot be removed.
 * @type {Readonly<Record<string, string>>}
 */
const RUNTIME_MODULES = {
  [BUNDLER_RUNTIME]: path.join(path.dirname(BUNDLER_RUNTIME), 'bundler.js'),
  [`${BUNDLER_RUNTIME_PACKAGE}$`]: path.join(path.dirname(BUNDLER_RUNTIME), 'bundler.js'),
  '@module-federation/runtime/helpers$': RUNTIME_PARTS,
  ...Object.fromEntries(
    [
      'plugins/snapshot/SnapshotHandler.js',
      'utils/semver/index.js',
      'utils/preload.js',
      '../../error-codes/dist/desc.mjs',
    ].map((file) => [path.join(RUNTIME_CORE_DIR, file), RUNTIME_PARTS]),
  ),
  '@module-federation/runtime$': path.join(RUNTIME_DIR, 'bundler.js'),
  '@module-federation/runtime': path.join(RUNTIME_DIR, 'bundler.js'),
};
/** The variable with which the shell provides this module to the remotes (shell/src/remotes/provided-runtime.ts). */
export const SHARED_RUNTIME = 'alpenglowFederation';

/** Uses modules that are already loaded. The other strategy first waits for the entries of all registered remotes. */
const SHARE_STRATEGY = /** @type {const} */ ('loaded-first');

/** Accepts every version of a shared module, because the contract version decides whether a remote is compatible. */
const ANY_VERSION = /** @type {const} */ (false);

/**
 * Only the used part of these modules is shared, because bundlers do not remove unused exports of a shared module. The
 * paths are relative to the package of the shell, because the bundler writes them into its files. With absolute paths,
 * the same sources in another folder would be another deployment.
 * @type {Readonly<Record<string, string>>}
 */
const USED_PARTS = {
  'react-router-dom': './build/router-api.mjs',
  '@tanstack/react-query': './build/query-api.mjs',
};

/** @param {(request: string) => object} describe */
const sharedModules = (describe) =>
  Object.fromEntries(
    SHARED.map((request) => [request, { singleton: true, requiredVersion: ANY_VERSION, ...describe(request) }]),
  );

/**
 * Returns the options of `ModuleFederationPlugin` of the shell, which provides the shared modules at its start
 * (`eager`). There is no code for snapshots, because the registry names the deployments.
 * @param {'web' | 'node'} target
 * @param {boolean} [disableSnapshot]  false for development, with manifests and with the browser extension of Module
 * Federation
 */
const hostFederation = (target, disableSnapshot = true) => ({
  shared: sharedModules((request) => ({
    eager: true,
    version: versionOf(packageOf(request)),
    ...(target === 'web' && USED_PARTS[request] && { import: USED_PARTS[request] }),
  })),
  manifest: false,
  shareStrategy: SHARE_STRATEGY,
  dts: false,
  experiments: { optimization: { disableSnapshot, target } },
});

/**
 * Returns the options of `ModuleFederationPlugin` of a remote. `import: false` excludes the shared modules from the
 * remote, because the shell provides them.
 * @param {'web' | 'node'} target
 */
const remoteFederation = (target) => ({
  shared: sharedModules(() => ({ import: /** @type {const} */ (false) })),
  shareStrategy: SHARE_STRATEGY,
  dts: false,
  experiments: { externalRuntime: true, optimization: { disableSnapshot: true, target } },
});

/**
 * The options with which the plugin writes the types of `./App` and of the contract into `@mf-types.zip`. Only `npm run
 * types` uses them, because the compiler needs longer than the build (docs/decisions/0013-federation.md).
 */
const typesContainer = {
  ...remoteFederation('web'),
  filename: 'remote-entry.js',
  manifest: false,
  dts: {
    // The plugin uses the package `typescript` that this folder can import. It is the compiler of `npm run typecheck`.
    cwd: path.dirname(require.resolve('@typescript/native/package.json')),
    tsConfigPath: path.join(import.meta.dirname, 'types/tsconfig.json'),
    generateTypes: {
      additionalFilesToCompile: [path.join(ROOT, 'ui/src/host/contract.ts')],
      compileInChildProcess: false,
      generateAPITypes: false,
    },
    consumeTypes: false,
  },
};

/** The options of the container for browsers. */
export const browserContainer = { ...remoteFederation('web'), filename: 'remote-entry.js', manifest: true };

/** The options of the container of a remote under development. Browsers load it by its manifest. */
const developmentContainer = {
  ...browserContainer,
  experiments: { ...browserContainer.experiments, optimization: { target: /** @type {const} */ ('web') } },
};

/** The options of the container for the server, which is one file. */
const serverContainer = {
  ...remoteFederation('node'),
  filename: SERVER_BUNDLE,
  library: { type: 'commonjs-module' },
  manifest: false,
};

/** The options of Rspack with which a remote uses the runtime of the shell, which has the only copy. */
export const sharedRuntime = {
  externals: { [BUNDLER_RUNTIME]: SHARED_RUNTIME, [BUNDLER_RUNTIME_PACKAGE]: SHARED_RUNTIME },
  externalsType: /** @type {const} */ ('global'),
};

/** Returns the plugin with which the same sources in another folder are the same deployment. */
export const stableRuntimePath = () => new StableRuntimePathPlugin(BUNDLER_RUNTIME, BUNDLER_RUNTIME_PACKAGE);

/**
 * Returns the plugin that writes the integrity values of all other scripts and style sheets into the entry of a remote.
 * The integrity value of the entry itself is in the registry.
 */
export const integrityValues = () =>
  new rspack.SubresourceIntegrityPlugin({ hashFuncNames: ['sha256'], enabled: true });

/**
 * @typedef {import('@rspack/core').Configuration} Configuration
 *
 * @typedef {object} FrontEnd
 * @property {string} dir   the folder of the package, `import.meta.dirname` of its `rspack.config.mjs`
 * @property {(options: object) => import('@rspack/core').RspackPluginInstance} federation   creates the plugin of
 * Module Federation. It is called for each bundle, with the options of the preset
 * @property {boolean} [isServerRendered]   true if the server renders the pages of the remote
 * @property {number} [port]   of `rspack dev` and `rspack preview`
 * @property {string} [apiUrl]   the running product for `rspack dev`
 */

/**
 * Returns the configurations of the shell: the bundle for browsers, and the one with which the server renders pages.
 * With the option `developmentDir`, it is the shell for the development of a remote.
 * @param {Pick<FrontEnd, 'federation'>} frontEnd
 * @returns {(env?: Record<string, unknown>) => Configuration | Configuration[]}
 */
export function defineShell({ federation }) {
  const browser = browserConfig({
    name: SHELL,
    entry: { shell: './src/main.tsx' },
    publicPath: ASSETS_PATH,
    folder: 'assets',
  });
  const server = serverConfig(SHELL);
  return ({ developmentDir } = {}) => {
    if (typeof developmentDir === 'string') return developmentShell(federation, developmentDir);
    return withResult(SHELL, SHELL_PORT, [
      { ...withRuntimeModules(browser), plugins: [federation(hostFederation('web'))] },
      {
        ...withRuntimeModules(server),
        entry: { [SERVER_BUNDLE]: './server/rendering/render-pages.tsx' },
        plugins: [federation(hostFederation('node'))],
      },
    ]);
  };
}

/** The URL path of a remote under development. The shell loads remotes only from below `/mf/`. */
const DEVELOPMENT_PATH = '/mf/under-development/current/';

/**
 * Returns the configuration of the shell in which a remote is developed. It has the complete runtime of Module
 * Federation and React for development, and it loads one remote from the development server.
 * @param {FrontEnd['federation']} federation
 * @param {string} dir  the folder of the result
 * @returns {Configuration}
 */
function developmentShell(federation, dir) {
  const config = browserConfig({
    name: SHELL,
    mode: 'development',
    // Hot replacement needs its hook in the page before React DOM is loaded.
    entry: { shell: [path.join(import.meta.dirname, 'dev/refresh.ts'), './src/main.tsx'] },
    publicPath: ASSETS_PATH,
  });
  const runtime = Object.entries(RUNTIME_MODULES).filter(([, file]) => file !== RUNTIME_PARTS);
  const alias = {
    ...config.resolve?.alias,
    ...Object.fromEntries(runtime),
    [path.join(ROOT, SHELL, 'src/remotes/remotes.ts')]: path.join(import.meta.dirname, 'dev/remotes.ts'),
    [path.join(ROOT, SHELL, 'src/remotes/plugins/integrity.ts')]: path.join(import.meta.dirname, 'dev/no-integrity.ts'),
  };
  return {
    ...config,
    output: { ...config.output, path: dir },
    resolve: { ...config.resolve, alias },
    plugins: [federation(hostFederation('web', false))],
  };
}

/** @param {Configuration} config */
const withRuntimeModules = (config) => ({
  ...config,
  resolve: { ...config.resolve, alias: { ...config.resolve?.alias, ...RUNTIME_MODULES } },
});

/**
 * Returns a function with the configurations of a remote: `rspack build` builds the container for browsers, and the one
 * with which the server renders pages. `rspack dev` serves the remote alone, in a simulated host, and `rspack dev
 * --env shell` in the shell. `--env in=<origin>` serves it for a deployed site (dev-in.mjs). `rspack build --env types`
 * generates its types.
 * @param {FrontEnd} frontEnd
 * @returns {(env?: Record<string, unknown>) => Configuration | Configuration[] | Promise<Configuration>}
 */
export function defineRemote({ dir, federation, isServerRendered = false, port = 8090, apiUrl = API_URL }) {
  const name = path.basename(dir);
  return ({ RSPACK_SERVE: isServed, shell, types, in: site } = {}) => {
    if (isServed && typeof site === 'string') return inDeployedConfig({ dir, federation, port, site });
    if (isServed)
      return shell ? inShellConfig({ dir, federation, port, apiUrl }) : standaloneConfig({ dir, port, apiUrl });
    const browser = browserConfig({ name, entry: {}, publicPath: 'auto' });
    if (types) {
      const output = { ...browser.output, path: typesDir(name) };
      return { ...browser, ...sharedRuntime, output, devtool: false, plugins: [federation(typesContainer)] };
    }
    const container = { ...browser, ...sharedRuntime, plugins: [federation(browserContainer), integrityValues()] };
    const server = { ...serverConfig(name), ...sharedRuntime, plugins: [federation(serverContainer), oneFile()] };
    return withResult(name, port, [container, ...(isServerRendered ? [server] : [])]);
  };
}

/**
 * Adds the plugin that turns the files of all these builds into one result, and the port of `rspack preview`.
 * @param {string} name
 * @param {number} defaultPort
 * @param {Configuration[]} configs
 */
function withResult(name, defaultPort, configs) {
  const finish = new FinishBuildPlugin(name, configs.length);
  const devServer = { port: portOf(defaultPort) };
  const unique = new UniqueNamePlugin(containerName(name));
  const plugins = [stableRuntimePath(), new SharedModuleIdsPlugin(), unique, finish];
  return configs.map((config) => ({ ...config, devServer, plugins: [...(config.plugins ?? []), ...plugins] }));
}

/** @param {number} defaultPort */
const portOf = (defaultPort) => Number(process.env.PORT ?? defaultPort);

/**
 * Returns the configuration of the page on which a remote is developed without the shell.
 * @param {{ dir: string, port: number, apiUrl: string }} frontEnd
 * @returns {Configuration}
 */
function standaloneConfig({ dir, port: defaultPort, apiUrl }) {
  const name = path.basename(dir);
  const config = browserConfig({
    name,
    mode: 'development',
    entry: { [name]: path.join(import.meta.dirname, 'dev/main.tsx') },
    publicPath: '/',
  });
  return {
    ...config,
    resolve: {
      ...config.resolve,
      alias: {
        ...config.resolve?.alias,
        'remote-under-development': path.join(dir, 'src/App.tsx'),
      },
    },
    plugins: [
      new rspack.HtmlRspackPlugin({
        title: name,
        templateContent:
          '<!doctype html><html lang="en" data-scripts="on"><head></head><body><div id="root"></div></body></html>',
      }),
    ],
    devServer: { ...devServer(defaultPort, apiUrl, ['/api', '/uploads']), hot: false, liveReload: true },
  };
}

/**
 * Returns the options of the development server. It passes requests to a running product.
 * @param {number} defaultPort
 * @param {string} target  the URL of the product
 * @param {string[]} context  the paths of these requests
 */
const devServer = (defaultPort, target, context) => ({
  host: 'localhost',
  port: portOf(defaultPort),
  historyApiFallback: true,
  proxy: [{ context, target, changeOrigin: true, ws: true }],
});

/**
 * Returns the headers with which the page of another development server may load the remote, so that two remotes can be
 * developed on one page. Other sites may not read its sources.
 * @param {import('node:http').IncomingMessage} request
 * @returns {Record<string, string>}
 */
const headersForDevelopmentPages = ({ headers: { origin = '' } }) =>
  /^http:\/\/localhost:\d+$/u.test(origin) ? { 'Access-Control-Allow-Origin': origin } : {};

/**
 * Returns the configuration of a remote under development in the shell. The page of the development server contains the
 * shell. Edits replace modules in the page, and React keeps its state.
 * @param {Pick<Required<FrontEnd>, 'dir' | 'federation' | 'port' | 'apiUrl'>} remote
 * @returns {Promise<Configuration>}
 */
async function inShellConfig({ dir, federation, port, apiUrl }) {
  const name = path.basename(dir);
  const { ReactRefreshRspackPlugin } = await import('@rspack/plugin-react-refresh');
  const { routes = [] } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
  const config = browserConfig({ name, mode: 'development', entry: {}, publicPath: 'auto', isHot: true });
  return {
    ...config,
    context: dir,
    ...sharedRuntime,
    externals: { ...sharedRuntime.externals, 'react-refresh/runtime': 'alpenglowRefresh' },
    plugins: [
      federation(developmentContainer),
      new ReactRefreshRspackPlugin(),
      new rspack.HtmlRspackPlugin({
        filename: 'index.html',
        inject: false,
        templateContent: developmentPage(name, routes),
      }),
    ],
    devServer: {
      ...devServer(port, apiUrl, ['/api', '/uploads', '/status', '/mf']),
      devMiddleware: { publicPath: DEVELOPMENT_PATH, headers: headersForDevelopmentPages },
      hot: true,
      liveReload: false,
      historyApiFallback: { index: `${DEVELOPMENT_PATH}index.html` },
      static: [
        { directory: await buildDevelopmentShell(), publicPath: ASSETS_PATH },
        { directory: path.join(ROOT, SHELL, 'public'), publicPath: '/' },
      ],
    },
  };
}

/**
 * Returns the configuration of a remote under development in a deployed site. The site has React for production, which
 * cannot replace modules, so an edit reloads the page. Only pages of this site may read the files.
 * @param {Pick<Required<FrontEnd>, 'dir' | 'federation' | 'port'> & { site: string }} remote
 * @returns {Configuration}
 */
function inDeployedConfig({ dir, federation, port: defaultPort, site }) {
  const name = path.basename(dir);
  const port = portOf(defaultPort);
  const config = browserConfig({ name, entry: {}, publicPath: 'auto' });
  const script = readFileSync(path.join(import.meta.dirname, 'dev/local-remote.js'), 'utf8');
  /** @param {import('node:http').IncomingMessage} request @returns {Record<string, string>} */
  const headers = ({ headers: { origin = '' } }) => (origin === site ? { 'Access-Control-Allow-Origin': origin } : {});
  return {
    ...config,
    ...sharedRuntime,
    context: dir,
    devtool: 'cheap-module-source-map',
    optimization: { minimize: false },
    plugins: [federation(browserContainer)],
    devServer: {
      ...{ host: 'localhost', port, allowedHosts: [new URL(site).hostname], hot: false, liveReload: true },
      devMiddleware: { publicPath: DEVELOPMENT_PATH, headers },
      // The page is at another origin, so the client cannot derive the address of the server from it.
      client: { webSocketURL: `ws://localhost:${port}/ws`, overlay: false, logging: 'warn' },
      setupMiddlewares: (middlewares) => [
        {
          name: 'local-remote',
          path: `${DEVELOPMENT_PATH}local-remote.js`,
          middleware: (
            /** @type {import('node:http').IncomingMessage} */ request,
            /** @type {import('node:http').ServerResponse} */ response,
          ) => {
            for (const [header, value] of Object.entries(headers(request))) response.setHeader(header, value);
            response.setHeader('Content-Type', 'text/javascript');
            response.end(script.replaceAll('CONTAINER', containerName(name)));
          },
        },
        ...middlewares,
      ],
    },
  };
}

/**
 * Returns the page with the shell in which a remote is developed. A remote that the shell does not know has its pages
 * in its `package.json`. In other pages, they come from the registry.
 * @param {string} name  of the remote
 * @param {readonly import('../../ui/src/host/contract.ts').RemoteRoute[]} routes
 */
export const developmentPage = (name, routes) => `<!doctype html>
<html lang="en" data-scripts="on" data-remote="${name}" data-container="${containerName(name)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="alpenglow-demo" content="on">
<meta name="alpenglow-routes" content='${JSON.stringify(routes.map((route) => ({ ...route, owner: name })))}'>
<title>${name}</title>
<link rel="stylesheet" href="${ASSETS_PATH}shell.css">
<script defer src="${ASSETS_PATH}shell.js"></script>
</head>
<body><div id="root"></div></body>
</html>
`;

/** Builds the shell in which a remote is developed, unless it is up to date. Returns the folder of its files. */
async function buildDevelopmentShell() {
  const builds = path.join(ROOT, '.build/development-shell');
  const dir = path.join(builds, computeInputHash(SHELL).slice(0, 16));
  if (existsSync(dir)) return dir;
  const { compile } = await import('./build.mjs');
  const incoming = `${dir}.${process.pid}`;
  await compile(SHELL, { developmentDir: incoming });
  await rename(incoming, dir);
  return dir;
}

/**
 * @typedef {object} BrowserBuild
 * @property {string} name       package folder, e.g. `mf-listings`
 * @property {Configuration['entry']} entry
 * @property {string} publicPath
 * @property {string} [folder]   the folder of the files in the result of the build
 * @property {'production' | 'development'} [mode]
 * @property {boolean} [isHot]   true if edits replace modules in the page
 */

/**
 * Returns the configuration of a bundle for browsers, without federation.
 * @param {BrowserBuild} build
 * @returns {Configuration}
 */
export function browserConfig({ name, entry, publicPath, folder = '', mode = 'production', isHot = false }) {
  const hashed = mode === 'production' ? '.[contenthash:10]' : '';
  // Two deployments of a remote can be on one page, so each build has its own name for the list of its loaded chunks.
  // `UniqueNamePlugin` completes it.
  const uniqueName = provisionalName(containerName(name));
  return {
    name,
    mode,
    context: path.join(ROOT, name),
    target: ['web', `browserslist:${BROWSERS.join(', ')}`],
    entry: entry ?? {},
    devtool: mode === 'production' ? 'source-map' : 'cheap-module-source-map',
    resolve: {
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      alias: {
        'file-selector': path.join(import.meta.dirname, 'files-of-event.mjs'),
        // The package names only its build for development, which contains checks and warnings.
        ...(mode === 'production' && {
          'react-router$': path.join(ROOT, 'node_modules/react-router/dist/production/index.mjs'),
        }),
      },
    },
    output: {
      path: path.join(incomingDir(name), folder),
      publicPath,
      uniqueName,
      chunkLoadingGlobal: `${uniqueName}_chunks`,
      filename: `[name]${hashed}.js`,
      chunkFilename: `[name]${hashed}.js`,
      cssFilename: `[name]${hashed}.css`,
      cssChunkFilename: `[name]${hashed}.css`,
      assetModuleFilename: `[name]${hashed}[ext]`,
      chunkLoadTimeout: CHUNK_LOAD_TIMEOUT_ms,
      // Another attempt to load a module that has thrown evaluates it again. Otherwise, it would be incomplete.
      strictModuleErrorHandling: true,
      crossOriginLoading: 'anonymous',
      // The content security policy lists the name (shell/server/security-headers.ts).
      trustedTypes: { policyName: 'alpenglow-bundler' },
    },
    module: modules({ name, mode, isServer: false, isHot }),
    optimization: {
      minimizer: [
        new rspack.SwcJsMinimizerRspackPlugin({ minimizerOptions: { ecma: 2022, compress: { passes: 3 } } }),
        new rspack.LightningCssMinimizerRspackPlugin({ minimizerOptions: { targets: BROWSERS } }),
      ],
    },
    lazyCompilation: false,
    performance: false,
    stats: 'errors-warnings',
    infrastructureLogging: { level: 'error' },
  };
}

/** Returns the plugin that puts the exposed module into the file of the container, whose digest is checked. */
const oneFile = () => new rspack.optimize.LimitChunkCountPlugin({ maxChunks: 1 });

/**
 * Returns the configuration of the bundle with which the server renders pages (decision 0087). It is one CommonJS file.
 * @param {string} name
 * @returns {Configuration}
 */
function serverConfig(name) {
  return {
    name: `${name} (server)`,
    mode: 'production',
    context: path.join(ROOT, name),
    target: 'node20',
    entry: {},
    devtool: false,
    resolve: {
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      // Only browsers load remotes from the registry.
      alias: { [path.join(ROOT, SHELL, 'src/remotes/runtime.ts')]: false },
    },
    output: {
      path: path.join(incomingDir(name), SERVER_DIR),
      filename: SERVER_BUNDLE,
      library: { type: 'commonjs2' },
    },
    module: modules({ name, mode: 'production', isServer: true }),
    optimization: {
      // Removes only the comments, which must not cause another deployment.
      minimizer: [
        new rspack.SwcJsMinimizerRspackPlugin({
          minimizerOptions: { compress: false, mangle: false, format: { comments: false, beautify: true } },
        }),
      ],
    },
    lazyCompilation: false,
    performance: false,
    stats: 'errors-warnings',
    infrastructureLogging: { level: 'error' },
  };
}

/**
 * Returns how source files are compiled. The server's bundle contains no styles and no files, but the same class names.
 * @param {{ name: string, mode: 'production' | 'development', isServer: boolean, isHot?: boolean }} build
 * @returns {import('@rspack/core').ModuleOptions}
 */
function modules({ name, mode, isServer, isHot = false }) {
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
        localIdentName: `${name.replace(/^mf-/u, '')}-[local]-[hash:4]`,
        exportsConvention: 'as-is',
      },
    },
    rules: [
      {
        test: /\.tsx?$/u,
        loader: 'builtin:swc-loader',
        options: {
          env: { targets: isServer ? 'node 20' : BROWSERS },
          jsc: {
            parser: { syntax: 'typescript', tsx: true },
            transform: { react: { runtime: 'automatic', development: mode === 'development', refresh: isHot } },
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
