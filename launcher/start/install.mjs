// @ts-check
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identifyProcess, isRunning } from './process-identity.mjs';
import { runQuietly } from './run-quietly.mjs';

/**
 * @typedef {Record<string, { version?: string, link?: boolean, optional?: boolean, devOptional?: boolean }>} Packages
 * @param {string} file
 * @returns {Promise<Packages | null>}
 */
const readPackages = (file) =>
  readFile(file, 'utf8').then(
    (text) => JSON.parse(text).packages,
    () => null,
  );

/**
 * Returns true if node_modules matches package-lock.json. The function compares package-lock.json with the record that
 * npm writes after a complete install. Optional packages for other platforms may be missing.
 * @param {string} root
 */
async function areInstalled(root) {
  const expected = await readPackages(path.join(root, 'package-lock.json'));
  const installed = await readPackages(path.join(root, 'node_modules/.package-lock.json'));
  if (expected === null || installed === null) return false;
  return Object.entries(expected)
    .filter(([location, entry]) => location.includes('node_modules/') && !entry.link)
    .every(([location, entry]) => {
      const actual = installed[location];
      return actual === undefined
        ? entry.optional === true || entry.devOptional === true
        : actual.version === entry.version;
    });
}

/**
 * Ends the `npm ci` process that a killed launcher left running, because two parallel installs would conflict.
 * @param {string} note   file in which that launcher stored the identity of the `npm ci` process
 */
async function endAbandonedInstall(note) {
  /** @type {import('./process-identity.mjs').ProcessIdentity | null} */
  const abandoned = await readFile(note, 'utf8').then(JSON.parse, () => null);
  if (abandoned === null) return;
  if (isRunning(abandoned)) process.kill(abandoned.pid, 'SIGKILL');
  while (isRunning(abandoned)) await pause(20);
}

/**
 * Installs exactly the packages of package-lock.json. Does nothing if they are already installed.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
export async function installIfStale(root, step, signal) {
  const note = path.join(root, '.build/installing.json');
  await endAbandonedInstall(note);
  if (await areInstalled(root)) return;
  step('Installing packages');
  const npmCli = process.env['npm_execpath'];
  const [program, ...before] = npmCli?.endsWith('.js') ? [process.execPath, npmCli] : ['npm'];
  // The build needs development dependencies, so they are installed even if NODE_ENV is production.
  const args = [...before, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const onStart = (/** @type {number} */ pid) => writeFileSync(note, JSON.stringify(identifyProcess(pid)));
  await runQuietly(program ?? 'npm', args, { cwd: root, title: '"npm ci"', signal, onStart });
  await rm(note, { force: true });
}
