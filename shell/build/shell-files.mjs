// @ts-check
/**
 * Stores the files of shells in the folder of the remotes, as `shell/<hash>/`, so that each server also has the files
 * of the other versions of the shell. `build.json` in the folder is the signed list of the files.
 */
import { chmod, cp, mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFiles } from './artifact.mjs';
import { withFileLock } from './file-lock.mjs';
import { findDamagedFiles } from './registry.mjs';
import { findTrustErrors, signBuild } from './signing.mjs';

/** The folder of the shells in the folder of the remotes, and the file that lists the files of one. */
export const SHELL_FOLDER = 'shell';
export const SHELL_DESCRIPTION = 'build.json';
/** The shells that were used last always stay stored. Others stay for some days after their last use. */
const SHELLS_MIN = 10;
const SHELLS_MAX = 50;
const RETENTION_days = 30;
const DAY_ms = 86_400_000;

/** @param {string} file */
const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));

/**
 * Returns the list of the files of a shell's build.
 * @param {string} distDir
 * @throws {Error} if the files are not those of the build
 */
async function describeShell(distDir) {
  const { hash, server } = await readJson(path.join(distDir, 'build.json'));
  const { integrity, assets, hash: found } = await describeFiles(path.join(distDir, 'assets'), server?.integrity ?? '');
  if (found !== hash) throw new Error(`The files of the shell ${hash} have changed since the build`);
  return { name: SHELL_FOLDER, hash: found, integrity, assets };
}

/**
 * Stores the files of a shell, before the shell is started. Nothing changes if they are stored already, except that
 * they count as used.
 * @param {{ mfDir: string, distDir: string, keys: import('./signing.mjs').DeployKeys, now?: Date }} shell  `distDir` is
 * the folder of its build
 * @returns {Promise<boolean>} false if no server would accept them: there is no key, it may sign only remotes, or the
 * shell is revoked
 * @throws {Error} if the files are not those of the build
 */
export async function storeShell({ mfDir, distDir, keys: { privateKey, trust }, now = new Date() }) {
  const described = await describeShell(distDir);
  const shells = path.join(mfDir, SHELL_FOLDER);
  const folder = path.join(shells, described.hash);
  await mkdir(mfDir, { recursive: true });
  return withFileLock(path.join(mfDir, '.lock'), async () => {
    const stored = await readJson(path.join(folder, SHELL_DESCRIPTION)).catch(() => ({}));
    const isStored =
      findTrustErrors(stored, trust).length === 0 && (await findDamagedFiles(folder, described)).length === 0;
    if (!isStored) {
      const signed = privateKey === null ? null : signBuild(described, privateKey);
      if (!signed || findTrustErrors(signed, trust).length > 0) return false;
      await mkdir(shells, { recursive: true });
      // Old shells are removed before and after the copy, because the disk may be full.
      await removeOldShells(shells, now);
      await copyShell(path.join(distDir, 'assets'), folder, signed);
    }
    await utimes(folder, now, now);
    await removeOldShells(shells, now);
    return true;
  });
}

/**
 * Stores the files of a shell, and prints a warning if it is not possible. The shell can start without them: they are
 * only for pages of other servers and for old tabs.
 * @param {Parameters<typeof storeShell>[0]} shell
 * @param {(line: string) => void} [warn]
 */
export async function tryToStoreShell(shell, warn = (line) => void process.stderr.write(`${line}\n`)) {
  try {
    if (!(await storeShell(shell)))
      warn(
        'FRONT_END_PRIVATE_KEY is not set or may not sign the shell, so its files were not stored for other servers',
      );
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    warn(`The files of the shell were not stored for other servers: ${problem}`);
  }
}

/**
 * Copies the files of a shell to its folder, with their signed list. A copy that is not complete is removed.
 * @param {string} assets  the folder of the files
 * @param {string} folder
 * @param {object} signed  the list
 */
async function copyShell(assets, folder, signed) {
  const incoming = `${folder}.incoming`;
  await rm(incoming, { recursive: true, force: true });
  try {
    // Source maps are not stored. Only developers use them, and the server of this build has them.
    await cp(assets, incoming, { recursive: true, filter: (file) => !/\.map(?:\.\w+)?$/u.test(file) });
    await writeFile(path.join(incoming, SHELL_DESCRIPTION), JSON.stringify(signed));
    await chmod(incoming, 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(incoming, folder);
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

/**
 * Removes the shells that were not used for a long time.
 * @param {string} shells
 * @param {Date} now
 */
async function removeOldShells(shells, now) {
  const folders = [];
  for (const name of await readdir(shells)) {
    const used_ms = await stat(path.join(shells, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    folders.push({ name, used_ms });
  }
  folders.sort((one, other) => other.used_ms - one.used_ms);
  const oldest_ms = now.getTime() - RETENTION_days * DAY_ms;
  const removed = folders.filter(
    ({ used_ms }, index) => index >= SHELLS_MAX || (index >= SHELLS_MIN && used_ms < oldest_ms),
  );
  for (const { name } of removed) await rm(path.join(shells, name), { recursive: true, force: true });
}
