// @ts-check
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Identifies a process by its id and its start time. The id alone is not sufficient, because the operating system
 * reuses process ids.
 * @typedef {{ pid: number, started: string }} ProcessIdentity
 */

/**
 * Reads the state, parent, start time and name of a process from /proc/<pid>/stat. The name may contain spaces and
 * parentheses, so the other fields are parsed after the last parenthesis.
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

/** @param {number} pid @returns {ProcessIdentity | null} null if there is no such process, or only a zombie */
export function identifyProcess(pid) {
  const fields = stat(pid);
  return fields === null || fields.state?.startsWith('Z') ? null : { pid, started: fields.started };
}

/** @param {ProcessIdentity} identity */
export const isRunning = (identity) => identifyProcess(identity.pid)?.started === identity.started;

/**
 * Returns the `npm` process that runs this process, directly or through a shell. Null if npm has not started it.
 * @returns {ProcessIdentity | null}
 */
export function findParentNpm() {
  if (process.env['npm_lifecycle_event'] === undefined) return null;
  const parent = stat(process.ppid);
  if (parent === null) return null;
  const isShell = /(^|\/)-?(sh|dash|bash|zsh|ash|busybox)$/.test(parent.name);
  return identifyProcess(isShell ? parent.parent : process.ppid);
}
