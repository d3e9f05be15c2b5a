import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { MAX_WAIT_ms } from './support/max-wait.ts';
import { isFullRun } from './support/sample.ts';
import { workerCount } from './support/worker-count.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Time limit of a test or hook that hangs. It is much longer than the longest test, even on a busy machine. */
const HANGS_ms = 20 * 60_000;
/** Pattern of slow test files. `npm run test:all` runs them. `npm test` runs them only if their paths are arguments. */
const LONG = '**/*.long.test.{ts,tsx}';
const excludesLongTests = !isFullRun && process.env['TEST_NAMED_FILES'] !== 'yes';
const WORKERS = workerCount();

interface Suite {
  readonly include: readonly string[];
  /** Suites with the same number run in parallel, and lower numbers run first. */
  readonly order?: number;
  readonly workers?: number;
  /** Set-up files of this suite, in addition to the set-up files of all suites. */
  readonly setupFiles?: readonly string[];
}

const suites: Readonly<Record<string, Suite>> = {
  architecture: { include: ['tests/architecture/**/*.test.ts'] },
  unit: {
    include: [
      '{domain,infra,launcher,command-api,query-api,projectors,workers,ui,shell,mf-*}/{src,server,test}/**/*.test.{ts,tsx}',
      'tests/{support,prove}/**/*.test.ts',
    ],
  },
  kill: { include: ['tests/kill/**/*.test.ts'] },
  launcher: { include: ['tests/launcher/**/*.test.ts'] },
  fuzz: { include: ['tests/fuzz/**/*.test.ts'] },
  browser: { include: ['tests/browser/**/*.test.ts'], setupFiles: ['tests/support/browser-setup.ts'] },
  integration: { include: ['tests/{contract,integration,golden,security}/**/*.test.ts'] },
  // These suites are run by `npm run test:engines`. The adapter suites may run in parallel, because load on the shared
  // backing services does not affect their results.
  adapters: { include: ['tests/engines/*.*.test.ts', 'tests/engines/postgres.test.ts'], order: 1, workers: 2 },
  engines: { include: ['tests/engines/{cluster,outages}.test.ts'], order: 2, workers: 1 },
  failures: { include: ['tests/engines/failures.test.ts'], order: 3, workers: 1 },
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

/** Runs the files of one suite after another, so that a worker can reuse imported modules. Large files run first. */
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
    // A worker runs all its files in one process, because importing the product takes longer than most files.
    isolate: false,
    // Each suite has its own module graph. With this cache, a module is transformed once for all suites.
    experimental: { fsModuleCache: true, fsModuleCachePath: path.join(root, '.build/test-modules') },
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/silent-console.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: HANGS_ms,
    hookTimeout: HANGS_ms,
    expect: { poll: { timeout: MAX_WAIT_ms } },
    sequence: { sequencer: BySuite },
    // `test.only` and an empty selection of tests are errors, so no test is skipped by mistake.
    allowOnly: false,
    passWithNoTests: false,
    exclude: ['**/node_modules/**', '**/dist/**', '.build/**', ...(excludesLongTests ? [LONG] : [])],
    projects: Object.entries(suites).map(project),
  },
});
