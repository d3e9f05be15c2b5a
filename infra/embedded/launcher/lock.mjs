// @ts-check
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isRunning, npmAbove } from './process-identity.mjs';

/**
 * @typedef {import('./process-identity.mjs').ProcessIdentity} ProcessIdentity
 * @typedef {object} Holder
 * @property {ProcessIdentity} self
 * @property {ProcessIdentity | null} npm   the npm it runs under; it ends when that is killed
 * @property {string | null} url            set once it is ready
 */

/** How long a holder whose npm was killed gets to stop by itself. */
const ORPHAN_LIMIT_MS = 12_000;

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

/**
 * @param {string | null} text
 * @returns {Holder | null} null for a file that is not whole
 */
function parse(text) {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

/**
 * Takes the lock, or throws AlreadyRunning. What a killed process left counts as free. A live holder whose npm was
 * killed is waited for: it is on its way out.
 * @param {string} file
 */
export async function acquireLock(file) {
  const self = identify(process.pid);
  if (self === null) throw new Error('This process cannot find itself in the process table.');
  /** @type {Holder} */
  const mine = { self, npm: npmAbove(), url: null };
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
      return heldLock(file, mine);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    let text = read(file);
    if (parse(text) === null) {
      // Somebody may be writing it this moment.
      await pause(200);
      text = read(file);
    }
    const holder = parse(text);
    if (holder !== null && isRunning(holder.self)) {
      if (holder.npm === null || isRunning(holder.npm)) throw new AlreadyRunning(holder);
      await endOrphan(holder.self);
    }
    removeIfStill(file, text);
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
 * Removes a stale lock, unless another process replaced it in the meantime: it is moved aside, looked at, and put back
 * if it is not the one we judged.
 * @param {string} file
 * @param {string | null} stale
 */
function removeIfStill(file, stale) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const moved = read(aside);
  if (moved !== null && moved !== stale && read(file) === null) renameSync(aside, file);
  else rmSync(aside, { force: true });
}

/**
 * @param {string} file
 * @param {Holder} mine
 */
function heldLock(file, mine) {
  return {
    npm: mine.npm,
    /** Tells those who find the lock where the product is. @param {string} url */
    announce(url) {
      writeFileSync(file, JSON.stringify({ ...mine, url }), { mode: 0o600 });
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}
