// @ts-check
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const GUARD = path.join(import.meta.dirname, 'guard.sh');
/**
 * The process that removes the folders of this process if it is killed. Null before the first folder.
 * @type {import('node:child_process').ChildProcess | null}
 */
let guard = null;

/**
 * Creates a temporary folder for the files of servers. If this process ends without removing it, e.g. because it is
 * killed, another process ends everything that uses the folder, and removes it.
 * @param {string} name   part of the name of the folder
 */
export async function createServerFolder(name) {
  const folder = await mkdtemp(path.join(tmpdir(), `alpenglow-${name}-`));
  // If this process runs as root, Postgres runs as another user. That user must be able to enter the folder.
  await chmod(folder, 0o711);
  guard ??= startGuard();
  guard.stdin?.write(`${folder}\n`);
  return folder;
}

/**
 * Starts the guard. It has its own process group, so that a signal to the group of this process does not end it. It has
 * no variables of this process, because it ends processes whose variables contain the folder.
 */
function startGuard() {
  const child = spawn('/bin/sh', [GUARD], {
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without the guard, the tests work, too.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (child.stdin)).unref();
  return child;
}

/**
 * Removes a file or a folder. This is retried, because processes of a killed server may still write for a short time.
 * @param {string} file
 */
export const removeServerFiles = (file) => rm(file, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
