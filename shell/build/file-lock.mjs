// @ts-check
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_ms = 50;
const WAIT_MAX_ms = 30_000;
/**
 * The age from which a lock of another host counts as abandoned. It is much longer than any locked operation, because a
 * process on another host cannot be checked.
 */
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
 * Checks whether the process that holds the lock has ended. Several hosts may share the folder, but process ids are
 * valid on one host only. A lock of another host counts as abandoned after `ABANDONED_AFTER_ms`.
 * @param {string} file
 * @param {number} pid
 * @param {string} host
 */
async function isAbandoned(file, pid, host) {
  if (host === hostname() && pid !== process.pid) return !isAlive(pid);
  const modified_ms = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  );
  return Date.now() - modified_ms > ABANDONED_AFTER_ms;
}

/**
 * Runs `work` while holding the lock file. Waits while another process holds the lock. Replaces an abandoned lock.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {Error} if another live process holds the lock for longer than 30 s
 */
export async function withFileLock(file, work) {
  const deadline_ms = Date.now() + WAIT_MAX_ms;
  for (;;) {
    try {
      await writeFile(file, `${process.pid} ${hostname()}`, { flag: 'wx' });
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    const [pid = '', host = hostname()] = (await readFile(file, 'utf8').catch(() => '')).split(' ');
    const holder = Number(pid);
    // An empty lock file is new. The process that created it has not written its process id yet.
    if (holder > 0 && (await isAbandoned(file, holder, host))) await rm(file, { force: true });
    else if (Date.now() > deadline_ms)
      throw new Error(
        `Process ${holder || 'unknown'} of ${host} holds ${file}; remove the file if that process is gone`,
      );
    else await sleep(POLL_ms);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
