import { execFile } from 'node:child_process';
import { chown, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Binaries } from './binaries.ts';
import { waitForExit, findPostgresPids, signalProcesses } from './processes.ts';
import type { RunAs } from './system-user.ts';

const run = promisify(execFile);

/** Names of the superuser and the database that every embedded Postgres has. */
export const ROLE = 'alpenglow';
/** The name of the role that the product uses. It is no superuser, and owns the database. */
export const PRODUCT_ROLE = 'alpenglow_product';
export const DATABASE = 'alpenglow';

/**
 * Returns the environment variables for Postgres programs. The variables of the current process are omitted, because
 * variables such as PGDATA would affect Postgres.
 */
export const serverEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
});

const draftPrefix = 'initdb-';

/**
 * Folder with the data and log of Postgres, the user that owns the folder and runs Postgres, and the Postgres programs.
 */
export interface PostgresHome {
  folder: string;
  as: RunAs;
  binaries: Binaries;
}

export interface ClusterOptions extends PostgresHome {
  clusterDir: string;
  password: string;
  durable: boolean;
}

/**
 * Creates the cluster, which is the data folder of Postgres. It has a draft name until it is complete. A folder with
 * the final name is therefore always complete, even if a process was killed.
 */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const { folder, clusterDir, binaries, as, password, durable } = options;
  await removeDrafts(folder);
  const draft = path.join(folder, `${draftPrefix}${process.pid}`);
  const passwordFile = `${draft}.password`;
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if ('uid' in as) await chown(passwordFile, as.uid, as.gid);
  const runOptions = { ...as, cwd: folder, env: serverEnvironment() };
  try {
    await run(
      binaries.initdb,
      [
        `--pgdata=${draft}`,
        `--username=${ROLE}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // The built-in locale provider sorts text in the same order on every machine.
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        // Both sides repeat these iterations for each connection, and tests open thousands of connections.
        ...(durable ? [] : ['--no-sync', '--set=scram_iterations=1']),
      ],
      runOptions,
    );
    const single = run(
      binaries.postgres,
      ['--single', '-D', draft, ...(durable ? [] : ['-F']), 'postgres'],
      runOptions,
    );
    single.child.stdin?.end(`CREATE DATABASE ${DATABASE};\n`);
    await single;
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, clusterDir);
  if (durable) await syncFolder(folder);
}

/**
 * Removes incomplete data folders that a killed launcher has left, and kills the program `initdb` if it is still
 * creating such a folder.
 */
async function removeDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = path.join(home, name);
    const pids = await findPostgresPids(draft);
    signalProcesses(pids, 'SIGKILL');
    await waitForExit(pids, 5_000);
    await rm(draft, { recursive: true, force: true });
  }
}

/** Flushes the directory entries of a folder to the disk (fsync). */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Throws an error if another major version of Postgres created the data folder, because this version cannot read its
 * files.
 */
export async function checkVersion(clusterDir: string, binaries: Binaries): Promise<void> {
  const clusterVersion = (await readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const { stdout } = await run(binaries.postgres, ['--version'], { cwd: '/', env: serverEnvironment() });
  const installedVersion = /(\d+)\./.exec(stdout)?.[1];
  if (clusterVersion !== installedVersion) {
    throw new Error(
      `The database in ${clusterDir} was created by Postgres ${clusterVersion}; ` +
        `this release contains Postgres ${installedVersion ?? '?'}. ` +
        'Export it with the old release and import it with the new one.',
    );
  }
}
