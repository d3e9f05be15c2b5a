import { execFile } from 'node:child_process';
import { access, chown, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Binaries } from './binaries.ts';
import { haveEnded, pidsUsing, signal } from './processes.ts';
import type { RunAs } from './system-user.ts';

const run = promisify(execFile);

/** Superuser and database of every embedded cluster. */
export const ROLE = 'alpenglow';
export const DATABASE = 'alpenglow';

/** Postgres programs see only this: a stray PGDATA, PGPORT or PGOPTIONS of the caller must not reach them. */
export const serverEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
});

export const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const draftPrefix = 'initdb-';

export interface ClusterOptions {
  home: string;
  clusterDir: string;
  binaries: Binaries;
  as: RunAs;
  password: string;
  durable: boolean;
}

/**
 * Makes the cluster in a draft folder and renames it into place once it is whole, so a cluster folder that exists is
 * always complete, whatever killed the process that made it.
 */
export async function createCluster({
  home,
  clusterDir,
  binaries,
  as,
  password,
  durable,
}: ClusterOptions): Promise<void> {
  await removeDrafts(home);
  const draft = path.join(home, `${draftPrefix}${process.pid}`);
  const passwordFile = `${draft}.password`;
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if ('uid' in as) await chown(passwordFile, as.uid, as.gid);
  const options = { ...as, cwd: home, env: serverEnvironment() };
  try {
    await run(
      binaries.initdb,
      [
        `--pgdata=${draft}`,
        `--username=${ROLE}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // The built-in provider sorts the same on every machine, whatever its C library.
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        ...(durable ? [] : ['--no-sync']),
      ],
      options,
    );
    const single = run(binaries.postgres, ['--single', '-D', draft, ...(durable ? [] : ['-F']), 'postgres'], options);
    single.child.stdin?.end(`CREATE DATABASE ${DATABASE};\n`);
    await single;
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, clusterDir);
  if (durable) await syncFolder(home);
}

/** What a launcher killed during `initdb` left behind, its still running `initdb` included. */
async function removeDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = path.join(home, name);
    const pids = await pidsUsing(draft);
    signal(pids, 'SIGKILL');
    await haveEnded(pids, 5_000);
    await rm(draft, { recursive: true, force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Refuses a cluster that another major version of Postgres made; its files cannot be read. */
export async function checkVersion(clusterDir: string, binaries: Binaries): Promise<void> {
  const theirs = (await readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const { stdout } = await run(binaries.postgres, ['--version'], { cwd: '/', env: serverEnvironment() });
  const ours = /(\d+)\./.exec(stdout)?.[1];
  if (theirs !== ours) {
    throw new Error(
      `The database in ${clusterDir} was made by Postgres ${theirs}, this release brings Postgres ${ours ?? '?'}. Export it with the old release and import it with the new one.`,
    );
  }
}
