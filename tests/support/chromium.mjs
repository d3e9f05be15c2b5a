// @ts-check
/** The Chromium of this machine, for tests, benchmarks and screenshots. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { runQuietly } from '../../infra/embedded/launcher/run-quietly.mjs';

const CHROMIUM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * A Chromium that runs (on Ubuntu the file may be a stub that only asks for a snap).
 * @returns {string | undefined} its path
 */
export function findChromium() {
  const candidates = process.env['CHROMIUM_PATH'] ? [process.env['CHROMIUM_PATH']] : CHROMIUM;
  return candidates.find(
    (file) => existsSync(file) && spawnSync(file, ['--version', '--no-sandbox'], { timeout: 60_000 }).status === 0,
  );
}

/**
 * The Chromium of this machine; on Debian and its kin root gets one installed.
 * @param {string} root  the checkout
 * @param {(step: string) => void} step  told about a longer step
 * @returns {Promise<string>}
 * @throws {Error} with what to do where there is none
 */
export async function ensureChromium(root, step) {
  const found = findChromium();
  if (found !== undefined) return found;
  if (process.env['CHROMIUM_PATH'])
    throw new Error(`CHROMIUM_PATH names ${process.env['CHROMIUM_PATH']}, which is no Chromium that runs.`);
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    step('Installing Chromium');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runQuietly('apt-get', ['update'], { cwd: root, env, title: '"apt-get update"' }).catch(() => undefined);
    await runQuietly('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium', 'fonts-liberation'], {
      cwd: root,
      env,
      title: '"apt-get install chromium"',
    });
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    [
      'The browser tests need Chromium, and none was found.',
      '  Debian:  apt-get update && apt-get install chromium    (npm test does this itself when run as root)',
      '  Ubuntu:  snap install chromium',
      '  macOS:   brew install --cask chromium',
      'or name the program of any Chromium or Chrome in CHROMIUM_PATH.',
    ].join('\n'),
  );
}
