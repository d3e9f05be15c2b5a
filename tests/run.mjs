// @ts-check
/**
 * Runs `npm test` and `npm run test:all`. It first installs missing dependencies and rebuilds outdated packages, so it
 * works directly after a clone. All checks run even if one fails. The last line counts passes and failures.
 * - `--all` runs all checks. Without it, long test files are left out and large matrices are checked in part. In
 *   `.ci/run`, long files and complete matrices start only while there is time (`support/time-budget.mjs`).
 * - `--nightly` also repeats fuzz tests and the like without a limit of time.
 * - `--audit` fails if a dependency has a known critical vulnerability. Without it, that is only a warning, because the
 *   result depends on a service and not on the checkout.
 * - `--changed` runs the checks that changed files can affect. `--changed <git ref>` compares with this commit.
 * - `<part of a path> …` runs only the test files whose path contains one of the parts.
 * - Other options, and all arguments after them, belong to Vitest. `-t <name>` runs only the tests with this name.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareCheckout } from '../launcher/start/prepare.mjs';
import { createProgress } from '../launcher/start/progress.mjs';
import { auditDependencies } from './dependency-audit.mjs';
import { readOptions } from './run-options.mjs';
import { countResults, formatFailures, formatTimes, formatVolumes } from './run-results.mjs';
import { ensureChromium } from './support/chromium.mjs';
import { ensureFirefox, ensureWebKit } from './support/other-browsers.mjs';
import { readProcessorTime_ms, startMeter, stopMeter } from './support/processor-time.mjs';
import { createServerFolder, removeServerFiles } from './support/server-folder.mjs';
import { hangLimit_ms, MAXIMUM, startOfRun_ms, VOLUMES_UNTIL_ms } from './support/time-budget.mjs';
import { workersFor } from './support/worker-count.mjs';

const root = path.resolve(import.meta.dirname, '..');
process.chdir(root);
// Tests deploy the front ends into a separate folder, so that a site that runs at the same time does not change.
process.env['MF_DIR'] ??= path.join(root, '.build/test-mf');
const options = readOptions(process.argv.slice(2));
// All temporary files of the run are in this folder, which is also removed if this process is killed.
const temporaryFolder = await createServerFolder('run');
process.env['TMPDIR'] = temporaryFolder;
const isFull = options.all || options.nightly;
const isPart = options.changed || options.parts.length > 0 || options.ofVitest.length > 0;
const resultsFile = path.join(root, '.build', `test-results${isPart ? '-part' : isFull ? '-all' : ''}.json`);
const failuresDir = path.join(root, '.build/test-failures', new Date().toISOString().replaceAll(/[:.]/gu, '-'));
const startedAt_ms = Date.now();
const volumesUntil = options.nightly ? MAXIMUM : String(startOfRun_ms(startedAt_ms) + VOLUMES_UNTIL_ms);
/** Time limit of a check that hangs. It is much longer than all test files together take on a slow machine. */
const RUN_LIMIT_ms = hangLimit_ms(4 * 60 * 60_000, volumesUntil);
/** Time over which the run measures how many cores other programs use. */
const LOAD_SAMPLE_ms = 500;
/** Suites that need no backing service except Postgres. */
const SUITES = ['architecture', 'unit', 'launcher', 'upgrades', 'integration', 'long', 'kill', 'fuzz'];
/** Suites that need Chromium, too. */
const BROWSER_SUITES = ['browser', 'long-browser'];
/** The test file that needs more browsers than Chromium. */
const EVERY_BROWSER = 'tests/browser/every-browser.long.test.ts';

const meter = startMeter();
const progress = createProgress();
/** @type {{ title: string, duration_ms: number, processor_ms: number | null, isFine: boolean }[]} */
const steps = [];

/** @param {string} line */
const print = (line) => process.stdout.write(`${line}\n`);
/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** Starts to measure a step. The returned function returns its time until then. */
function startTimer() {
  const since_ms = Date.now();
  const before_ms = readProcessorTime_ms(meter);
  return () => {
    const after_ms = readProcessorTime_ms(meter);
    return {
      duration_ms: Date.now() - since_ms,
      processor_ms: before_ms === null || after_ms === null ? null : after_ms - before_ms,
    };
  };
}

/**
 * Runs a program and shows its output.
 * @param {string} title
 * @param {string} program
 * @param {string[]} programArgs
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<boolean>} true if the program exited with code 0
 */
function check(title, program, programArgs, env = process.env) {
  const timeOf = startTimer();
  return new Promise((resolve) => {
    const child = spawn(program, programArgs, { stdio: ['ignore', 'inherit', 'inherit'], timeout: RUN_LIMIT_ms, env });
    child.once('error', (error) => print(`${program}: ${error.message}`));
    child.once('close', (code) => {
      const isFine = code === 0;
      const time = timeOf();
      steps.push({ title, ...time, isFine });
      print(`${isFine ? '✓' : '✗'} ${title} (${(time.duration_ms / 1_000).toFixed(1)} s)`);
      resolve(isFine);
    });
  });
}

/** Returns the number of cores that other programs use at present. */
async function busyCores() {
  const read = () =>
    os
      .cpus()
      .map(({ times }) => ({ idle: times.idle, all: Object.values(times).reduce((sum, time) => sum + time, 0) }));
  const before = read();
  await pause(LOAD_SAMPLE_ms);
  return read().reduce(
    (busy, { idle, all }, core) =>
      busy + 1 - (idle - (before[core]?.idle ?? 0)) / Math.max(1, all - (before[core]?.all ?? 0)),
    0,
  );
}

/**
 * Ends a run that cannot check anything.
 * @param {unknown} error
 * @returns {Promise<never>}
 */
async function giveUp(error) {
  progress.failed();
  print(`${messageOf(error)}\n\n0 passed, 1 failed`);
  await stopMeter(meter);
  await removeServerFiles(temporaryFolder);
  process.exit(1);
}

const busy = await busyCores();
const timeOfPreparing = startTimer();
try {
  await prepareCheckout(root, progress.step);
  progress.done();
} catch (error) {
  await giveUp(error);
}

/** Error that prevents the browser tests from running. All other tests run anyway. @type {string | null} */
let browserError = null;
try {
  process.env['CHROMIUM_PATH'] = await ensureChromium(root, progress.step);
  progress.done();
} catch (error) {
  progress.failed();
  browserError = messageOf(error);
  print(browserError);
}
const preparing = { title: 'installing and building', ...timeOfPreparing() };

let filters = options.parts;
const bin = (/** @type {string} */ name) => path.join(root, 'node_modules/.bin', name);
const audit = isPart ? null : auditDependencies(root);
// This module is imported late, because its packages may just have been installed.
const selection = options.changed
  ? await import('./selection/changed.mjs')
      .then(({ selectChanged }) => selectChanged(root, options.parts[0], { isFull }))
      .catch(giveUp)
  : null;
for (const line of selection?.lines ?? []) print(line);
if (selection !== null && !selection.isEverything) {
  const { tests, sources, formatted } = selection;
  filters = tests;
  print('Step 1 of 2: lint and types');
  if (formatted.length > 0)
    await check('Format', bin('biome'), [
      'format',
      '--no-errors-on-unmatched',
      '--files-ignore-unknown=true',
      ...formatted,
    ]);
  if (sources.length > 0) await check('Lint', bin('oxlint'), ['-c', 'oxlint.config.mjs', ...sources]);
  await check('Unused code', bin('knip'), []);
  await check('Types', 'npm', ['run', '--silent', 'typecheck']);
} else if (selection !== null || !isPart) {
  filters = [];
  print('Step 1 of 2: lint and types');
  // One after the other, so that the processor time of each is known. Both use all cores.
  await check('Lint', 'npm', ['run', '--silent', 'lint']);
  await check('Types', 'npm', ['run', '--silent', 'typecheck']);
}

const vitestArgs = [...filters, ...options.ofVitest];
if (vitestArgs.length === 0 ? isFull : vitestArgs.some((part) => EVERY_BROWSER.includes(part)))
  for (const ensure of [ensureFirefox, ensureWebKit])
    await ensure(root, progress.step).then(progress.done, (/** @type {unknown} */ error) => {
      progress.failed();
      print(messageOf(error));
    });

const workers = workersFor({ cores: os.availableParallelism(), busy, free_bytes: os.freemem() });
print(
  `${options.changed || !isPart ? 'Step 2 of 2: test files' : 'Test files'}, ${workers} at a time` +
    `${isFull ? '' : '; npm run test:all runs more of them'}`,
);
const earlierResults = `${resultsFile}.earlier`;
if (existsSync(resultsFile)) await rename(resultsFile, earlierResults);
const suites = [...SUITES, ...(browserError === null ? BROWSER_SUITES : [])];
const hasSucceeded = await check(
  'Test files',
  process.execPath,
  [
    path.join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'tests/vitest.config.ts',
    ...suites.map((name) => `--project=${name}`),
    ...vitestArgs,
  ],
  {
    TEST_WORKERS: String(workers),
    ...process.env,
    TEST_SCOPE: isFull ? 'all' : '',
    TEST_NAMED_FILES: vitestArgs.length > 0 ? 'yes' : '',
    TEST_PROCESSOR_TIME: meter,
    TEST_VOLUMES_UNTIL: volumesUntil,
    TEST_RESULTS: resultsFile,
    TEST_EARLIER_RESULTS: earlierResults,
    TEST_FAILURES_DIR: failuresDir,
  },
);
/** @type {import('./run-results.mjs').RunResults | null} */
const results = await readFile(resultsFile, 'utf8').then(JSON.parse, () => null);
const tests = countResults(results, hasSucceeded);
const checks = steps.filter(({ title }) => title !== 'Test files').map(({ isFine }) => isFine);

if (audit !== null) {
  const { isFine, words } = await audit;
  const mark = isFine === null ? '–' : isFine ? '✓' : options.audit ? '✗' : '⚠';
  print(`${mark} Known vulnerabilities of dependencies: ${words}`);
  if (options.audit && isFine !== null) checks.push(isFine);
}
print('');
const run = {
  steps: [preparing, ...steps.filter(({ title }) => title !== 'Test files')],
  duration_ms: Date.now() - startedAt_ms,
  processor_ms: readProcessorTime_ms(meter),
  isComplete: meter.startsWith('cgroup:'),
};
await stopMeter(meter);
await removeServerFiles(temporaryFolder);
if (isFull) for (const line of formatVolumes(results?.files ?? [])) print(line);
for (const line of formatTimes(results ?? { files: [], kinds: [] }, run)) print(line);
print('');
if (results !== null) await writeFile(resultsFile, JSON.stringify({ ...results, run }));
if (browserError !== null) checks.push(false);
const failed = tests.failed + checks.filter((isFine) => !isFine).length;
const summary = [
  ...(browserError === null ? [] : [`The browser tests did not run. ${browserError}`]),
  // An option of Vitest, such as `-t`, may leave out almost all tests.
  ...(options.ofVitest.length === 0
    ? tests.skipped.map((name) => `not run: ${name}`)
    : [`not run: ${tests.skipped.length} tests`]),
  ...(existsSync(failuresDir)
    ? [`Screenshots, consoles and server logs of failed browser tests: ${path.relative(root, failuresDir)}`]
    : []),
  ...steps.filter(({ title, isFine }) => !isFine && title !== 'Test files').map(({ title }) => `✗ ${title}`),
  ...formatFailures(results),
  `${tests.passed + checks.filter(Boolean).length} passed, ${failed} failed`,
].join('\n');
print(summary);
if (process.env['TEST_SUMMARY']) await writeFile(process.env['TEST_SUMMARY'], `${summary}\n`);
process.exitCode = failed > 0 ? 1 : 0;
