// @ts-check
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isRunning } from './process-identity.mjs';
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
 * Whether node_modules is what package-lock.json says, by the record npm writes at the end of an install (and only
 * then: an install that was cut short leaves none). Optional packages of other platforms may be missing.
 * @param {string} root
 */
async function areInstalled(root) {
  const wanted = await readPackages(path.join(root, 'package-lock.json'));
  const installed = await readPackages(path.join(root, 'node_modules/.package-lock.json'));
  if (wanted === null || installed === null) return false;
  return Object.entries(wanted)
    .filter(([location, entry]) => location.includes('node_modules/') && !entry.link)
    .every(([location, entry]) => {
      const there = installed[location];
      return there === undefined
        ? entry.optional === true || entry.devOptional === true
        : there.version === entry.version;
    });
}

/**
 * Ends the `npm ci` that a killed launcher left running: two at once would trip over each other.
 * @param {string} note   where its launcher wrote it down
 */
async function endLeftOver(note) {
  /** @type {import('./process-identity.mjs').ProcessIdentity | null} */
  const left = await readFile(note, 'utf8').then(JSON.parse, () => null);
  if (left === null) return;
  if (isRunning(left)) process.kill(left.pid, 'SIGKILL');
  while (isRunning(left)) await pause(20);
}

/**
 * Installs exactly what package-lock.json names, if it is not there.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
export async function installWhenStale(root, step, signal) {
  const note = path.join(root, '.build/installing.json');
  await endLeftOver(note);
  if (await areInstalled(root)) return;
  step('Installing packages');
  const npmCli = process.env['npm_execpath'];
  const [program, ...before] = npmCli?.endsWith('.js') ? [process.execPath, npmCli] : ['npm'];
  // The builders are development dependencies: they must come even where NODE_ENV says production.
  const args = [...before, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const onStart = (/** @type {number} */ pid) => writeFileSync(note, JSON.stringify(identify(pid)));
  await runQuietly(program ?? 'npm', args, { cwd: root, title: '"npm ci"', signal, onStart });
  await rm(note, { force: true });
}
