import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_ms = 50;
const WAIT_MAX_ms = 30_000;

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
      await writeFile(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(file, 'utf8').catch(() => ''));
    // An empty file is one that is just being written, unless it stays so.
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
    else if (Date.now() > deadline_ms) throw new Error(`Process ${holder || 'unknown'} holds ${file}; remove the file if that process is gone`);
    else await sleep(POLL_ms);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
