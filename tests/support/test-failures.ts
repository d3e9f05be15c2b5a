import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, aroundEach, beforeAll, type RunnerTask, type RunnerTestSuite } from 'vitest';

/**
 * Saves screenshots and URLs of the open pages, the browser consoles and the server logs when a browser test or hook
 * fails. Each test has its own folder below `TEST_FAILURES_DIR`. Tests need no code for this purpose, because
 * `openVisitor` and `startTestProduct` record everything.
 */

/** Maximum number of stored entries of a log or console. */
const MAX_LINES = 2_000;
const SCREENSHOT_LIMIT_ms = 10_000;
const CLOSE_LIMIT_ms = 30_000;

/** Stores only the last entries of a log. */
export class LogTail {
  readonly #lines: string[] = [];

  /** Adds an entry of one or more lines. A line break at the end is removed. */
  write(text: string): void {
    this.#lines.push(text.trimEnd());
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }
}

interface Screenshot {
  readonly url: string;
  /** Screenshot of the page, or null if the browser could not take it. */
  readonly png: Buffer | null;
}

/** A browser context, its console messages, and its screenshots if the test failed. */
class RecordedContext {
  readonly console = new LogTail();
  #screenshots: readonly Screenshot[] | null = null;
  readonly #context: BrowserContext;
  readonly #close: () => Promise<void>;
  #isOpen = true;

  constructor(context: BrowserContext) {
    this.#context = context;
    this.#close = context.close.bind(context);
    context.on('console', (message) =>
      this.#logMessage(message.page(), `${message.type()}: ${message.text()} ${message.location().url}`),
    );
    context.on('weberror', (error) =>
      this.#logMessage(error.page(), `exception: ${String(error.error().stack ?? error.error())}`),
    );
    context.on('requestfailed', (request) =>
      this.console.write(`request failed: ${request.method()} ${request.url()} ${request.failure()?.errorText ?? ''}`),
    );
    context.on('close', () => (this.#isOpen = false));
  }

  #logMessage(page: Page | null, text: string): void {
    this.console.write(`[${page?.url() ?? ''}] ${text}`);
  }

  /** Takes a screenshot of every open page. Later calls return the first screenshots. */
  async takeScreenshots(): Promise<readonly Screenshot[]> {
    this.#screenshots ??= this.#isOpen ? await Promise.all(this.#context.pages().map(screenshotOf)) : [];
    return this.#screenshots;
  }

  /**
   * Closes the context. On a busy machine, Chromium rarely never reports that a context is closed. After a time limit,
   * the context is therefore left to the end of the browser.
   */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    const isClosed = new AbortController();
    await Promise.race([
      this.#close().finally(() => isClosed.abort()),
      pause(CLOSE_LIMIT_ms, undefined, { signal: isClosed.signal }).catch(() => undefined),
    ]);
  }
}

async function screenshotOf(page: Page): Promise<Screenshot> {
  return { url: page.url(), png: await page.screenshot({ timeout: SCREENSHOT_LIMIT_ms }).catch(() => null) };
}

/** Browser contexts and server logs of one test, or of the hooks of one test file. */
export class FailureRecord {
  readonly contexts: RecordedContext[] = [];
  readonly serverLogs: LogTail[] = [];

  add(context: BrowserContext): RecordedContext {
    const one = new RecordedContext(context);
    this.contexts.push(one);
    return one;
  }

  /** Writes all records to a folder. Does not create the folder if there are no records. */
  async save(folder: string): Promise<void> {
    if (this.contexts.length === 0 && this.serverLogs.length === 0) return;
    await mkdir(folder, { recursive: true });
    const addresses: string[] = [];
    for (const [index, context] of this.contexts.entries()) {
      for (const [number, { url, png }] of (await context.takeScreenshots()).entries()) {
        const name = `context-${index + 1}-page-${number + 1}`;
        addresses.push(`${name}: ${url}${png ? '' : ' (no screenshot could be taken)'}\n`);
        if (png) await writeFile(path.join(folder, `${name}.png`), png);
      }
      await writeFile(path.join(folder, `context-${index + 1}-console.txt`), context.console.toString());
    }
    await writeFile(path.join(folder, 'pages.txt'), addresses.join(''));
    for (const [index, log] of this.serverLogs.entries())
      await writeFile(path.join(folder, `server-${index + 1}.jsonl`), log.toString());
  }

  async takeScreenshots(): Promise<void> {
    await Promise.all(this.contexts.map((context) => context.takeScreenshots()));
  }

  async close(): Promise<void> {
    await Promise.all(this.contexts.map((context) => context.close()));
  }
}

interface RunningTest extends FailureRecord {
  readonly isConcurrent: boolean;
}
const runningTest = new AsyncLocalStorage<RunningTest>();

/** A test file and the records of its hooks. */
interface FileRecord {
  readonly record: FailureRecord;
  readonly file: Readonly<RunnerTestSuite>;
}
/** The running test file, or null if its failures are not recorded. */
let currentFile: FileRecord | null = null;
const recorded = new WeakMap<BrowserContext, RecordedContext>();

/**
 * Records a browser context for the test or hook that opens it. If the test closes the context, it stays open until the
 * test ends, so that a screenshot can be taken if the test fails. Concurrent tests must call `takeScreenshots` before
 * they close a context, because their contexts are really closed.
 */
export function recordContext(context: BrowserContext): void {
  const test = runningTest.getStore();
  const record = test ?? currentFile?.record;
  if (!record) return;
  recorded.set(context, record.add(context));
  if (test?.isConcurrent === false) context.close = () => Promise.resolve();
}

/** Takes screenshots of a context before it is closed. */
export async function takeScreenshots(context: BrowserContext): Promise<void> {
  await recorded.get(context)?.takeScreenshots();
}

/** Records the log of a server that is being started. Returns null if failures of the current file are not recorded. */
export function recordServerLog(log = new LogTail()): LogTail | null {
  const record = runningTest.getStore() ?? currentFile?.record;
  if (!record) return null;
  record.serverLogs.push(log);
  return log;
}

/** Parts of a Vitest test that form the name of its folder. */
interface NamedTest {
  readonly fullTestName: string;
  readonly file: { readonly name: string };
}

/** Returns the folder for the records of a failed test. */
export function failureFolder(
  { fullTestName, file }: NamedTest,
  runFolder = process.env['TEST_FAILURES_DIR'] ?? '.build/test-failures',
): string {
  const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/gu, '');
  const name = `${plain(path.basename(file.name).replace(/\.test\.tsx?$/u, ''))}-${plain(fullTestName)}`;
  return path.join(runFolder, name.slice(0, 120));
}

/** Checks whether a hook such as `beforeAll` failed in a suite or in one of its inner suites. */
function hasFailedHook(task: Readonly<RunnerTask>): boolean {
  if (task.type !== 'suite') return false;
  return (task.result?.errors?.length ?? 0) > 0 || task.tasks.some(hasFailedHook);
}

/**
 * Closes the browser contexts that the hooks of a file have opened. Test files call this function in `afterAll` before
 * they stop their servers, because open pages log errors without a server.
 */
export async function closeVisitors(): Promise<void> {
  if (currentFile === null) return;
  const { record, file } = currentFile;
  if (hasFailedHook(file)) await record.takeScreenshots();
  await record.close();
}

/**
 * Registers hooks that save the records of failed tests and close the browser contexts. The set-up file of the browser
 * tests calls this function.
 */
export function registerFailureHooks(): void {
  const record = new FailureRecord();
  // The set-up file registers its hooks before the test file. Its `beforeAll` hook therefore runs first, and its
  // `afterAll` hook runs last.
  beforeAll(({}, file) => {
    currentFile = { record, file };
  });
  aroundEach(async (runTest, { task }) => {
    const test: RunningTest = Object.assign(new FailureRecord(), { isConcurrent: task.concurrent === true });
    await runningTest.run(test, runTest);
    if (task.result?.state === 'fail') {
      const all = Object.assign(new FailureRecord(), {
        contexts: [...record.contexts, ...test.contexts],
        serverLogs: [...record.serverLogs, ...test.serverLogs],
      });
      await all.save(failureFolder(task));
    }
    await test.close();
  });
  afterAll(async ({}, file) => {
    await closeVisitors();
    if (hasFailedHook(file)) await record.save(failureFolder({ fullTestName: 'hooks', file: file.file }));
    currentFile = null;
  });
}
