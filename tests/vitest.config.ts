import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const root = path.resolve(import.meta.dirname, '..');

interface Suite {
  include: string[];
  /** Suites run in this order, cheap ones first; suites of one order run together. */
  order: number;
  /** Files at a time; the same for suites of one order. One where a test needs the machine to itself. */
  workers: number;
  testTimeout_ms: number;
}

const suites: Record<string, Suite> = {
  unit: {
    include: ['{domain,infra,command-api,query-api,projectors,workers,ui,shell,mf-*}/{src,server,test}/**/*.test.{ts,tsx}'],
    order: 0,
    workers: 2,
    testTimeout_ms: 20_000,
  },
  architecture: { include: ['tests/architecture/**/*.test.ts'], order: 1, workers: 1, testTimeout_ms: 60_000 },
  integration: {
    include: ['tests/{contract,integration,golden}/**/*.test.ts'],
    order: 2,
    workers: 3,
    testTimeout_ms: 60_000,
  },
  // Each of these starts whole products and waits for them much of the time, so that three at a time take little more than one. The fuzz test asks one from all sides at once.
  fuzz: { include: ['tests/fuzz/**/*.test.ts'], order: 3, workers: 3, testTimeout_ms: 400_000 },
  launcher: { include: ['tests/launcher/**/*.test.ts'], order: 3, workers: 3, testTimeout_ms: 120_000 },
  browser: { include: ['tests/browser/**/*.test.ts'], order: 3, workers: 3, testTimeout_ms: 120_000 },
  kill: { include: ['tests/kill/**/*.test.ts'], order: 3, workers: 3, testTimeout_ms: 900_000 },
  // These want engines and are run by `npm run test:engines`. A suite of one adapter shares nothing with the others but engines, whose load it stands.
  adapters: { include: ['tests/engines/*.*.test.ts', 'tests/engines/postgres.test.ts'], order: 4, workers: 2, testTimeout_ms: 120_000 },
  engines: { include: ['tests/engines/{cluster,outages}.test.ts'], order: 5, workers: 1, testTimeout_ms: 120_000 },
  faults: { include: ['tests/engines/faults.test.ts'], order: 6, workers: 1, testTimeout_ms: 1_200_000 },
};

const project = ([name, suite]: [string, Suite]): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: suite.include,
    sequence: { groupOrder: suite.order },
    maxWorkers: suite.workers,
    testTimeout: suite.testTimeout_ms,
    hookTimeout: suite.testTimeout_ms,
  },
});

export default defineConfig({
  root,
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    pool: 'forks',
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/silent-console.ts'],
    restoreMocks: true,
    // Asking again costs only where something is wrong; a busy machine may take a while.
    expect: { poll: { timeout: 30_000 } },
    // A test that is skipped or filtered out by mistake must be seen, not pass.
    allowOnly: false,
    passWithNoTests: false,
    exclude: ['**/node_modules/**', '**/dist/**', '.build/**'],
    projects: Object.entries(suites).map(project),
  },
});
