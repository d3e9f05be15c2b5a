import path from 'node:path';
import { test, TestRunner } from 'vitest';
import { isTooLate } from './support/time-budget.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Runs test files. A file for which `.ci/run` has no time left is not loaded. It is reported as not run. */
export default class RunnerWithTimeLimit extends TestRunner {
  override importFile(file: string, source: Parameters<TestRunner['importFile']>[1]): unknown {
    const isLong = this.config.name?.startsWith('long') === true;
    if (source === 'setup' || !isTooLate(isLong)) return super.importFile(file, source);
    return test.skip(`${path.relative(root, file)}: no time left, see npm run test:nightly`);
  }
}
