// @ts-check
/** Names and folders of the browser packages. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { loadTypeScriptModule } from './load-typescript.mjs';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The folder from which the server serves the deployed remotes. */
export const MF_DIR = path.resolve(ROOT, process.env.MF_DIR ?? '.build/mf');

/**
 * The oldest supported browsers (F-45), as queries for browserslist. Only the root package names them.
 * @type {string[]}
 */
export const BROWSERS = createRequire(import.meta.url)('../../package.json').browserslist;

const CONTRACT_FILE = path.join(ROOT, 'ui/src/host/contract.ts');

const contract = await loadTypeScriptModule(CONTRACT_FILE);
/** @type {string} */
export const CONTRACT_VERSION = contract.CONTRACT_VERSION;
/** @type {readonly string[]} */
export const OFFERED_CONTRACTS = contract.OFFERED_CONTRACTS;
/** The remotes of this repository. Remotes of other repositories are only in the registry. */
export const REMOTE_NAMES = readdirSync(ROOT)
  .filter((folder) => folder.startsWith('mf-') && existsSync(path.join(ROOT, folder, 'rspack.config.mjs')))
  .sort();
export const SHELL = 'shell';
/** @type {readonly string[]} */
export const BROWSER_PACKAGES = [SHELL, ...REMOTE_NAMES];

/**
 * Returns the front ends that a command line names, or all known ones if it names none.
 * @param {readonly string[]} given
 * @param {readonly string[]} [known]
 * @throws {Error} if a name is unknown
 */
export function namesFrom(given, known = REMOTE_NAMES) {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`Unknown front end: ${unknown.join(', ')}. Known: ${known.join(', ')}`);
  return given.length > 0 ? given : known;
}

const constants = await loadTypeScriptModule(path.join(ROOT, 'domain/src/constants.ts'));
/** @type {number} */
export const CHUNK_LOAD_TIMEOUT_ms = constants.CHUNK_LOAD_TIMEOUT_ms;

/** @param {string} name */
export const distDir = (name) => path.join(ROOT, name, 'dist');

/**
 * Returns the folder of the generated types of a remote. `@mf-types` contains the files of the archive `@mf-types.zip`.
 * @param {string} name
 */
export const typesDir = (name) => path.join(ROOT, '.build/types', name);

/** Folder and name of the bundle with which the server renders pages, relative to the build folder of a package. */
export const SERVER_DIR = 'server';
export const SERVER_BUNDLE = 'server.cjs';

/**
 * Returns the name of the container of a remote. The remote's entry file sets a global variable with this name.
 * @param {string} name
 */
export const containerName = (name) => name.replaceAll('-', '_');
