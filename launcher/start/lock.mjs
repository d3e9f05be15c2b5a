// @ts-check
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { identifyProcess, isRunning, findParentNpm } from './process-identity.mjs';

/**
 * @typedef {import('./process-identity.mjs').ProcessIdentity} ProcessIdentity
 * @typedef {object} Holder
 * @property {ProcessIdentity} self
 * @property {ProcessIdentity | null} npm   npm process that started the holder; when it ends, the holder stops
 * @property {string | null} url            URL of the product; null until the product is ready
 */

/**
 * Time limit for a process that holds the lock to stop after its npm process has ended. A process that exceeds the
 * limit is killed.
 */
const ORPHAN_LIMIT_MS = 12_000;

/** An error for a lock that another running process holds. */
export class AlreadyRunning extends Error {
  /** @param {Holder} holder */
  constructor(holder) {
    super(`process ${holder.self.pid}${holder.url === null ? '' : `, at ${holder.url}`}`);
    this.holder = holder;
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** @param {string | null} text @returns {Holder | null} null if the file is incomplete */
function parse(text) {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

/**
 * Acquires the lock. If the process that held the lock has ended, its lock is replaced. If the npm process that started
 * the holder has ended, the holder is stopped first, and its lock is replaced too. Throws `AlreadyRunning` in all other
 * cases in which another process holds the lock.
 * @param {string} file
 */
export async function acquireLock(file) {
  const self = identifyProcess(process.pid);
  if (self === null) throw new Error('This process is not in the process table.');
  /** @type {Holder} */
  const ownHolder = { self, npm: findParentNpm(), url: null };
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(ownHolder), { flag: 'wx', mode: 0o600 });
      return createLock(file, ownHolder);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    let text = read(file);
    if (parse(text) === null) {
      // The file may be incomplete because another process is writing it, so it is read again after a pause.
      await pause(200);
      text = read(file);
    }
    const holder = parse(text);
    if (holder !== null && isRunning(holder.self)) {
      if (holder.npm === null || isRunning(holder.npm)) throw new AlreadyRunning(holder);
      await endOrphan(holder.self);
    }
    removeStaleLock(file, text);
  }
}

/** @param {ProcessIdentity} orphan */
async function endOrphan(orphan) {
  process.kill(orphan.pid, 'SIGTERM');
  const deadline_ms = Date.now() + ORPHAN_LIMIT_MS;
  while (isRunning(orphan)) {
    if (Date.now() > deadline_ms) process.kill(orphan.pid, 'SIGKILL');
    await pause(50);
  }
}

/**
 * Removes the lock file of a process that has ended. First, the file is renamed. Then, its content is compared with
 * `stale`. If the content differs, another process has acquired the lock in the meantime, and the file is renamed back.
 * @param {string} file
 * @param {string | null} stale
 */
function removeStaleLock(file, stale) {
  const renamed = `${file}.${process.pid}`;
  try {
    renameSync(file, renamed);
  } catch {
    return;
  }
  const content = read(renamed);
  if (content !== null && content !== stale && read(file) === null) renameSync(renamed, file);
  else rmSync(renamed, { force: true });
}

/** @param {string} file @param {Holder} holder */
function createLock(file, holder) {
  return {
    npm: holder.npm,
    /** Stores the URL of the product, which later starts print in their error message. @param {string} url */
    announce(url) {
      writeFileSync(file, JSON.stringify({ ...holder, url }), { mode: 0o600 });
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}
