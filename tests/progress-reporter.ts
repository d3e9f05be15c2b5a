import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  DefaultReporter,
  type TestModule,
  type TestRunEndReason,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import type { FileResult, RunResults } from './run-results.mjs';

/** How often a run that finishes no file says what it is waiting for, in milliseconds. */
const QUIET_ms = 30_000;
/** The remaining time is not estimated before this share of the work is done. */
const ESTIMATE_FROM = 0.03;

/**
 * Prints a line for each test file that ends, with the part of the run that is done and the time that remains, and the failed tests of that
 * file. Writes the result of every file to `TEST_RESULTS` (a path), for the summary of `npm test`. `TEST_EARLIER_RESULTS` names those of an earlier run, from which
 * it estimates.
 */
export default class ProgressReporter extends DefaultReporter {
  readonly #resultsFile = process.env['TEST_RESULTS'];
  readonly #earlier = new Map<string, number>();
  readonly #results: FileResult[] = [];
  readonly #running = new Map<string, number>();
  #startedAt_ms = 0;
  #files = 0;
  #work = 0;
  #workDone = 0;
  #quiet: NodeJS.Timeout | undefined;

  constructor() {
    super({ summary: false });
  }

  override onInit(vitest: Vitest): void {
    super.onInit(vitest);
    const earlier = readResults(process.env['TEST_EARLIER_RESULTS'] ?? '');
    for (const { file, duration_ms } of earlier?.files ?? []) this.#earlier.set(file, duration_ms);
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#startedAt_ms = Date.now();
    this.#files = specifications.length;
    this.#work = specifications.reduce((sum, { moduleId }) => sum + this.#workOf(moduleId), 0);
    this.#quiet = setInterval(() => this.#printRunning(), QUIET_ms).unref();
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.set(this.relative(module.moduleId), Date.now());
  }

  protected override printTestModule(module: TestModule): void {
    const state = module.state();
    if (state === 'queued' || state === 'pending') return;
    const file = this.relative(module.moduleId);
    const { collectDuration, setupDuration, duration } = module.diagnostic();
    const tests = [...module.children.allTests()];
    const count = (wanted: string) => tests.filter((test) => test.result().state === wanted).length;
    const result: FileResult = {
      file,
      kind: module.project.name,
      duration_ms: Math.round(collectDuration + setupDuration + duration),
      passed: count('passed'),
      failed: count('failed'),
      isBroken: state === 'failed' && count('failed') === 0,
      skipped: tests.filter((test) => test.result().state === 'skipped').map(({ fullName }) => fullName),
    };
    this.#results.push(result);
    this.#running.delete(file);
    this.#workDone += this.#workOf(module.moduleId);
    this.#quiet?.refresh();
    const mark = state === 'failed' ? '✗' : '✓';
    const place = `[${String(this.#results.length).padStart(String(this.#files).length)}/${this.#files}]`;
    this.log(`${place} ${mark} ${file} (${tests.length} tests, ${seconds(result.duration_ms)})${this.#remaining()}`);
    for (const test of tests) if (test.result().state === 'failed') this.log(`    ✗ ${test.fullName}`);
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: Parameters<DefaultReporter['onTestRunEnd']>[1],
    reason: TestRunEndReason,
  ): void {
    clearInterval(this.#quiet);
    super.onTestRunEnd(modules, errors, reason);
    if (this.#resultsFile === undefined) return;
    mkdirSync(path.dirname(this.#resultsFile), { recursive: true });
    writeFileSync(
      this.#resultsFile,
      JSON.stringify({ files: this.#results, errorsOutsideTests: errors.length } satisfies RunResults),
    );
  }

  /** The weight of a file: its time in an earlier run; without one, its size, which is a rough guess of milliseconds. */
  #workOf(moduleId: string): number {
    return this.#earlier.get(this.relative(moduleId)) ?? Math.min(statSync(moduleId).size, 10_000);
  }

  #remaining(): string {
    const done = this.#workDone / this.#work;
    if (done < ESTIMATE_FROM || this.#results.length === this.#files) return '';
    const remaining_ms = ((Date.now() - this.#startedAt_ms) * (1 - done)) / done;
    return `, about ${remaining_ms < 90_000 ? `${Math.ceil(remaining_ms / 10_000) * 10} s` : `${Math.round(remaining_ms / 60_000)} min`} left`;
  }

  #printRunning(): void {
    const running = [...this.#running].map(([file, since_ms]) => `${file} (${seconds(Date.now() - since_ms)})`);
    if (running.length > 0) this.log(`  … running: ${running.join(', ')}`);
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function readResults(file: string): RunResults | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunResults;
  } catch {
    return null;
  }
}
