// @ts-check
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runQuietly } from './run-quietly.mjs';

/**
 * @typedef {Record<string, { version?: string, link?: boolean, optional?: boolean, devOptional?: boolean }>} Packages
 * @param {string} file
 * @returns {Promise<Packages | null>}
 */
const readPackages = (file) => readFile(file, 'utf8').then((text) => JSON.parse(text).packages, () => null);

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
      return there === undefined ? entry.optional === true || entry.devOptional === true : there.version === entry.version;
    });
}

/**
 * Installs exactly what package-lock.json names, if it is not there.
 * @param {string} root
 * @param {(step: string) => void} step
 */
export async function installWhenStale(root, step) {
  if (await areInstalled(root)) return;
  step('Installing packages');
  const npmCli = process.env['npm_execpath'];
  const [program, ...before] = npmCli?.endsWith('.js') ? [process.execPath, npmCli] : ['npm'];
  // The builders are development dependencies: they must come even where NODE_ENV says production.
  const args = [...before, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  await runQuietly(program ?? 'npm', args, { cwd: root, title: '"npm ci"' });
}
