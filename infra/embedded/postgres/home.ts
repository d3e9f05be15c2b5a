import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { type Binaries, binariesIn, copyFor, findInstalled } from './binaries.ts';
import { exists } from './cluster.ts';
import { canRun, canWrite, ensurePostgresUser, isRoot, type RunAs } from './system-user.ts';

/** Where root keeps what the `postgres` user cannot reach below DATA_DIR: the first of these that can be written. */
const SHARED_FOLDERS = ['/var/lib/alpenglow', '/var/tmp/alpenglow'];

/** Who runs Postgres, with which programs, and the folder (owned by that user) that holds cluster and log. */
export interface Home {
  folder: string;
  as: RunAs;
  binaries: Binaries;
}

/**
 * Finds or makes the home of a DATA_DIR's Postgres. `recorded` is the folder of an earlier run.
 *
 * A normal user keeps all of it in DATA_DIR. Root runs Postgres as another user, who may be unable to enter the
 * checkout or DATA_DIR (a clone in /root, say); then the cluster, and a copy of the programs, go to a shared folder.
 */
export async function prepareHome(dataDir: string, recorded: string | null): Promise<Home> {
  const installed = await findInstalled();
  if (!isRoot()) {
    const folder = recorded ?? path.join(dataDir, 'postgres');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await refuseForeignOwner(folder);
    return { folder, as: {}, binaries: binariesIn(installed.root) };
  }
  const known = recorded === null ? null : await stat(recorded).catch(() => null);
  // A cluster made by a normal user goes on belonging to that user when root starts it.
  const as = known !== null && known.uid !== 0 ? { uid: known.uid, gid: known.gid } : await ensurePostgresUser();
  const folder = recorded ?? (await chooseFolder(dataDir, as));
  let root = installed.root;
  if (!(await canRun(as, binariesIn(root).initdb))) root = await copyFor(await sharedFolder(), installed);
  if (!(await canWrite(as, folder)))
    throw new Error(`The user that runs Postgres (uid ${as.uid}) cannot reach its database folder ${folder}.`);
  return { folder, as, binaries: binariesIn(root) };
}

async function chooseFolder(dataDir: string, as: { uid: number; gid: number }): Promise<string> {
  const near = path.join(dataDir, 'postgres');
  await claim(near, as);
  if (await canWrite(as, near)) return near;
  await rm(near, { recursive: true });

  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const far = path.join(await sharedFolder(), hash);
  // A folder without a record in DATA_DIR belonged to an earlier DATA_DIR of this path that was deleted. Kept once, in
  // case DATA_DIR is only a disk that is not mounted yet.
  if (await exists(far)) {
    await rm(`${far}.replaced`, { recursive: true, force: true });
    await rename(far, `${far}.replaced`);
  }
  await claim(far, as);
  await writeFile(path.join(far, 'data-dir'), `${dataDir}\n`);
  return far;
}

async function claim(folder: string, as: { uid: number; gid: number }): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, as.uid, as.gid);
}

async function sharedFolder(): Promise<string> {
  for (const folder of SHARED_FOLDERS) {
    await mkdir(folder, { recursive: true }).catch(() => undefined);
    // A folder in /var/tmp that somebody else made first is not ours to trust.
    if ((await stat(folder).catch(() => null))?.uid !== 0) continue;
    // Others must be able to pass through, whatever the umask says.
    await chmod(folder, 0o755);
    return folder;
  }
  throw new Error(
    `Postgres needs a folder its own user can reach, and none of ${SHARED_FOLDERS.join(', ')} can be made. Set DATABASE_URL, or start as a normal user.`,
  );
}

async function refuseForeignOwner(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  if (uid !== process.getuid?.()) {
    throw new Error(
      `The database in ${folder} belongs to another user (uid ${uid}). Start as that user, or choose another DATA_DIR.`,
    );
  }
}

/**
 * Refuses a DATA_DIR that is a copy of another one whose database lies outside it: two launchers would share one
 * database. A DATA_DIR that was moved takes its database along.
 */
export async function checkOwnership(dataDir: string, folder: string): Promise<void> {
  const note = path.join(folder, 'data-dir');
  const owner = await readFile(note, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  if (owner === null || owner === dataDir) return;
  const ownerIsThere = await realpath(path.join(owner, 'postgres.json')).then(
    () => true,
    () => false,
  );
  if (ownerIsThere)
    throw new Error(`${dataDir} is a copy of ${owner}, and both name the database in ${folder}. Delete one of them.`);
  await writeFile(note, `${dataDir}\n`);
}
