import { readdir, readFile } from 'node:fs/promises';
import { parseStat } from './processor-time.mjs';

/** Reads memory and processor time of processes from `/proc`, which exists only on Linux. */

export interface Memory {
  /** Resident memory in bytes. A memory page that several processes share counts once for each process. */
  readonly rss: number;
  /** Resident memory in bytes. The size of a shared memory page is divided among the processes that share it. */
  readonly pss: number;
}

const statOf = async (pid: number) => parseStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));

/** Returns the ids of the given processes and of all their descendants. */
export async function processTreeOf(roots: readonly number[]): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name)).map(Number);
  const stats = await Promise.all(pids.map(async (pid) => [pid, (await statOf(pid))?.parent ?? 0] as const));
  const family = new Set(roots);
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const [pid, parent] of stats) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

/** Returns the processor seconds of a process and its descendants, including descendants that have ended. */
export async function readCpuTime(root: number): Promise<number> {
  const stats = await Promise.all((await processTreeOf([root])).map(statOf));
  return stats.reduce((sum, stat) => sum + (stat?.time_ms ?? 0), 0) / 1_000;
}

/** Returns the processor seconds of a process, without other processes. */
export async function readOwnCpuTime(pid: number): Promise<number> {
  return ((await statOf(pid))?.own_ms ?? 0) / 1_000;
}

/** Returns the total resident memory of the given processes. */
export async function readMemory(pids: readonly number[]): Promise<Memory> {
  const total = { rss: 0, pss: 0 };
  for (const pid of pids) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    total.rss += Number(/^Rss:\s+(\d+)/mu.exec(rollup)?.[1] ?? 0) * 1024;
    total.pss += Number(/^Pss:\s+(\d+)/mu.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return total;
}

/** Returns the command line with its arguments separated by spaces. It is empty if the process has ended. */
export async function readCommandLine(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}

/** Returns the number of files, including connections, that one process may have open. */
export async function readOpenFilesLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const [, soft] = /^Max open files\s+(\d+|unlimited)/mu.exec(limits) ?? [];
  return soft === undefined || soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}
