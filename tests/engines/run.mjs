// @ts-check
/**
 * Runs `npm run test:engines`. Starts the backing services that this machine supports. Then runs the contract suites of
 * their adapters, the cluster tests, and the failure run, which stops services in random order. The failure run takes
 * five minutes. With `--short`, it takes 90 s, or longer while `.ci/run` has time. `<part of a path> …` selects test
 * files. Prints each test that did not run.
 * The tests of EventStoreDB use the server at `TEST_EVENTSTORE_URL`, or start one if its program is on the `PATH`.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prepareCheckout } from '../../launcher/start/prepare.mjs';
import { createProgress } from '../../launcher/start/progress.mjs';
import { createServerFolder, removeServerFiles } from '../support/server-folder.mjs';
import { FAILURES_UNTIL_ms, hangLimit_ms, startOfRun_ms } from '../support/time-budget.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
// A site that runs at the same time does not change.
process.env['MF_DIR'] ??= path.join(root, '.build/test-mf');
const FAILURE_s = { least: 90, most: 300 };
const PROJECTS = ['adapters', 'engines', 'failures'];
const LIMIT_MS = hangLimit_ms(30 * 60_000);
const isShort = process.argv.includes('--short');
const parts = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const results = path.join(root, '.build/engine-test-results.json');
const progress = createProgress();
const printLine = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

// All temporary files of the run are in this folder, which is also removed if this process is killed.
const dir = await createServerFolder('engines');
process.env['TMPDIR'] = dir;
/** @type {import('../../launcher/engines/all.mjs').BackingServices} */
let backingServices;
try {
  await prepareCheckout(root, progress.step);
  // This module is imported late, because `prepareCheckout` may have just installed the packages that it needs.
  const { startBackingServices } = await import('../../launcher/engines/all.mjs');
  backingServices = await startBackingServices({ dir, onStep: progress.step });
  progress.done();
} catch (error) {
  progress.failed();
  printLine(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed`);
  await removeServerFiles(dir);
  process.exit(1);
}

/** Returns the duration of a short failure run, which uses the time that `.ci/run` leaves. */
function shortFailure_s() {
  const left_s = (startOfRun_ms(Number.NEGATIVE_INFINITY) + FAILURES_UNTIL_ms - Date.now()) / 1_000;
  return Math.round(Math.min(FAILURE_s.most, Math.max(FAILURE_s.least, left_s)));
}

/** @param {string[]} args @returns {Promise<boolean>} */
function vitest(args) {
  return new Promise((resolve) => {
    // A test that starts the product itself must not use EventStoreDB by mistake, so only its address is passed.
    const { EVENTSTORE_URL, EVENTSTORE_STREAM_PREFIX: _, ...others } = backingServices.env;
    const env = {
      ...process.env,
      ...others,
      ...(EVENTSTORE_URL !== undefined && { STARTED_EVENTSTORE_URL: EVENTSTORE_URL }),
      TEST_SCOPE: 'all',
      FAULT_SECONDS: String(isShort ? shortFailure_s() : FAILURE_s.most),
    };
    const child = spawn(
      process.execPath,
      [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'tests/vitest.config.ts', ...args],
      { stdio: 'inherit', timeout: LIMIT_MS, env },
    );
    child.once('close', (code) => resolve(code === 0));
  });
}

await mkdir(path.dirname(results), { recursive: true });
await rm(results, { force: true });
let succeeded = false;
try {
  succeeded = await vitest([
    ...parts,
    ...PROJECTS.map((name) => `--project=${name}`),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
  ]);
} finally {
  await backingServices.dispose();
  await removeServerFiles(dir);
}
/**
 * @type {{ numPassedTests: number, numFailedTests: number, testResults: { assertionResults: { status: string, fullName:
 * string }[] }[] } | null}
 */
const read = await readFile(results, 'utf8').then(JSON.parse, () => null);
const tests = (read?.testResults ?? []).flatMap((file) => file.assertionResults);
const failedTests = tests.filter(({ status }) => status === 'failed');
const skipped = tests.filter(({ status }) => !['passed', 'failed'].includes(status));
// One line reports that the tests of EventStoreDB did not run, so these tests are not listed separately.
const hasEventStoreDb = backingServices.env['EVENTSTORE_URL'] !== undefined;
const notRun = [
  ...backingServices.missing,
  ...skipped.map(({ fullName }) => fullName).filter((name) => hasEventStoreDb || !/eventstoredb/iu.test(name)),
];
printLine('');
for (const line of notRun) printLine(`not run: ${line}`);
const failed = Math.max(read?.numFailedTests ?? 1, succeeded ? 0 : 1);
printLine(`${read?.numPassedTests ?? 0} passed, ${failed} failed, ${notRun.length} not run`);
if (process.env['TEST_SUMMARY'])
  await writeFile(
    process.env['TEST_SUMMARY'],
    [
      ...notRun.map((line) => `not run: ${line}`),
      ...failedTests.map(({ fullName }) => `✗ ${fullName}`),
      `${read?.numPassedTests ?? 0} passed, ${failed} failed\n`,
    ].join('\n'),
  );
process.exitCode = failed > 0 ? 1 : 0;
