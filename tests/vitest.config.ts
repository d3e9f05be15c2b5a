import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import FileOrder from './file-order.ts';
import { MAX_WAIT_ms } from './support/max-wait.ts';
import { isFullRun } from './support/sample.ts';
import { hangLimit_ms, hasTimeLimit } from './support/time-budget.mjs';
import { workerCount } from './support/worker-count.mjs';

const root = path.resolve(import.meta.dirname, '..');
// Tests deploy front ends into a separate folder, so that a site that runs at the same time does not change.
process.env['MF_DIR'] ??= path.join(root, '.build/test-mf');

/** Time limit of a test or hook that hangs. It is much longer than the longest test, even on a busy machine. */
const HANGS_ms = hangLimit_ms(20 * 60_000);
/** Pattern of slow test files. `npm run test:all` runs them. `npm test` runs them only if their paths are arguments. */
const LONG = '**/*.long.test.{ts,tsx}';
const includesLongTests = isFullRun || process.env['TEST_NAMED_FILES'] === 'yes';
const WORKERS = workerCount();

/**
 * Folders with files that use `sampleOf`. If a run with all tests has a limit of time, these files run twice: first
 * with a part of each matrix, and then, with the long files, with the complete matrices.
 */
const FOLDERS_WITH_MATRICES = ['browser', 'integration', 'security', 'upgrades'];
/**
 * If a run has a limit of time, the second of the two suites of long files, with and without browsers, often has none
 * left. The first one is therefore chosen at random.
 */
const browserFirst = hasTimeLimit() && Math.random() < 0.5;
/** The files that run again, with the complete matrices. */
const MATRICES = isFullRun && hasTimeLimit() ? FOLDERS_WITH_MATRICES.flatMap(filesWithMatrices) : [];
const isInBrowser = (file: string) => file.startsWith('tests/browser/');

/** Returns the test files in a folder that check only a part of their cases in `npm test`. */
function filesWithMatrices(folder: string): readonly string[] {
  return readdirSync(path.join(root, 'tests', folder))
    .map((name) => `tests/${folder}/${name}`)
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts'))
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes("/support/sample.ts'"));
}

interface Suite {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** True if this suite runs the slow test files. All others leave them out. */
  readonly isLong?: boolean;
  readonly hasMatrices?: boolean;
  readonly workers?: number;
  /** Set-up files of this suite, in addition to the set-up files of all suites. */
  readonly setupFiles?: readonly string[];
}

const NO_SOURCES = ['**/node_modules/**', '**/dist/**', '.build/**'];
const BROWSER_SETUP = ['tests/support/browser-setup.ts'];

/**
 * The suites run one after the other in this order, so that the processor time of each can be measured. All of them use
 * the same Postgres server. The long test files, `kill` and `fuzz` run last, because they use the time that the others
 * leave.
 */
const suites: Readonly<Record<string, Suite>> = {
  architecture: { include: ['tests/architecture/**/*.test.ts'] },
  unit: {
    include: [
      '{domain,infra,launcher,command-api,query-api,projectors,workers,ui,shell,mf-*}/{src,server,test}/**/*.test.{ts,tsx}',
      '{tests/support,prove,bench}/**/*.test.ts',
    ],
  },
  launcher: { include: ['tests/launcher/**/*.test.ts'] },
  upgrades: { include: ['tests/upgrades/**/*.test.ts'], hasMatrices: true },
  integration: { include: ['tests/{contract,integration,golden,security}/**/*.test.ts'], hasMatrices: true },
  browser: { include: ['tests/browser/**/*.test.ts'], setupFiles: BROWSER_SETUP, hasMatrices: true },
  long: {
    include: [LONG, ...MATRICES.filter((file) => !isInBrowser(file))],
    exclude: ['tests/browser/**'],
    isLong: true,
  },
  'long-browser': {
    include: ['tests/browser/**/*.long.test.ts', ...MATRICES.filter(isInBrowser)],
    setupFiles: BROWSER_SETUP,
    isLong: true,
  },
  kill: { include: ['tests/kill/**/*.test.ts'] },
  fuzz: { include: ['tests/fuzz/**/*.test.ts'] },
  // These suites are run by `npm run test:engines`. The adapter suites may run in parallel, because load on the shared
  // backing services does not affect their results.
  adapters: { include: ['tests/engines/*.*.test.ts', 'tests/engines/postgres.test.ts'], workers: 3 },
  engines: { include: ['tests/engines/{cluster,outages}.test.ts'], workers: 1 },
  failures: { include: ['tests/engines/{failures,event-store-restore}.test.ts'], workers: 1 },
};

const order = Object.keys(suites);
if (browserFirst) order.splice(order.indexOf('long'), 2, 'long-browser', 'long');

const project = ([name, suite]: [string, Suite]): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [...suite.include],
    exclude: [...NO_SOURCES, ...(suite.isLong ? [] : [LONG]), ...(suite.exclude ?? [])],
    ...(suite.hasMatrices && MATRICES.length > 0 && { env: { TEST_MATRICES: 'sampled' } }),
    setupFiles: [...(suite.setupFiles ?? [])],
    sequence: { groupOrder: order.indexOf(name) },
    maxWorkers: suite.workers ?? WORKERS,
  },
});

export default defineConfig({
  root,
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    pool: 'forks',
    reporters: [path.join(import.meta.dirname, 'progress-reporter.ts')],
    // A worker runs all its files in one process, because importing the product takes longer than most files.
    isolate: false,
    // Each suite has its own module graph. With this cache, a module is transformed once for all suites.
    experimental: { fsModuleCache: true, fsModuleCachePath: path.join(root, '.build/test-modules') },
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/measure-file.ts', 'tests/support/silent-console.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: HANGS_ms,
    hookTimeout: HANGS_ms,
    expect: { poll: { timeout: MAX_WAIT_ms } },
    // `test.only` and an empty selection of tests are errors, so no test is skipped by mistake.
    allowOnly: false,
    passWithNoTests: false,
    sequence: { sequencer: FileOrder },
    runner: path.join(import.meta.dirname, 'runner-with-time-limit.ts'),
    projects: Object.entries(suites)
      .filter(([, { isLong }]) => includesLongTests || !isLong)
      .map(project),
  },
});
