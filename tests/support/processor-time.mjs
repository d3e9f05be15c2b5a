// @ts-check
/**
 * Measures the processor time of a process and everything that it starts. Unlike a duration, it hardly depends on other
 * programs, so runs on one machine can be compared.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The source of the processor time:
 * - `cgroup:<folder>`: all processes that were started in this control group, also those for which no process waited.
 * - `tree:<pid>`: a process, its running descendants, and ended ones for which a parent waited. Other processes, such
 *   as daemons, are missing.
 * - `unknown`: this system reports no processor time of other processes.
 * @typedef {`cgroup:${string}` | `tree:${number}` | 'unknown'} Meter
 */

const PREFIX = 'alpenglow-test-';
/** Unit of times in `/proc/<pid>/stat`. Linux uses it on all architectures on which Node runs. */
const TICK_ms = 10;
const REMOVE_ATTEMPTS = 20;

/**
 * Moves this process into a new control group below its present one. All processes that it starts later belong to the
 * group too. If no group can be created, the times in `/proc` are used.
 * @returns {Meter}
 */
export function startMeter() {
  for (const dir of presentGroups()) {
    const group = path.join(dir, `${PREFIX}${process.pid}`);
    try {
      removeStaleGroups(dir);
      mkdirSync(group);
      writeFileSync(path.join(group, 'cgroup.procs'), String(process.pid));
      if (readGroup(group) !== null) return `cgroup:${group}`;
    } catch {
      // A container or a user without the right to create groups.
    }
    remove(group);
  }
  return readTree(process.pid) === null ? 'unknown' : `tree:${process.pid}`;
}

/** @type {Meter | undefined} */
let workerMeter;

/**
 * Returns the meter of this test worker, which is started at the first call. Times are unknown in runs that are not
 * measured (`TEST_PROCESSOR_TIME`), so that no control group is left behind.
 * @returns {Meter}
 */
export function meterOfWorker() {
  workerMeter ??= process.env['TEST_PROCESSOR_TIME'] === undefined ? 'unknown' : startMeter();
  return workerMeter;
}

/**
 * Returns the processor time that a meter has counted.
 * @param {Meter} meter
 * @returns {number | null} in milliseconds, or null if it is unknown
 */
export function readProcessorTime_ms(meter) {
  const [kind, place = ''] = meter.split(/:(.*)/su);
  return kind === 'cgroup' ? readGroup(place) : kind === 'tree' ? readTree(Number(place)) : null;
}

/**
 * Removes the control group of a meter and the groups below it. Processes that still run move to the group above.
 * @param {Meter} meter
 */
export async function stopMeter(meter) {
  if (!meter.startsWith('cgroup:')) return;
  const group = meter.slice('cgroup:'.length);
  // An ended process remains in its group for a short time.
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt += 1) {
    if (remove(group)) return;
    await pause(50);
  }
}

/** Returns the folders of the control groups of this process that count processor time, first of version 1. */
function presentGroups() {
  return read('/proc/self/cgroup')
    .split('\n')
    .map((line) => /^\d+:(?<controllers>[^:]*):(?<place>.+)$/u.exec(line)?.groups)
    .flatMap((group) => {
      const { controllers = '', place = '' } = group ?? {};
      if (controllers.split(',').includes('cpuacct')) return [path.join('/sys/fs/cgroup', controllers, place)];
      return group !== undefined && controllers === ''
        ? ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].map((mount) => path.join(mount, place))
        : [];
    });
}

/** @param {string} group @returns {number | null} */
function readGroup(group) {
  const nanoseconds = Number(read(path.join(group, 'cpuacct.usage')) || Number.NaN);
  if (Number.isFinite(nanoseconds)) return nanoseconds / 1e6;
  const microseconds = /^usage_usec (?<usage>\d+)$/mu.exec(read(path.join(group, 'cpu.stat')))?.groups?.['usage'];
  return microseconds === undefined ? null : Number(microseconds) / 1e3;
}

/** @param {number} root @returns {number | null} */
function readTree(root) {
  /** @type {Map<number, { pid: number, time_ms: number }[]>} */
  const children = new Map();
  let sum = null;
  for (const pid of foldersOf('/proc').map(Number).filter(Number.isInteger)) {
    const stat = parseStat(read(`/proc/${pid}/stat`));
    if (stat === null) continue;
    if (pid === root) sum = stat.time_ms;
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), { pid, time_ms: stat.time_ms }]);
  }
  if (sum === null) return null;
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { pid, time_ms } of children.get(next) ?? []) {
      sum += time_ms;
      pending.push(pid);
    }
  }
  return sum;
}

/**
 * Parses `/proc/<pid>/stat`. The name of the process may contain spaces and parentheses.
 * @param {string} text
 * @returns {{ parent: number, own_ms: number, time_ms: number } | null} the pid of the parent, the processor time of
 * the process itself, and its sum with that of the children for which it waited
 */
export function parseStat(text) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, waitedUser, waitedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_ms);
  if (user === undefined || system === undefined || waitedUser === undefined || waitedSystem === undefined) return null;
  const own_ms = user + system;
  return { parent: Number(fields[1]), own_ms, time_ms: own_ms + waitedUser + waitedSystem };
}

/** Removes groups of runs that were killed, if none of their processes runs any more. @param {string} dir */
function removeStaleGroups(dir) {
  for (const name of foldersOf(dir))
    if (
      name.startsWith(PREFIX) &&
      read(`/proc/${name.slice(PREFIX.length)}/stat`) === '' &&
      isEmpty(path.join(dir, name))
    )
      remove(path.join(dir, name));
}

/** @param {string} group @returns {boolean} true if no process is in the group or below it */
function isEmpty(group) {
  return (
    read(path.join(group, 'cgroup.procs')) === '' && foldersOf(group).every((name) => isEmpty(path.join(group, name)))
  );
}

/**
 * Removes a group and the groups below it, after moving their processes to the group above.
 * @param {string} group
 * @returns {boolean} false if a process prevents it
 */
function remove(group) {
  const below = foldersOf(group);
  if (below.map((name) => remove(path.join(group, name))).includes(false)) return false;
  for (const pid of read(path.join(group, 'cgroup.procs')).split('\n').filter(Boolean)) {
    try {
      writeFileSync(path.join(group, '../cgroup.procs'), pid);
    } catch {
      // The process has ended.
    }
  }
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** @param {string} dir */
function foldersOf(dir) {
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** @param {string} file @returns {string} the empty string if the file cannot be read */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
