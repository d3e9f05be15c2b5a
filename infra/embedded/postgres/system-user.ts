import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user a Postgres process runs as; empty for "whoever runs Node". Spreads into `spawn` options. */
export type RunAs = { uid: number; gid: number } | Record<never, never>;

export const isRoot = (): boolean => process.getuid?.() === 0;

async function lookUp(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/**
 * The `postgres` system user, created when missing: Postgres refuses to run as root.
 * Call only as root. Throws with the command to run by hand when the user cannot be created.
 */
export async function ensurePostgresUser(): Promise<{ uid: number; gid: number }> {
  const existing = await lookUp('postgres');
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
    // Two launchers may create it at the same moment; the lookup below decides.
    const created = await lookUp('postgres');
    if (created !== null) return created;
    throw new Error(
      'Postgres does not run as root and the system user "postgres" could not be created. Create it (useradd --system postgres) or start as a normal user.',
      { cause: error },
    );
  }
  const created = await lookUp('postgres');
  if (created === null) throw new Error('The system user "postgres" was created but cannot be looked up.');
  return created;
}

/** Whether that user can run the program; reachability is tried, not computed, so modes, ACLs and mounts all count. */
export async function canRun(as: RunAs, program: string): Promise<boolean> {
  try {
    await run(program, ['--version'], { ...as, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Whether that user can enter the folder and write in it. */
export async function canWrite(as: RunAs, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', folder], { ...as, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
