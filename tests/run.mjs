// @ts-check
/**
 * `npm test`: everything, straight after a clone. Installs what is missing, builds what is stale, then checks the cheap
 * things first. Runs on to the end whatever fails, so that one run tells all; the last line counts.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { prepare } from '../infra/embedded/launcher/prepare.mjs';
import { createProgress } from '../infra/embedded/launcher/progress.mjs';
import { auditDependencies } from './dependency-audit.mjs';
import { ensureChromium } from './support/chromium.mjs';

const root = path.resolve(import.meta.dirname, '..');
process.chdir(root);
const results = path.join(root, '.build/test-results.json');
const progress = createProgress();
/** Everything together takes half an hour on two cores; a test that hangs must not hang whoever waits for the result. */
const CHECK_LIMIT_MS = 60 * 60_000;

/** @param {string} message */
const say = (message) => process.stdout.write(`${message}\n`);

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
  process.env['CHROMIUM_PATH'] = await ensureChromium(root, progress.step);
  progress.done();
} catch (error) {
  progress.failed();
  browserFault = messageOf(error);
  say(browserFault);
}

const audited = await checkDependencies();
/** Each of the two takes one processor and about as long as the other. */
const [linted, ...typed] = await Promise.all([
  check('Lint', 'eslint/bin/eslint.js', ['.']),
  check('Types', 'typescript/bin/tsc', ['-p', '.']),
  check('Types of the scripts', 'typescript/bin/tsc', ['-p', 'tsconfig.scripts.json']),
]);
const checks = [
  ...(audited === null ? [] : [audited]),
  linted,
  ...typed,
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
