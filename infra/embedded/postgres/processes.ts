import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const pause = (duration_ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, duration_ms));

/** A zombie (ended, but not reaped: pid 1 of many containers never reaps) counts as ended. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** What Postgres's own programs are called. A shell in the folder, or a `tar` of it, is somebody else's business. */
const PROGRAMS = ['postgres', 'initdb'];

async function pidsUsingOnLinux(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const program = (await readFile(`/proc/${name}/comm`, 'utf8').catch(() => '')).trim();
    if (!PROGRAMS.includes(program)) continue;
    const [cwd, command] = await Promise.all([
      readlink(`/proc/${name}/cwd`).catch(() => ''),
      readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
    ]);
    const mentions = command.split('\0').some((argument) => argument === folder || argument === `--pgdata=${folder}`);
    if (cwd === folder || mentions) found.push(Number(name));
  }
  return found;
}

async function pidsUsingElsewhere(folder: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ucomm=,command='], { maxBuffer: 16_000_000 });
  return pidsListed(stdout, folder);
}

/** The same from a listing of `ps`: number, program, command line. */
export function pidsListed(listing: string, folder: string): number[] {
  return listing.split('\n').flatMap((line) => {
    const [, pid, program, command] = /^\s*(\d+)\s+(\S+)\s+(.*)$/u.exec(line) ?? [];
    return program !== undefined && PROGRAMS.includes(program) && command?.includes(folder) === true
      ? [Number(pid)]
      : [];
  });
}

/**
 * Every process that works on that Postgres data folder: the server and its children (they change into it), and
 * `initdb`. A pid in `postmaster.pid` alone proves nothing, since the system hands numbers out again.
 */
export const pidsUsing = (folder: string): Promise<number[]> =>
  process.platform === 'linux' ? pidsUsingOnLinux(folder) : pidsUsingElsewhere(folder);

/** Waits until none of them lives; false when some still do after `limit_ms`. */
export async function haveEnded(pids: readonly number[], limit_ms: number): Promise<boolean> {
  const deadline_ms = Date.now() + limit_ms;
  while (pids.some(isRunning)) {
    if (Date.now() > deadline_ms) return false;
    await pause(20);
  }
  return true;
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
