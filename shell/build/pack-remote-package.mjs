// @ts-check
/**
 * Packs the package `@alpenglow/remote` for remotes of other repositories with `npm run pack:remote-package
 * [-- folder]`: the types of the contract, the values that `rspack.config.mjs` needs, and the program that packs and
 * deploys a build. The version of the package is that of the contract. By default, the tarball is written to
 * `.build/packages`.
 */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rspack } from '@rspack/core';
import { BROWSERS, CHUNK_LOAD_TIMEOUT_ms, CONTRACT_VERSION, OFFERED_CONTRACTS, ROOT } from './packages.mjs';
import { BUNDLER_RUNTIME_PACKAGE, SHARED_RUNTIME, browserContainer } from './preset.mjs';
import { versionOf } from './shared-modules.mjs';

const run = promisify(execFile);
const COMPILER = path.join(ROOT, 'node_modules/@typescript/native/bin/tsc');
const NAME = '@alpenglow/remote';
const CONTRACT = 'ui/src/host/contract.ts';
/** The modules of workspaces that the contract imports, by their names in imports. */
const WORKSPACE_MODULES = { '@alpenglow/domain/contracts': 'domain/src/contracts/index.ts' };

/**
 * Writes the declarations of the contract and of everything that it imports into `types`.
 * @param {string} folder
 */
async function writeTypes(folder) {
  const types = path.join(folder, 'types');
  const project = path.join(folder, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: path.join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, allowImportingTsExtensions: true },
        ...{ outDir: types, rootDir: ROOT, typeRoots: [path.join(ROOT, 'node_modules/@types')] },
        paths: Object.fromEntries(
          Object.entries(WORKSPACE_MODULES).map(([name, file]) => [name, [path.join(ROOT, file)]]),
        ),
      },
      files: [path.join(ROOT, CONTRACT)],
      include: [],
    }),
  );
  await run(process.execPath, [COMPILER, '--project', project, '--singleThreaded'], { cwd: ROOT });
  await rm(project);
  for (const entry of await readdir(types, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    await writeFile(file, portable(await readFile(file, 'utf8'), path.relative(types, entry.parentPath)));
  }
}

/**
 * Replaces the imports of a declaration file by those that work without the workspaces.
 * @param {string} text
 * @param {string} folder  the folder of the file, relative to the checkout
 */
function portable(text, folder) {
  return text.replaceAll(/(?<=(?:from |import\())(['"])([^'"]+)\1/gu, (all, quote, name) => {
    const file = Object.entries(WORKSPACE_MODULES).find(([module]) => module === name)?.[1];
    const target = file === undefined ? name : path.relative(folder, file);
    if (!/\.tsx?$/u.test(target)) return all;
    const relative = target.startsWith('.') ? target : `./${target}`;
    return `${quote}${relative.replace(/\.tsx?$/u, '.js')}${quote}`;
  });
}

/**
 * Returns the packages that declaration files import, with their installed versions.
 * @param {string} folder
 */
async function packagesOfTypes(folder) {
  const names = new Set();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(path.join(entry.parentPath, entry.name), 'utf8');
    for (const [, name] of text.matchAll(/(?:from |import\()['"]((?:@[\w.-]+\/)?\w[\w.-]*)[^'"]*['"]/gu))
      names.add(name);
  }
  return Object.fromEntries([...names].sort().map((name) => [name, versionOf(name)]));
}

/**
 * Bundles the programs of the package with the packages that they import, so that they need no other package.
 * @param {string} folder
 */
async function writePrograms(folder) {
  const compiler = rspack({
    mode: 'production',
    target: 'node20',
    context: import.meta.dirname,
    entry: { rspack: './remote-package/rspack.mjs', cli: './remote-package/cli.mjs' },
    devtool: false,
    externalsPresets: { node: true },
    externalsType: 'module',
    output: {
      path: folder,
      filename: '[name].mjs',
      module: true,
      chunkFormat: 'module',
      library: { type: 'module' },
    },
    module: { parser: { javascript: { importMeta: false, url: false } } },
    optimization: { minimize: false, splitChunks: false },
    performance: false,
  });
  /** @type {import('@rspack/core').Stats | undefined} */
  const stats = await new Promise((resolve, reject) =>
    compiler.run((error, result) => (error ? reject(error) : resolve(result))),
  );
  await new Promise((resolve) => compiler.close(resolve));
  if (!stats || stats.hasErrors()) throw new Error(stats?.toString({ preset: 'errors-only', colors: false }));
  const cli = path.join(folder, 'cli.mjs');
  await writeFile(cli, `#!/usr/bin/env node\n${await readFile(cli, 'utf8')}`);
  await chmod(cli, 0o755);
}

/**
 * Writes the tarball of the package into a folder and returns its path.
 * @param {string} target
 * @throws {Error} if the types or the programs cannot be created
 */
export async function packRemotePackage(target) {
  await mkdir(path.join(ROOT, '.build'), { recursive: true });
  const folder = await mkdtemp(path.join(ROOT, '.build/remote-package-'));
  try {
    await writeTypes(folder);
    await writePrograms(folder);
    await cp(path.join(import.meta.dirname, 'layer-loader.mjs'), path.join(folder, 'layer-loader.mjs'));
    const options = {
      browsers: BROWSERS,
      container: browserContainer,
      contracts: OFFERED_CONTRACTS,
      runtimePackage: BUNDLER_RUNTIME_PACKAGE,
      runtimeVariable: SHARED_RUNTIME,
      chunkLoadTimeout_ms: CHUNK_LOAD_TIMEOUT_ms,
    };
    await writeFile(path.join(folder, 'options.json'), JSON.stringify(options, null, 1));
    await writeFile(
      path.join(folder, 'contract.mjs'),
      `export const CONTRACT_VERSION = ${JSON.stringify(CONTRACT_VERSION)};\n`,
    );
    const manifest = {
      name: NAME,
      version: CONTRACT_VERSION,
      license: 'UNLICENSED',
      description: 'The contract between the shell and a remote, with the tools to build and deploy a remote.',
      type: 'module',
      exports: {
        '.': { types: `./types/${CONTRACT.replace(/\.ts$/u, '.d.ts')}`, default: './contract.mjs' },
        './rspack': './rspack.mjs',
      },
      bin: { 'alpenglow-remote': './cli.mjs' },
      dependencies: await packagesOfTypes(path.join(folder, 'types')),
    };
    await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
    await mkdir(target, { recursive: true });
    const { stdout } = await run('npm', ['pack', folder, '--pack-destination', target, '--ignore-scripts', '--json'], {
      cwd: ROOT,
    });
    const [{ filename }] = JSON.parse(stdout);
    return path.join(target, filename);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const target = path.resolve(ROOT, process.argv[2] ?? '.build/packages');
    console.log(path.relative(process.env.INIT_CWD ?? process.cwd(), await packRemotePackage(target)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
