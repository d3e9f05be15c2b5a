// @ts-check
/** Installs packages of Debian and Ubuntu for tests. */
import { existsSync } from 'node:fs';
import { runQuietly } from '../../launcher/start/run-quietly.mjs';

/** True if this process may install packages: the user is root, and the system is Debian or Ubuntu. */
export const canInstallPackages = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** Seconds that apt-get waits while another process installs packages. */
const LOCK_TIMEOUT_s = 300;

/** @type {Promise<void> | undefined} */
let updated;

/**
 * Installs packages without the packages that they recommend. The first call updates the list of packages.
 * @param {string} root  the checkout
 * @param {readonly string[]} names
 * @returns {Promise<void>}
 * @throws {Error} with the end of the output if a package cannot be installed
 */
export async function installPackages(root, names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (/** @type {string} */ command, /** @type {readonly string[]} */ ...args) =>
    runQuietly('apt-get', ['-o', `DPkg::Lock::Timeout=${LOCK_TIMEOUT_s}`, command, ...args], {
      cwd: root,
      env,
      title: `"apt-get ${[command, ...names].join(' ')}"`,
    });
  // The packages may be available although the list of packages cannot be updated.
  await (updated ??= apt('update').catch(() => undefined));
  await apt('install', '--yes', '--no-install-recommends', ...names);
}
