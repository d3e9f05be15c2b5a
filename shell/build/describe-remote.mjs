// @ts-check
/**
 * Describes the build of a remote. Remotes of this repository and of others use it (remote-package/), so it depends
 * neither on the checkout nor on the bundler.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compressFiles, describeFiles } from './artifact.mjs';
import { SERVER_BUNDLE_PATH, digestOf } from './digests.mjs';
import { requireValidEntry } from './registry-entry.mjs';
import { findTokens, neededPackages } from './shared-modules.mjs';
import { requireFit } from './shell-compatibility.mjs';

/** @typedef {import('@rspack/core').StatsCompilation} StatsCompilation */

const assetNames = (/** @type {{ assets?: readonly { name: string }[] } | undefined} */ group) =>
  (group?.assets ?? []).map((asset) => asset.name).filter((file) => /\.(?:js|css)$/u.test(file));

/**
 * Returns the scripts and style sheets of an entry of the compiler.
 * @param {StatsCompilation} groups
 * @param {string} name
 */
export const filesOfEntry = (groups, name) => assetNames(groups.entrypoints?.[name]);

/**
 * Returns the files of the chunks whose names fulfil a condition, by chunk name.
 * @param {StatsCompilation} groups
 * @param {(name: string) => boolean} isWanted
 * @returns {Record<string, string[]>}
 */
export const filesOfChunks = (groups, isWanted) =>
  Object.fromEntries(
    Object.keys(groups.namedChunkGroups ?? {})
      .filter(isWanted)
      .map((name) => [name, assetNames(groups.namedChunkGroups?.[name])]),
  );

/** A chunk that contains texts has the name of its language, e.g. `de` (see `text.ts`). */
export const isLanguage = (/** @type {string} */ name) => /^[a-z]{2}$/u.test(name);

/**
 * Describes the bundle with which the server renders pages.
 * @param {string} dir
 * @returns {Promise<{ integrity: string } | undefined>}  undefined if there is no such bundle
 */
export async function describeServerBundle(dir) {
  try {
    return { integrity: digestOf(await readFile(path.join(dir, SERVER_BUNDLE_PATH))) };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Compresses the files of a build and returns its description, which becomes an entry of the registry. Its scripts,
 * style sheets, name and shared modules are those of `mf-manifest.json`. The versions of shared packages are the
 * installed ones.
 * @param {object} build
 * @param {string} build.name   of the remote
 * @param {string} build.dir   the folder of the files
 * @param {string} build.packageDir   the folder of the package of the remote, which declares the contract
 * @param {string} build.rootDir   the folder with `node_modules`
 * @param {StatsCompilation} build.groups   the entries and chunks of the compiler
 * @param {readonly string[]} build.contracts   the versions of the contract with which the remote was built
 * @throws {Error} if the remote works with none of these versions, if it does not expose `./App`, or if a value of its
 * `package.json` is invalid
 */
export async function describeRemote({ name, dir, packageDir, rootDir, groups, contracts }) {
  const { metaData, exposes, shared } = await readJson(path.join(dir, 'mf-manifest.json'));
  const { contract, preloadData, preloadPictures, routes } = await readJson(path.join(packageDir, 'package.json'));
  requireFit({ name, contract }, { hash: '', contracts });
  const app = exposes.find((/** @type {{ path: string }} */ one) => one.path === './App');
  if (!app) throw new Error(`${name} does not expose ./App`);
  const server = await describeServerBundle(dir);
  const entry = metaData.remoteEntry.name;
  const modules = shared.map((/** @type {{ name: string }} */ one) => one.name);
  const packages = neededPackages(modules, rootDir);
  const { needed: tokens } = await findTokens(dir);
  const declared = { name, contract, packages, preloadData, preloadPictures, routes, server };
  const described = await describeFiles(dir, JSON.stringify(declared));
  await compressFiles(dir);
  const result = {
    ...declared,
    ...described,
    container: metaData.globalName,
    entry,
    tokens,
    preload: [entry, ...app.assets.js.sync, ...app.assets.css.sync],
    preloadTexts: filesOfChunks(groups, isLanguage),
    chunks: server && filesOfChunks(groups, (chunk) => !isLanguage(chunk) && chunk !== 'app'),
  };
  requireValidEntry(result);
  return result;
}

/** @param {string} file */
const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));
