// @ts-check
/** Finds or installs Chromium for tests, benchmarks and screenshots. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { canInstallPackages, installPackages } from './install-packages.mjs';

const CHROMIUM = [
  // Without the parts for windows, Chromium needs about half the processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Returns the path of a Chromium that starts. On Ubuntu, the file may be a stub that does not start.
 * @returns {string | undefined} undefined if there is none
 */
export function findChromium() {
  const candidates = process.env['CHROMIUM_PATH'] ? [process.env['CHROMIUM_PATH']] : CHROMIUM;
  return candidates.find(
    (file) => existsSync(file) && spawnSync(file, ['--version', '--no-sandbox'], { timeout: 60_000 }).status === 0,
  );
}

/**
 * Returns the path of an installed Chromium. If Chromium is missing and the user is root, installs it on Debian and
 * Ubuntu.
 * @param {string} root  the checkout
 * @param {(step: string) => void} step  receives the name of a longer step
 * @returns {Promise<string>}
 * @throws {Error} with installation instructions if there is none
 */
export async function ensureChromium(root, step) {
  const existing = findChromium();
  if (existing !== undefined) return existing;
  if (process.env['CHROMIUM_PATH'])
    throw new Error(`CHROMIUM_PATH names ${process.env['CHROMIUM_PATH']}, which is not a working Chromium.`);
  if (canInstallPackages) {
    step('Installing Chromium');
    // Not every version of Debian and Ubuntu has the smaller package.
    await installPackages(root, ['chromium-headless-shell', 'fonts-liberation']).catch(() =>
      installPackages(root, ['chromium', 'fonts-liberation']),
    );
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    [
      'The browser tests need Chromium, and none was found.',
      '  Debian:  apt-get update && apt-get install chromium    (npm test does this itself when run as root)',
      '  Ubuntu:  snap install chromium',
      '  macOS:   brew install --cask chromium',
      'or set CHROMIUM_PATH to the path of Chromium or Chrome.',
    ].join('\n'),
  );
}
