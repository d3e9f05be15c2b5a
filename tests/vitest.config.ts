import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { PATIENCE_ms } from './support/patience.ts';
import { isFullRun } from './support/sample.ts';
import { workerCount } from './support/worker-count.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Ends a test or a hook that hangs. No test depends on it: the longest one takes a fraction of this on a busy machine. */
const HANGS_ms = 20 * 60_000;
/** Checks that take long (large matrices, long runs, files of 100 MB). `npm run test:all` runs them; `npm test` does so where they are named. */
const LONG = '**/*.long.test.{ts,tsx}';
const leavesOutLong = !isFullRun && process.env['TEST_NAMED_FILES'] !== 'yes';
const WORKERS = workerCount();

interface Suite {
  readonly include: readonly string[];
  /** Suites of one order run together. Those that need engines run alone, after each other. */
  readonly order?: number;
  readonly workers?: number;
  /** Set-up files besides those of every suite. */
  readonly setupFiles?: readonly string[];
}

const suites: Readonly<Record<string, Suite>> = {
  architecture: { include: ['tests/architecture/**/*.test.ts'] },
  unit: {
    include: [
      '{domain,infra,command-api,query-api,projectors,workers,ui,shell,mf-*}/{src,server,test}/**/*.test.{ts,tsx}',
      'tests/support/**/*.test.ts',
    ],
  },
  kill: { include: ['tests/kill/**/*.test.ts'] },
  launcher: { include: ['tests/launcher/**/*.test.ts'] },
  fuzz: { include: ['tests/fuzz/**/*.test.ts'] },
  browser: { include: ['tests/browser/**/*.test.ts'], setupFiles: ['tests/support/browser-setup.ts'] },
  integration: { include: ['tests/{contract,integration,golden}/**/*.test.ts'] },
  // Run by `npm run test:engines`. A suite of one adapter shares nothing with the others but engines, whose load it bears.
  adapters: { include: ['tests/engines/*.*.test.ts', 'tests/engines/postgres.test.ts'], order: 1, workers: 2 },
  engines: { include: ['tests/engines/{cluster,outages}.test.ts'], order: 2, workers: 1 },
  faults: { include: ['tests/engines/faults.test.ts'], order: 3, workers: 1 },
};

const project = ([name, suite]: [string, Suite]): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [...suite.include],
    setupFiles: [...(suite.setupFiles ?? [])],
    sequence: { groupOrder: suite.order ?? 0 },
    maxWorkers: suite.workers ?? WORKERS,
  },
});

const ORDER = Object.keys(suites);

/** Files of one suite follow each other, in the order of the suites, so that a worker keeps what it has imported. Large files come first. */
class BySuite extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
  }
}

export default defineConfig({
  root,
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    pool: 'forks',
    reporters: [path.join(import.meta.dirname, 'progress-reporter.ts')],
    // A worker runs one file after another in one process: importing the product takes longer than most files do.
    isolate: false,
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/silent-console.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: HANGS_ms,
    hookTimeout: HANGS_ms,
    expect: { poll: { timeout: PATIENCE_ms } },
    sequence: { sequencer: BySuite },
    // A test that is skipped or filtered out by mistake must be seen, not pass.
    allowOnly: false,
    passWithNoTests: false,
    exclude: ['**/node_modules/**', '**/dist/**', '.build/**', ...(leavesOutLong ? [LONG] : [])],
    projects: Object.entries(suites).map(project),
  },
});
