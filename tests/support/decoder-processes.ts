import { execFileSync } from 'node:child_process';

/** Matches the command line of a decoder, but not that of a program that restricts it. */
const DECODER = /^\S*node\S* --max-old-space-size=\S+ \S*infra\/decoder\/main\.mjs$/u;

/** Returns the ids of the decoders that this process has started. */
export function decoderProcesses(): readonly number[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line))
    .flatMap((match) => (match ? [{ pid: Number(match[1]), parent: Number(match[2]), args: match[3] ?? '' }] : []));
  const isOurs = (pid: number): boolean =>
    pid === process.pid || all.some((entry) => entry.pid === pid && entry.parent !== 0 && isOurs(entry.parent));
  return all.filter(({ pid, args }) => DECODER.test(args) && isOurs(pid)).map(({ pid }) => pid);
}

/**
 * Kills the decoders of this process except for `others`, as the system does when the memory is full. Returns whether
 * there were any.
 */
export function killDecoders(others: readonly number[]): boolean {
  const pids = decoderProcesses().filter((pid) => !others.includes(pid));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // The process has ended in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  return pids.length > 0;
}
