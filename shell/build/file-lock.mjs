import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_ms = 50;
const WAIT_MAX_ms = 30_000;
/** Much longer than any work takes: a holder that cannot be asked after is gone by then. */
const ABANDONED_AFTER_ms = 10 * 60_000;

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * The folder may be shared by machines and containers, where each counts processes for itself: another's is judged by its age.
 * @param {string} file
 * @param {number} pid
 * @param {string} host
 */
async function isAbandoned(file, pid, host) {
  if (host === hostname() && pid !== process.pid) return !isAlive(pid);
  const made_ms = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  );
  return Date.now() - made_ms > ABANDONED_AFTER_ms;
}

/**
 * Runs `work` while holding the lock file; waits for another holder, takes over from a dead one.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {Error} when another live process holds the lock for longer than 30 s
 */
export async function withFileLock(file, work) {
  const deadline_ms = Date.now() + WAIT_MAX_ms;
  for (;;) {
    try {
      await writeFile(file, `${process.pid} ${hostname()}`, { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const [pid = '', host = hostname()] = (await readFile(file, 'utf8').catch(() => '')).split(' ');
    const holder = Number(pid);
    // An empty file is one that is just being written, unless it stays so.
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
