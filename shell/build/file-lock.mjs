// @ts-check
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_ms = 50;
const WAIT_MAX_ms = 30_000;
/**
 * The holder of a lock sets its time this often, because a waiting process on another host cannot check whether the
 * holder runs.
 */
const RENEWED_EVERY_ms = 2_000;
/** A lock counts as abandoned if a waiting process sees no new time for so long. The clocks of hosts may differ. */
const UNCHANGED_MAX_ms = 20_000;
/** A lock of this age counts as abandoned at once. */
const ABANDONED_AFTER_ms = 10 * 60_000;

/**
 * Checks whether a process of this host runs.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Creates a function that checks whether the holder of a lock has ended. Several hosts may share the folder, but
 * process ids are valid on one host only. After a restart of a container, a process may have the id of an earlier one.
 * If the process cannot be checked, its lock counts as abandoned when the time of the file does not change.
 * @param {string} file
 * @param {number} unchangedMax_ms
 */
function createHolderCheck(file, unchangedMax_ms) {
  let observed = { version: '', since_ms: 0 };
  return async (/** @type {number} */ pid, /** @type {string} */ host) => {
    if (host === hostname() && pid !== process.pid) return !isAlive(pid);
    const found = await stat(file).catch(() => null);
    if (!found) return false;
    const version = `${found.ino}:${found.mtimeMs}`;
    if (version !== observed.version) observed = { version, since_ms: performance.now() };
    return performance.now() - observed.since_ms > unchangedMax_ms || Date.now() - found.mtimeMs > ABANDONED_AFTER_ms;
  };
}

/**
 * Runs `work` while holding the lock file. Waits while another process holds the lock. Replaces an abandoned lock.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {{ renewedEvery_ms?: number, unchangedMax_ms?: number }} [times]  for tests
 * @returns {Promise<T>}
 * @throws {Error} if another live process holds the lock for longer than 30 s
 */
export async function withFileLock(file, work, times = {}) {
  const { renewedEvery_ms = RENEWED_EVERY_ms, unchangedMax_ms = UNCHANGED_MAX_ms } = times;
  const deadline_ms = Date.now() + WAIT_MAX_ms;
  const hasEnded = createHolderCheck(file, unchangedMax_ms);
  const own = `${process.pid} ${hostname()} ${randomUUID()}`;
  for (;;) {
    try {
      await writeFile(file, own, { flag: 'wx' });
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    const [pid = '', host = hostname()] = (await readFile(file, 'utf8').catch(() => '')).split(' ');
    const holder = Number(pid);
    // An empty lock file is new. The process that created it has not written its process id yet.
    if (holder > 0 && (await hasEnded(holder, host))) await rm(file, { force: true });
    else if (Date.now() > deadline_ms)
      throw new Error(
        `Process ${holder || 'unknown'} of ${host} holds ${file}; remove the file if that process is gone`,
      );
    else await sleep(POLL_ms);
  }
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, renewedEvery_ms);
  renewal.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // If this process was suspended for long, the lock may belong to another one.
    if ((await readFile(file, 'utf8').catch(() => '')) === own) await rm(file, { force: true });
  }
}
