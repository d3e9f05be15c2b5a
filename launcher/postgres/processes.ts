import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Returns true if the process is running. A zombie process counts as ended. It has ended, but its parent has not yet
 * collected its exit status. Zombies are common in containers.
 */
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

/**
 * Names of the Postgres programs. Only these are ended, because other programs, such as a shell, may also use the
 * folder.
 */
const PROGRAMS = ['postgres', 'initdb'];

async function pidsUsingOnLinux(folder: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const program = (await readFile(`/proc/${name}/comm`, 'utf8').catch(() => '')).trim();
    if (!PROGRAMS.includes(program)) continue;
    const [cwd, command] = await Promise.all([
      readlink(`/proc/${name}/cwd`).catch(() => ''),
      readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
    ]);
    const mentions = command.split('\0').some((argument) => argument === folder || argument === `--pgdata=${folder}`);
    if (cwd === folder || mentions) pids.push(Number(name));
  }
  return pids;
}

async function pidsUsingElsewhere(folder: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ucomm=,command='], { maxBuffer: 16_000_000 });
  return parseProcessList(stdout, folder);
}

/**
 * Returns the ids of the Postgres processes that use a folder. Each line of `listing` contains a process id, a program
 * name and a command line.
 */
export function parseProcessList(listing: string, folder: string): number[] {
  return listing.split('\n').flatMap((line) => {
    const [, pid, program, command] = /^\s*(\d+)\s+(\S+)\s+(.*)$/u.exec(line) ?? [];
    return program !== undefined && PROGRAMS.includes(program) && command?.includes(folder) === true
      ? [Number(pid)]
      : [];
  });
}

/**
 * Returns the ids of all processes that use this Postgres data folder, such as the server, its children and `initdb`.
 * The id in `postmaster.pid` is not sufficient, because the system reuses process ids.
 */
export const findPostgresPids = (folder: string): Promise<number[]> =>
  process.platform === 'linux' ? pidsUsingOnLinux(folder) : pidsUsingElsewhere(folder);

/** Waits until all processes have ended. Returns false if some are still running after `limit_ms`. */
export async function waitForExit(pids: readonly number[], limit_ms: number): Promise<boolean> {
  const deadline_ms = Date.now() + limit_ms;
  while (pids.some(isRunning)) {
    if (Date.now() > deadline_ms) return false;
    await pause(20);
  }
  return true;
}

export function signalProcesses(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
