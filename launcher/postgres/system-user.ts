import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** User that runs a Postgres process, as options of `spawn`. An empty object selects the user that runs Node. */
export type RunAs = { uid: number; gid: number } | Record<never, never>;

export const isRoot = (): boolean => process.getuid?.() === 0;

async function findUser(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/**
 * Returns the system user `postgres`, which runs Postgres because Postgres does not run as root. Creates the user if it
 * is missing, which only root can do. If the creation fails, the error contains a command with which an administrator
 * can create the user.
 */
export async function ensurePostgresUser(): Promise<{ uid: number; gid: number }> {
  const existing = await findUser('postgres');
  if (existing !== null) return existing;
  try {
    await run('groupadd', ['--force', '--system', 'postgres']);
    await run('useradd', [
      '--system',
      '--gid',
      'postgres',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
      'postgres',
    ]);
  } catch (error) {
    // The error is ignored if the user exists now, because another launcher may have created it at the same time.
    const created = await findUser('postgres');
    if (created !== null) return created;
    throw new Error(
      'Postgres does not run as root and the system user "postgres" could not be created. ' +
        'Create it (useradd --system postgres) or start as a normal user.',
      { cause: error },
    );
  }
  const created = await findUser('postgres');
  if (created === null) throw new Error('The system user "postgres" was created but cannot be found.');
  return created;
}

/**
 * Checks whether the user `as` can run the program. The function actually runs the program, because file modes, access
 * control lists and mount options all affect the result.
 */
export const canRun = (as: RunAs, program: string): Promise<boolean> => succeeds(as, program, ['--version']);

/** Returns true if the user `as` can enter the folder and write files in it. */
export const canWrite = (as: RunAs, folder: string): Promise<boolean> =>
  succeeds(as, '/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', folder]);

async function succeeds(as: RunAs, program: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(program, args, { ...as, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
