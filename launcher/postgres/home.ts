import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { binariesIn, copyBinaries, fileExists, findInstalledBinaries } from './binaries.ts';
import type { PostgresHome } from './cluster.ts';
import { canRun, canWrite, ensurePostgresUser, isRoot } from './system-user.ts';

/**
 * Folders for the database if root starts the product and the `postgres` user cannot reach DATA_DIR. The first usable
 * folder is chosen.
 */
const SHARED_FOLDERS = ['/var/lib/alpenglow', '/var/tmp/alpenglow'];

/**
 * Finds or creates the folder that contains the Postgres cluster of a DATA_DIR. `recorded` is the folder of an earlier
 * run. If a normal user starts the product, the folder is inside DATA_DIR. If root starts the product, Postgres runs as
 * another user, which may be unable to reach DATA_DIR or the checkout. In that case, a shared folder contains the
 * cluster and a copy of the Postgres programs.
 */
export async function prepareHome(dataDir: string, recorded: string | null): Promise<PostgresHome> {
  const installed = await findInstalledBinaries();
  if (!isRoot()) {
    const folder = recorded ?? path.join(dataDir, 'postgres');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rejectForeignOwner(folder);
    return { folder, as: {}, binaries: binariesIn(installed.root) };
  }
  const recordedStats = recorded === null ? null : await stat(recorded).catch(() => null);
  // If a normal user created the cluster, Postgres always runs as that user, even when root starts it.
  const as =
    recordedStats !== null && recordedStats.uid !== 0
      ? { uid: recordedStats.uid, gid: recordedStats.gid }
      : await ensurePostgresUser();
  const folder = recorded ?? (await chooseFolder(dataDir, as));
  let root = installed.root;
  if (!(await canRun(as, binariesIn(root).initdb))) root = await copyBinaries(await sharedFolder(), installed);
  if (!(await canWrite(as, folder)))
    throw new Error(`The user that runs Postgres (uid ${as.uid}) cannot reach its database folder ${folder}.`);
  return { folder, as, binaries: binariesIn(root) };
}

async function chooseFolder(dataDir: string, as: { uid: number; gid: number }): Promise<string> {
  const localFolder = path.join(dataDir, 'postgres');
  await createOwned(localFolder, as);
  if (await canWrite(as, localFolder)) return localFolder;
  await rm(localFolder, { recursive: true });

  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const sharedHome = path.join(await sharedFolder(), hash);
  // The shared folder exists, but DATA_DIR contains no reference to it. It probably belongs to a deleted DATA_DIR with
  // the same path. The folder is renamed and not removed, because it may belong to a DATA_DIR on a disk that is not
  // mounted.
  if (await fileExists(sharedHome)) {
    await rm(`${sharedHome}.replaced`, { recursive: true, force: true });
    await rename(sharedHome, `${sharedHome}.replaced`);
  }
  await createOwned(sharedHome, as);
  await writeFile(path.join(sharedHome, 'data-dir'), `${dataDir}\n`);
  return sharedHome;
}

async function createOwned(folder: string, as: { uid: number; gid: number }): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, as.uid, as.gid);
}

async function sharedFolder(): Promise<string> {
  for (const folder of SHARED_FOLDERS) {
    await mkdir(folder, { recursive: true }).catch(() => undefined);
    // A folder that does not belong to root is skipped, because every user can create folders in /var/tmp.
    if ((await stat(folder).catch(() => null))?.uid !== 0) continue;
    // The mode is set explicitly, so that the `postgres` user can enter the folder even if the umask is strict.
    await chmod(folder, 0o755);
    return folder;
  }
  throw new Error(
    `Postgres needs a folder that its own user can reach, and none of ${SHARED_FOLDERS.join(', ')} can be created. ` +
      'Set DATABASE_URL, or start as a normal user.',
  );
}

async function rejectForeignOwner(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  if (uid !== process.getuid?.()) {
    throw new Error(
      `The database in ${folder} belongs to another user (uid ${uid}). Start as that user, or choose another DATA_DIR.`,
    );
  }
}

/**
 * Throws an error if DATA_DIR is a copy of another DATA_DIR, because both would use the same database folder. If
 * DATA_DIR was only moved, its new path is stored in the database folder.
 */
export async function checkOwnership(dataDir: string, folder: string): Promise<void> {
  const note = path.join(folder, 'data-dir');
  const owner = await readFile(note, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  if (owner === null || owner === dataDir) return;
  if (await fileExists(path.join(owner, 'postgres.json')))
    throw new Error(`${dataDir} is a copy of ${owner}, and both name the database in ${folder}. Delete one of them.`);
  await writeFile(note, `${dataDir}\n`);
}
