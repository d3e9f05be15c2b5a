// @ts-check
/**
 * `npm test`: everything, straight after a clone. Installs what is missing, builds what is stale, then checks the cheap
 * things first. Runs on to the end whatever fails, so that one run tells all; the last line counts.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { prepare } from '../infra/embedded/launcher/prepare.mjs';
import { createProgress } from '../infra/embedded/launcher/progress.mjs';
import { runQuietly } from '../infra/embedded/launcher/run-quietly.mjs';
import { auditDependencies } from './dependency-audit.mjs';

const root = path.resolve(import.meta.dirname, '..');
process.chdir(root);
const results = path.join(root, '.build/test-results.json');
const progress = createProgress();
/** Everything together takes some minutes; a test that hangs must not hang whoever waits for the result. */
const CHECK_LIMIT_MS = 30 * 60_000;

/** @param {string} message */
const say = (message) => process.stdout.write(`${message}\n`);

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

/** A Chromium that runs (on Ubuntu the file may be a stub that only asks for a snap). */
function findChromium() {
  const candidates = process.env['CHROMIUM_PATH'] ? [process.env['CHROMIUM_PATH']] : CHROMIUM;
  return candidates.find((file) => existsSync(file) && spawnSync(file, ['--version', '--no-sandbox'], { timeout: 60_000 }).status === 0);
}

/**
 * The Chromium of this machine; on Debian and its kin root gets one installed.
 * @returns {Promise<string>}
 */
async function ensureChromium() {
  const found = findChromium();
  if (found !== undefined) return found;
  if (process.env['CHROMIUM_PATH']) throw new Error(`CHROMIUM_PATH names ${process.env['CHROMIUM_PATH']}, which is no Chromium that runs.`);
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    progress.step('Installing Chromium');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runQuietly('apt-get', ['update'], { cwd: root, env, title: '"apt-get update"' }).catch(() => undefined);
    await runQuietly('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium', 'fonts-liberation'], { cwd: root, env, title: '"apt-get install chromium"' });
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

/**
 * Runs a program with its output shown; resolves with whether it succeeded.
 * @param {string} title
 * @param {string} script  below node_modules
 * @param {string[]} args
 * @returns {Promise<boolean>}
 */
function check(title, script, args) {
  say(`\n— ${title}`);
  const started_ms = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...args], { stdio: 'inherit', timeout: CHECK_LIMIT_MS });
    child.once('close', (code) => {
      say(`${code === 0 ? '✓' : '✗'} ${title} (${((Date.now() - started_ms) / 1000).toFixed(1)} s)`);
      resolve(code === 0);
    });
  });
}

/** Known holes in what is shipped: a critical one fails the run. Null where nobody answered. @returns {Promise<boolean | null>} */
async function checkDependencies() {
  say('\n— Known holes in dependencies');
  const { isFine, words } = await auditDependencies(root);
  say(`${isFine === null ? '–' : isFine ? '✓' : '✗'} ${words}`);
  return isFine;
}

/** @typedef {{ numPassedTests: number, numFailedTests: number, testResults: { name: string, status: string, message?: string, assertionResults: { status: string, fullName: string }[] }[] }} VitestResults */

/** What vitest counted; a file that did not even load, or a fault outside a test, counts as a failure. @param {boolean} succeeded */
async function readResults(succeeded) {
  /** @type {VitestResults | null} */
  const read = await readFile(results, 'utf8').then(JSON.parse, () => null);
  if (read === null) return { passed: 0, failed: 1, skipped: [] };
  const broken = read.testResults.filter((file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed')).length;
  const failed = read.numFailedTests + broken;
  const all = read.testResults.flatMap((file) => file.assertionResults);
  const skipped = all.filter(({ status }) => !['passed', 'failed'].includes(status)).map(({ fullName }) => fullName);
  return { passed: read.numPassedTests, failed: !succeeded && failed === 0 ? 1 : failed, skipped };
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** Why the browser tests cannot run, if they cannot; everything else runs nevertheless. @type {string | null} */
let browserFault = null;
try {
  await prepare(root, progress.step);
  progress.done();
} catch (error) {
  progress.failed();
  say(`${messageOf(error)}\n\n0 passed, 1 failed`);
  process.exit(1);
}
try {
  process.env['CHROMIUM_PATH'] = await ensureChromium();
  progress.done();
} catch (error) {
  progress.failed();
  browserFault = messageOf(error);
  say(browserFault);
}

const audited = await checkDependencies();
const checks = [
  ...(audited === null ? [] : [audited]),
  await check('Lint', 'eslint/bin/eslint.js', ['.']),
  await check('Types', 'typescript/bin/tsc', ['-p', '.']),
  await check('Types of the scripts', 'typescript/bin/tsc', ['-p', 'tsconfig.scripts.json']),
  ...(browserFault === null ? [] : [false]),
];

/** Those that want engines are left to `npm run test:engines`. */
const projects = ['unit', 'architecture', 'integration', 'fuzz', 'launcher', ...(browserFault === null ? ['browser'] : []), 'kill'];
await mkdir(path.dirname(results), { recursive: true });
await rm(results, { force: true });
const succeeded = await check('Tests', 'vitest/vitest.mjs', ['run', '--config', 'tests/vitest.config.ts', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`, ...projects.map((name) => `--project=${name}`)]);
const tests = await readResults(succeeded);

const passed = tests.passed + checks.filter(Boolean).length;
const failed = tests.failed + checks.filter((ok) => !ok).length;
say('');
if (browserFault !== null) say(`The browser tests did not run. ${browserFault}`);
for (const name of tests.skipped) say(`not run: ${name}`);
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
