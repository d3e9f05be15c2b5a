// @ts-check
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process, told apart from a later one that got the same number.
 * @typedef {{ pid: number, started: string }} ProcessIdentity
 */

/**
 * Fields of /proc/<pid>/stat after the command name, which may itself hold spaces and parentheses.
 * @param {number} pid
 */
function linuxStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      state,
      parent: Number(parent),
      started: rest[17] ?? '',
      name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    };
  } catch {
    return null;
  }
}

/** @param {number} pid */
function elsewhereStat(pid) {
  try {
    const text = execFileSync('ps', ['-o', 'state=,ppid=,lstart=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    const [state, parent, day, month, date, time, year, ...name] = text.split(/\s+/);
    return {
      state: state ?? '',
      parent: Number(parent),
      started: [day, month, date, time, year].join(' '),
      name: name.join(' '),
    };
  } catch {
    return null;
  }
}

const stat = process.platform === 'linux' ? linuxStat : elsewhereStat;

/**
 * @param {number} pid
 * @returns {ProcessIdentity | null} null when no such process runs (a zombie does not)
 */
export function identify(pid) {
  const found = stat(pid);
  return found === null || found.state?.startsWith('Z') ? null : { pid, started: found.started };
}

/** @param {ProcessIdentity} identity */
export const isRunning = (identity) => identify(identity.pid)?.started === identity.started;

/**
 * The `npm` that runs this process, as its parent or through a shell; null when started without npm.
 * @returns {ProcessIdentity | null}
 */
export function npmAbove() {
  if (process.env['npm_lifecycle_event'] === undefined) return null;
  const parent = stat(process.ppid);
  if (parent === null) return null;
  const isShell = /(^|\/)-?(sh|dash|bash|zsh|ash|busybox)$/.test(parent.name);
  return identify(isShell ? parent.parent : process.ppid);
}
