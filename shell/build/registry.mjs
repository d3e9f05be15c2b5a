// @ts-check
/**
 * Reads and writes the folder from which the server serves the remotes. It contains these files:
 *
 *   registry.json          the live deployment of each remote, which the server of the shell reads
 *   <name>/<hash>/         the files of one deployment, which never change
 *   <name>/history.json    the stored deployments, oldest first, which a rollback reads
 *
 * Every file is written under a temporary name and then renamed, so that a reader never reads a partial file.
 */
import { cp, lstat, mkdir, readFile, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { withFileLock } from './file-lock.mjs';
import { requireValidEntry } from './registry-entry.mjs';

/**
 * The number of stored deployments per remote. The oldest deployment is deleted first. Earlier deployments are stored,
 * because open tabs still load their files.
 */
export const RETAINED_DEPLOYMENTS = 10;

/** @typedef {import('../../ui/src/host/contract.ts').RegistryEntry} RegistryEntry */
/** @typedef {import('../../ui/src/host/contract.ts').RemoteName} RemoteName */
/** @typedef {Omit<RegistryEntry, 'fits'>} Deployment  an entry of the stored registry */
/** @typedef {Deployment & { readonly isRolledBack?: boolean }} StoredDeployment */
/** @typedef {Omit<Deployment, 'deployedAt'> & { readonly stamp?: string }} Artifact  the description of a build */

/**
 * @template T
 * @param {string} file
 * @param {T} otherwise  the result if the file does not exist
 * @returns {Promise<T>}
 */
async function readJson(file, otherwise) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT') return otherwise;
    throw new Error(`${file} cannot be read: ${message}`);
  }
}

/**
 * @param {string} file
 * @param {unknown} value
 */
async function writeJson(file, value) {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(value, null, 1)}\n`);
  await rename(temporary, file);
}

/** @param {string} mfDir */
const registryFile = (mfDir) => path.join(mfDir, 'registry.json');
/** @param {string} mfDir @param {string} name */
const historyFile = (mfDir, name) => path.join(mfDir, name, 'history.json');

/**
 * @param {string} mfDir
 * @returns {Promise<{ remotes: Partial<Record<RemoteName, Deployment>> }>}
 */
export const readRegistry = (mfDir) => readJson(registryFile(mfDir), { remotes: {} });

/**
 * @param {string} mfDir
 * @param {string} name
 * @returns {Promise<StoredDeployment[]>}
 */
export const readHistory = (mfDir, name) => readJson(historyFile(mfDir, name), []);

/**
 * Checks whether the files of a deployment exist. A symbolic link is no copy of the files: they may be deleted.
 * @param {string} folder
 */
const isStored = (folder) =>
  lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * @template T
 * @param {string} mfDir
 * @param {() => Promise<T>} work
 */
async function whileLocked(mfDir, work) {
  await mkdir(mfDir, { recursive: true });
  return withFileLock(path.join(mfDir, '.lock'), work);
}

/**
 * @param {string} mfDir
 * @param {Deployment} entry
 */
async function makeLive(mfDir, entry) {
  const registry = await readRegistry(mfDir);
  await writeJson(registryFile(mfDir), { remotes: { ...registry.remotes, [entry.name]: entry } });
}

/**
 * Checks that a remote works with a contract version.
 * @param {{ name: string, contract: unknown }} remote  `contract` is its range of contract versions
 * @param {string} version
 * @throws {Error} if it does not
 */
export function requireContract({ name, contract }, version) {
  if (typeof contract !== 'string' || validRange(contract) === null)
    throw new Error(`${name} states no valid range of contract versions, e.g. "contract": "^${version}"`);
  if (!satisfies(version, contract))
    throw new Error(`${name} works with contract ${contract}, but the shell has contract ${version}`);
}

/**
 * Stores the build of one remote as a deployment, and makes it live.
 * @param {{ mfDir: string, dist: string, artifact: Artifact, shellContract: string, now?: Date }} deployment
 * `shellContract` is the contract version of the shell
 * @returns {Promise<{ entry: Deployment, before: string | null }>} the live deployment and the hash of the previous one
 * @throws {Error} if a value is invalid, or if the remote does not work with the contract version of the shell
 */
export async function deploy({ mfDir, dist, artifact, shellContract, now = new Date() }) {
  requireContract(artifact, shellContract);
  requireValidEntry(artifact);
  return whileLocked(mfDir, async () => {
    const { stamp: _stamp, ...described } = artifact;
    const entry = { preloadTexts: {}, preloadData: {}, ...described, deployedAt: now.toISOString() };
    const { name, hash } = entry;
    const before = (await readRegistry(mfDir)).remotes[name]?.hash ?? null;

    const folder = path.join(mfDir, name, hash);
    if (!(await isStored(folder))) {
      const incoming = `${folder}.incoming`;
      await rm(incoming, { recursive: true, force: true });
      // The result of a build is a symbolic link, and `cp` would copy the link itself.
      await cp(await realpath(dist), incoming, { recursive: true });
      await rm(folder, { force: true });
      await rename(incoming, folder);
    }

    const earlier = (await readHistory(mfDir, name)).filter((other) => other.hash !== hash);
    const retained = [...earlier, entry].slice(-RETAINED_DEPLOYMENTS);
    await writeJson(historyFile(mfDir, name), retained);
    await makeLive(mfDir, entry);
    await removeOthers(path.join(mfDir, name), new Set(retained.map((other) => other.hash)));
    return { entry, before };
  });
}

/**
 * Makes the newest deployment before the live one live again, and never one that was itself rolled back.
 * @param {{ mfDir: string, name: RemoteName, shellContract: string, now?: Date }} rollback
 * @returns {Promise<{ entry: Deployment, before: string }>}
 * @throws {Error} if there is no earlier deployment, or if it does not work with the contract version of the shell
 */
export async function rollback({ mfDir, name, shellContract, now = new Date() }) {
  return whileLocked(mfDir, async () => {
    const live = (await readRegistry(mfDir)).remotes[name];
    if (!live) throw new Error(`${name} is not deployed`);
    const history = await readHistory(mfDir, name);
    const liveAt = history.findIndex((entry) => entry.hash === live.hash);
    const previous = history.slice(0, Math.max(liveAt, 0)).findLast(({ isRolledBack }) => !isRolledBack);
    if (!previous) throw new Error(`${name} has no deployment before ${live.hash}`);
    requireContract(previous, shellContract);
    requireValidEntry(previous);
    const entry = { ...previous, deployedAt: now.toISOString() };
    await makeLive(mfDir, entry);
    const marked = history.map((one) => (one.hash === live.hash ? { ...one, isRolledBack: true } : one));
    await writeJson(historyFile(mfDir, name), marked);
    return { entry, before: live.hash };
  });
}

/**
 * Returns the output line that reports a deployment.
 * @param {{ entry: Deployment, before: string | null }} deployment
 */
export const describeDeployment = ({ entry: { name, hash }, before }) =>
  `${name.padEnd(13)} ${hash} is live${before && before !== hash ? ` (before: ${before})` : ''}`;

/**
 * @param {string} dir
 * @param {Set<string>} hashes
 */
async function removeOthers(dir, hashes) {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if ((entry.isDirectory() || entry.isSymbolicLink()) && !hashes.has(entry.name))
      await rm(path.join(dir, entry.name), { recursive: true, force: true });
  }
}

/**
 * Checks whether a build must be deployed. This is necessary if the build differs from the latest deployment, or if no
 * deployment is live. A rollback does not remove the latest deployment, so the same build is not deployed again.
 * @param {{ mfDir: string, name: RemoteName, hash: string }} build
 */
export async function needsDeploy({ mfDir, name, hash }) {
  const live = (await readRegistry(mfDir)).remotes[name];
  if (!live || !(await isStored(path.join(mfDir, name, live.hash)))) return true;
  return (await readHistory(mfDir, name)).at(-1)?.hash !== hash;
}
