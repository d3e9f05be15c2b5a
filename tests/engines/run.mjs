// @ts-check
/**
 * `npm run test:engines`: brings up the engines this machine can run, then the contract suites of their adapters, the cluster end to end, and
 * the fault run (`--short`: one of a minute and a half instead of five). What cannot be had counts as not run, in a line each. An EventStoreDB
 * is not started here: `TEST_EVENTSTORE_URL` names an empty one that may be written to.
 */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { prepare } from '../../infra/embedded/launcher/prepare.mjs';
import { createProgress } from '../../infra/embedded/launcher/progress.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const FAULT_SECONDS = { whole: 300, short: 90 };
const PROJECTS = ['adapters', 'engines', 'faults'];
const LIMIT_MS = 30 * 60_000;
const isShort = process.argv.includes('--short');
const results = path.join(root, '.build/engine-test-results.json');
const progress = createProgress();
const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

const dir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-engines-'));
// As root, Postgres runs as another user, who must be able to pass through.
await chmod(dir, 0o711);
/** @type {import('../../infra/engines/all.mjs').Engines} */
let engines;
try {
  await prepare(root, progress.step);
  // Engines are made with packages that may only now be installed.
  const { startEngines } = await import('../../infra/engines/all.mjs');
  engines = await startEngines({ dir, onStep: progress.step });
  progress.done();
} catch (error) {
  progress.failed();
  say(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed`);
  await rm(dir, { recursive: true, force: true });
  process.exit(1);
}

/** @param {string[]} args @returns {Promise<boolean>} */
function vitest(args) {
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      ...engines.env,
      TEST_SCOPE: 'all',
      FAULT_SECONDS: String(isShort ? FAULT_SECONDS.short : FAULT_SECONDS.whole),
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
    ...PROJECTS.map((name) => `--project=${name}`),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
  ]);
} finally {
  await engines.dispose();
  await rm(dir, { recursive: true, force: true });
}
/** @type {{ numPassedTests: number, numFailedTests: number, testResults: { assertionResults: { status: string, fullName: string }[] }[] } | null} */
const read = await readFile(results, 'utf8').then(JSON.parse, () => null);
const skipped = (read?.testResults ?? [])
  .flatMap((file) => file.assertionResults)
  .filter(({ status }) => !['passed', 'failed'].includes(status));
const eventStoreDb =
  process.env['TEST_EVENTSTORE_URL'] === undefined
    ? [
        'EventStoreDB: TEST_EVENTSTORE_URL is not set (its contract suite: npm run test:contract -- --event-store <address>)',
      ]
    : [];
// What EventStoreDB's line says is not said again by each of its tests.
const notRun = [
  ...engines.missing,
  ...eventStoreDb,
  ...skipped
    .map(({ fullName }) => fullName)
    .filter((name) => eventStoreDb.length === 0 || !name.startsWith('EventStoreDB')),
];
say('');
for (const line of notRun) say(`not run: ${line}`);
const failed = Math.max(read?.numFailedTests ?? 1, succeeded ? 0 : 1);
say(`${read?.numPassedTests ?? 0} passed, ${failed} failed, ${notRun.length} not run`);
process.exitCode = failed > 0 ? 1 : 0;
