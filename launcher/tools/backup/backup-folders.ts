import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { BACKUP_FILES } from './manifest.ts';

/** The names of the folders that `--in` creates: the time in UTC, so that their order is that of the backups. */
const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2})(\d{2})(\d{2}Z)$/u;
/** Matches what a backup with such a name leaves if it is killed. */
const UNFINISHED = /^(?<name>\d{4}-\d{2}-\d{2}T\d{6}Z)\.unfinished(?:\.lock)?$/u;
const DAY_ms = 24 * 60 * 60_000;

/** Returns the name of the folder of a backup that begins at this time. */
export const backupName = (at: Date): string =>
  at
    .toISOString()
    .replace(/\.\d{3}Z$/u, 'Z')
    .replaceAll(':', '');

const timeOf_ms = (name: string) => Date.parse(name.replace(NAME, '$1:$2:$3'));

/** Returns the complete backups that `--in` has created in a folder, oldest first. Other folders are left out. */
async function listBackups(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  return names.filter((name) => existsSync(path.join(folder, name, BACKUP_FILES.manifest)));
}

/** Returns the path of the newest complete backup that `--in` has created in a folder, or null if there is none. */
export async function findNewestBackup(folder: string): Promise<string | null> {
  const newest = (await listBackups(folder)).at(-1);
  return newest === undefined ? null : path.join(folder, newest);
}

/**
 * Removes the backups that `--in` has created in a folder more than `days` ago, and the remains of those that were
 * killed more than a day ago. The newest complete backup remains. Returns the names of what was removed.
 */
export async function removeOldBackups(folder: string, days: number, now: Date): Promise<readonly string[]> {
  const isOlder = (name: string, limit: number) => now.getTime() - timeOf_ms(name) > limit * DAY_ms;
  const unfinished = (await readdir(folder)).filter((name) => {
    const backup = UNFINISHED.exec(name)?.groups?.['name'];
    return backup !== undefined && isOlder(backup, 1);
  });
  const old = [...(await listBackups(folder)).slice(0, -1).filter((name) => isOlder(name, days)), ...unfinished];
  for (const name of old) await rm(path.join(folder, name), { recursive: true, force: true });
  return old;
}
