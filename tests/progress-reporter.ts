import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  DefaultReporter,
  type TestModule,
  type TestRunEndReason,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import type { FileResult, KindResult, RunResults } from './run-results.mjs';
import { readProcessorTime_ms, type Meter } from './support/processor-time.mjs';

/** If no test file finishes within this time, the names of the running files are printed. */
const QUIET_ms = 30_000;
/** Maximum length of an error message in the list of failures. The complete message is printed before the list. */
const MAX_MESSAGE_chars = 500;
/** Share of the work after which the remaining time is estimated. */
const ESTIMATE_FROM = 0.03;

/**
 * Prints a line for each finished test file with the progress, the estimated remaining time and the failed tests.
 * Writes the results to the path in `TEST_RESULTS` for the summary of `npm test`. `TEST_EARLIER_RESULTS` is the path of
 * earlier results, on which the estimate is based. `TEST_PROCESSOR_TIME` is the source of the processor time. The kinds
 * run one after the other, so the time between their starts is the time of a kind.
 */
export default class ProgressReporter extends DefaultReporter {
  readonly #resultsFile = process.env['TEST_RESULTS'];
  readonly #earlier = new Map<string, number>();
  readonly #results: FileResult[] = [];
  readonly #running = new Map<string, number>();
  readonly #processorTime = (process.env['TEST_PROCESSOR_TIME'] ?? 'unknown') as Meter;
  readonly #kinds: KindResult[] = [];
  #kindStart = { at_ms: 0, processor_ms: null as number | null };
  #startedAt_ms = 0;
  #files = 0;
  #totalWeight = 0;
  #doneWeight = 0;
  #quietTimer: NodeJS.Timeout | undefined;

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
    this.#totalWeight = specifications.reduce((sum, { moduleId }) => sum + this.#weightOf(moduleId), 0);
    this.#quietTimer = setInterval(() => this.#printRunning(), QUIET_ms).unref();
  }

  override onTestModuleQueued(module: TestModule): void {
    super.onTestModuleQueued(module);
    const kind = module.project.name;
    if (this.#kinds.at(-1)?.kind === kind) return;
    this.#endKind();
    this.#kinds.push({ kind, duration_ms: 0, processor_ms: null });
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
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const result: FileResult = {
      file,
      kind: module.project.name,
      duration_ms: Math.round(collectDuration + setupDuration + duration),
      processor_ms: module.meta().processor_ms ?? null,
      volumes: module.meta().volumes ?? [],
      passed: count('passed'),
      failed: count('failed'),
      isBroken: state === 'failed' && count('failed') === 0,
      skipped: tests.flatMap((test) => {
        const outcome = test.result();
        if (outcome.state !== 'skipped') return [];
        return outcome.note === undefined ? test.fullName : `${test.fullName}: ${outcome.note}`;
      }),
      failures: [
        ...module.errors().map(shortMessage),
        ...tests
          .filter((test) => test.result().state === 'failed')
          .map((test) => `${test.fullName}: ${(test.result().errors ?? []).map(shortMessage).join('; ')}`),
      ],
    };
    this.#results.push(result);
    this.#running.delete(file);
    this.#doneWeight += this.#weightOf(module.moduleId);
    this.#quietTimer?.refresh();
    const mark = state === 'failed' ? '✗' : state === 'skipped' ? '–' : '✓';
    const place = `[${String(this.#results.length).padStart(String(this.#files).length)}/${this.#files}]`;
    this.log(
      `${place} ${mark} ${file} (${tests.length} tests, ${seconds(result.duration_ms)})${this.#remainingTime()}`,
    );
    for (const test of tests) if (test.result().state === 'failed') this.log(`    ✗ ${test.fullName}`);
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: Parameters<DefaultReporter['onTestRunEnd']>[1],
    reason: TestRunEndReason,
  ): void {
    clearInterval(this.#quietTimer);
    super.onTestRunEnd(modules, errors, reason);
    this.#endKind();
    if (this.#resultsFile === undefined) return;
    mkdirSync(path.dirname(this.#resultsFile), { recursive: true });
    writeFileSync(
      this.#resultsFile,
      JSON.stringify({
        files: this.#results,
        kinds: this.#kinds,
        errorsOutsideTests: errors.map((error) => this.#describe(error)),
      } satisfies RunResults),
    );
  }

  /** Completes the result of the kind that has run until now. The next kind starts now. */
  #endKind(): void {
    const now = { at_ms: Date.now(), processor_ms: readProcessorTime_ms(this.#processorTime) };
    const { at_ms, processor_ms } = this.#kindStart;
    const last = this.#kinds.pop();
    if (last !== undefined)
      this.#kinds.push({
        ...last,
        duration_ms: now.at_ms - at_ms,
        processor_ms: now.processor_ms === null || processor_ms === null ? null : now.processor_ms - processor_ms,
      });
    this.#kindStart = now;
  }

  /**
   * Returns the weight of a test file for the estimate. It is the duration of the file in an earlier run. For a new
   * file, the size in bytes is used as a rough duration in milliseconds.
   */
  #weightOf(moduleId: string): number {
    return this.#earlier.get(this.relative(moduleId)) ?? Math.min(statSync(moduleId).size, 10_000);
  }

  /** Returns the message of an error that occurred outside the tests, with the test file that ran at that time. */
  #describe(error: { readonly message: string; readonly VITEST_TEST_PATH?: string }): string {
    const file = error.VITEST_TEST_PATH;
    return file === undefined ? shortMessage(error) : `${shortMessage(error)} (while ${this.relative(file)} ran)`;
  }

  #remainingTime(): string {
    const done = this.#doneWeight / this.#totalWeight;
    if (done < ESTIMATE_FROM || this.#results.length === this.#files) return '';
    const remaining_ms = ((Date.now() - this.#startedAt_ms) * (1 - done)) / done;
    const time =
      remaining_ms < 90_000 ? `${Math.ceil(remaining_ms / 10_000) * 10} s` : `${Math.round(remaining_ms / 60_000)} min`;
    return `, about ${time} left`;
  }

  #printRunning(): void {
    const running = [...this.#running].map(([file, since_ms]) => `${file} (${seconds(Date.now() - since_ms)})`);
    if (running.length > 0) this.log(`  … running: ${running.join(', ')}`);
  }
}

const shortMessage = ({ message }: { readonly message: string }) => message.slice(0, MAX_MESSAGE_chars);

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function readResults(file: string): RunResults | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunResults;
  } catch {
    return null;
  }
}
