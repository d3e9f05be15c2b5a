// @ts-check
/** Finds or installs Firefox and WebKitGTK, in which the test `every-browser` runs besides Chromium. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { canInstallPackages, installPackages } from './install-packages.mjs';

const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'];

const FIREFOX_PACKAGES = ['firefox-esr'];
/** The WebDriver server and WebKitGTK, the program that shows a window with a page, and a screen. */
const WEBKIT_PACKAGES = ['webkit2gtk-driver', 'gjs', 'gir1.2-webkit2-4.1', 'xvfb'];

export const FIREFOX_INSTRUCTIONS = `not installed; Debian: apt-get install ${FIREFOX_PACKAGES.join(' ')}`;
export const WEBKIT_INSTRUCTIONS = `not installed; Debian: apt-get install ${WEBKIT_PACKAGES.join(' ')}`;

const runs = (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
  spawnSync(program, args, { timeout: 60_000 }).status === 0;

/**
 * Returns the path of a Firefox that starts. On Ubuntu, the file may be a stub that does not start.
 * @returns {string | undefined} undefined if there is none
 */
export function findFirefox() {
  const candidates = process.env['FIREFOX_PATH'] ? [process.env['FIREFOX_PATH']] : FIREFOX;
  return candidates.find((file) => existsSync(file) && runs(file, '--version'));
}

/** Returns true if everything is installed that a WebKitGTK window on a virtual screen needs. */
export function hasWebKit() {
  return (
    existsSync('/usr/bin/WebKitWebDriver') &&
    existsSync('/usr/bin/Xvfb') &&
    runs('gjs', '-c', "imports.gi.versions.WebKit2 = '4.1'; imports.gi.WebKit2;")
  );
}

/**
 * Installs Firefox on Debian if it is missing and the user is root. On other machines, the test reports that it did not
 * run in this browser.
 * @param {string} root  the checkout
 * @param {(step: string) => void} step  receives the name of a longer step
 * @returns {Promise<void>}
 * @throws {Error} with the end of the output if the installation failed
 */
export async function ensureFirefox(root, step) {
  if (!canInstallPackages || findFirefox() !== undefined) return;
  step('Installing Firefox');
  await installPackages(root, FIREFOX_PACKAGES);
}

/**
 * Installs WebKitGTK in the same way.
 * @param {string} root  the checkout
 * @param {(step: string) => void} step  receives the name of a longer step
 * @returns {Promise<void>}
 * @throws {Error} with the end of the output if the installation failed
 */
export async function ensureWebKit(root, step) {
  if (!canInstallPackages || hasWebKit()) return;
  step('Installing WebKitGTK');
  await installPackages(root, WEBKIT_PACKAGES);
}
