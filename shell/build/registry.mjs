/**
 * The folder the remotes are served from:
 *
 *   registry.json          which deployment of each remote is live; what browsers read
 *   <name>/<hash>/         the files of one deployment, never changed once there
 *   <name>/history.json    the deployments kept, oldest first; what a rollback goes back through
 *
 * Every file is written beside its place and moved there, so that no reader ever sees half of one.
 */
import { cp, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withFileLock } from './file-lock.mjs';

/** Open tabs keep loading from the deployment they started with; older ones than these are removed. */
export const DEPLOYMENTS_KEPT = 10;

/** @typedef {import('../../ui/src/host/contract.ts').RegistryEntry} RegistryEntry */
/** @typedef {import('../../ui/src/host/contract.ts').RemoteName} RemoteName */

/**
 * @template T
 * @param {string} file
 * @param {T} otherwise  when there is no such file
 * @returns {Promise<T>}
 */
async function readJson(file, otherwise) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw new Error(`${file} cannot be read: ${error.message}`);
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
 * @returns {Promise<import('../../ui/src/host/contract.ts').Registry>}
 */
export const readRegistry = (mfDir) => readJson(registryFile(mfDir), { remotes: {} });

/**
 * @param {string} mfDir
 * @param {string} name
 * @returns {Promise<RegistryEntry[]>}
 */
export const readHistory = (mfDir, name) => readJson(historyFile(mfDir, name), []);

/** @param {string} location */
const exists = (location) =>
  stat(location).then(
    () => true,
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
 * @param {RegistryEntry} entry
 */
async function makeLive(mfDir, entry) {
  const registry = await readRegistry(mfDir);
  await writeJson(registryFile(mfDir), { remotes: { ...registry.remotes, [entry.name]: entry } });
}

/**
 * Puts up a build of one remote and makes it live.
 * @param {{ mfDir: string, dist: string, artifact: Omit<RegistryEntry, 'deployedAt'>, now?: Date }} deployment
 * @returns {Promise<{ entry: RegistryEntry, before: string | null }>} what is live now and the hash that was before
 */
export async function deploy({ mfDir, dist, artifact, now = new Date() }) {
  return whileLocked(mfDir, async () => {
    const {
      name,
      hash,
      contractVersion,
      preload,
      preloadTexts = {},
      preloadData = {},
      preloadPictures,
      integrity,
      sizeBytes,
    } = artifact;
    const entry = {
      name,
      hash,
      contractVersion,
      preload,
      preloadTexts,
      preloadData,
      ...(preloadPictures && { preloadPictures }),
      integrity,
      sizeBytes,
      deployedAt: now.toISOString(),
    };
    const before = (await readRegistry(mfDir)).remotes[name]?.hash ?? null;

    const folder = path.join(mfDir, name, hash);
    if (!(await exists(folder))) {
      const incoming = `${folder}.incoming`;
      await rm(incoming, { recursive: true, force: true });
      await cp(dist, incoming, { recursive: true });
      await rename(incoming, folder);
    }

    const earlier = (await readHistory(mfDir, name)).filter((other) => other.hash !== hash);
    const kept = [...earlier, entry].slice(-DEPLOYMENTS_KEPT);
    await writeJson(historyFile(mfDir, name), kept);
    await makeLive(mfDir, entry);
    await removeOthers(path.join(mfDir, name), new Set(kept.map((other) => other.hash)));
    return { entry, before };
  });
}

/**
 * Makes the deployment before the live one live again.
 * @param {{ mfDir: string, name: RemoteName, now?: Date }} rollback
 * @returns {Promise<{ entry: RegistryEntry, before: string }>}
 * @throws {Error} when there is none
 */
export async function rollback({ mfDir, name, now = new Date() }) {
  return whileLocked(mfDir, async () => {
    const live = (await readRegistry(mfDir)).remotes[name];
    if (!live) throw new Error(`${name} is not deployed`);
    const history = await readHistory(mfDir, name);
    const previous = history[history.findIndex((entry) => entry.hash === live.hash) - 1];
    if (!previous) throw new Error(`${name} has no deployment before ${live.hash}`);
    const entry = { ...previous, deployedAt: now.toISOString() };
    await makeLive(mfDir, entry);
    return { entry, before: live.hash };
  });
}

/**
 * @param {string} dir
 * @param {Set<string>} hashes
 */
async function removeOthers(dir, hashes) {
  for (const found of await readdir(dir, { withFileTypes: true })) {
    if (found.isDirectory() && !hashes.has(found.name))
      await rm(path.join(dir, found.name), { recursive: true, force: true });
  }
}

/**
 * Whether a build has yet to go up. One that was rolled back has been up: it stays down until something else is built.
 * @param {{ mfDir: string, name: RemoteName, hash: string }} build
 */
export async function needsDeploy({ mfDir, name, hash }) {
  const live = (await readRegistry(mfDir)).remotes[name];
  if (!live || !(await exists(path.join(mfDir, name, live.hash)))) return true;
  return (await readHistory(mfDir, name)).at(-1)?.hash !== hash;
}
