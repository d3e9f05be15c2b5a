import { readdir, readFile } from 'node:fs/promises';

/** What `/proc` says of processes. Linux only. */

export interface Memory {
  /** Resident bytes, shared pages once for each process. */
  readonly rss: number;
  /** Resident bytes, shared pages divided among those that share them. */
  readonly pss: number;
}

/** Linux counts processor time in hundredths of a second, whatever the kernel's own clock. */
const TICKS_PER_S = 100;

interface Stat {
  readonly parent: number;
  /** Processor time of the process itself, and of children it has seen end. */
  readonly own_s: number;
  readonly ended_s: number;
}

async function statOf(pid: number): Promise<Stat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (text === '') return null;
  // The name may hold anything, but ends with the last parenthesis. From there: state, parent, …, utime, stime, cutime, cstime.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, utime = 0, stime = 0, cutime = 0, cstime = 0] = [1, 11, 12, 13, 14].map((place) => fields[place]);
  return { parent, own_s: (utime + stime) / TICKS_PER_S, ended_s: (cutime + cstime) / TICKS_PER_S };
}

/** The processes below these, and these. */
export async function familyOf(roots: readonly number[]): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name)).map(Number);
  const stats = await Promise.all(pids.map(async (pid) => [pid, (await statOf(pid))?.parent ?? 0] as const));
  const family = new Set(roots);
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const [pid, parent] of stats) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

/** Processor seconds a process and everything below it has used, those that have ended included. */
export async function cpuOf(root: number): Promise<number> {
  const stats = await Promise.all((await familyOf([root])).map(statOf));
  return stats.reduce((sum, stat) => sum + (stat?.own_s ?? 0) + (stat?.ended_s ?? 0), 0);
}

/** Resident memory of these processes together. */
export async function memoryOf(pids: readonly number[]): Promise<Memory> {
  const total = { rss: 0, pss: 0 };
  for (const pid of pids) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    total.rss += Number(/^Rss:\s+(\d+)/mu.exec(rollup)?.[1] ?? 0) * 1024;
    total.pss += Number(/^Pss:\s+(\d+)/mu.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return total;
}

/** The command line, its words apart by spaces. Empty for a process that is gone. */
export async function commandOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}

/** How many files, connections among them, one process may have open. */
export async function openFilesLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const [, soft] = /^Max open files\s+(\d+|unlimited)/mu.exec(limits) ?? [];
  return soft === undefined || soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}
