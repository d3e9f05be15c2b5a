// @ts-check
/** Names and folders of the browser packages. */
import path from 'node:path';
import { loadTypeScriptModule } from './load-typescript.mjs';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The folder from which the server serves the deployed remotes. */
export const MF_DIR = path.resolve(ROOT, process.env.MF_DIR ?? '.build/mf');

const CONTRACT_FILE = path.join(ROOT, 'ui/src/host/contract.ts');

const contract = await loadTypeScriptModule(CONTRACT_FILE);
/** @type {number} */
export const CONTRACT_VERSION = contract.CONTRACT_VERSION;
/** @type {readonly import('../../ui/src/host/contract.ts').RemoteName[]} */
export const REMOTE_NAMES = contract.REMOTE_NAMES;
export const SHELL = 'shell';
/** @type {readonly string[]} */
export const BROWSER_PACKAGES = [SHELL, ...REMOTE_NAMES];

/**
 * @param {string | undefined} name
 * @returns {name is import('../../ui/src/host/contract.ts').RemoteName}
 */
export const isRemoteName = (name) => REMOTE_NAMES.some((known) => known === name);

const constants = await loadTypeScriptModule(path.join(ROOT, 'domain/src/constants.ts'));
/** @type {number} */
export const CHUNK_LOAD_TIMEOUT_ms = constants.CHUNK_LOAD_TIMEOUT_ms;

/** @param {string} name */
export const distDir = (name) => path.join(ROOT, name, 'dist');

/** Name of the entry file of every remote, relative to the remote's build folder. */
export const REMOTE_ENTRY = 'remote-entry.js';

/** Folder and name of the bundle with which the server renders pages, relative to the build folder of a package. */
export const SERVER_DIR = 'server';
export const SERVER_BUNDLE = 'server.cjs';

/**
 * Returns the name of the container of a remote. The remote's entry file sets a global variable with this name.
 * @param {string} name
 */
export const containerName = (name) => name.replaceAll('-', '_');
