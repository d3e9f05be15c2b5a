import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, aroundEach } from 'vitest';

/**
 * What is kept of a browser test that fails: a picture and the address of every open page, what the consoles said, and the log of the
 * servers. It lies below `TEST_FAILURES_DIR`, in a folder of the test. Tests do nothing for it: `openVisitor` and `startTestProduct` record.
 */

/** Lines kept of one log or console. */
const KEPT_LINES = 2_000;
const SCREENSHOT_LIMIT_ms = 10_000;

/** The last lines of a log. */
export class LogTail {
  readonly #lines: string[] = [];

  /** `text` is one line, or several, with or without a line break at the end. */
  write(text: string): void {
    this.#lines.push(text.trimEnd());
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }

  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }
}

interface Picture {
  readonly url: string;
  /** Null where the page could not be drawn any more. */
  readonly png: Buffer | null;
}

/** A browser context with what its consoles said, and its pictures once they were taken. */
class RecordedContext {
  readonly console = new LogTail();
  #pictures: readonly Picture[] | null = null;
  readonly #context: BrowserContext;
  readonly #close: () => Promise<void>;
  #isOpen = true;

  constructor(context: BrowserContext) {
    this.#context = context;
    this.#close = context.close.bind(context);
    context.on('console', (message) =>
      this.#hear(message.page(), `${message.type()}: ${message.text()} ${message.location().url}`),
    );
    context.on('weberror', (error) =>
      this.#hear(error.page(), `exception: ${String(error.error().stack ?? error.error())}`),
    );
    context.on('requestfailed', (request) =>
      this.console.write(`request failed: ${request.method()} ${request.url()} ${request.failure()?.errorText ?? ''}`),
    );
    context.on('close', () => (this.#isOpen = false));
  }

  #hear(page: Page | null, text: string): void {
    this.console.write(`[${page?.url() ?? ''}] ${text}`);
  }

  /** Takes a picture of every open page, unless it was done before. */
  async takePictures(): Promise<readonly Picture[]> {
    this.#pictures ??= this.#isOpen ? await Promise.all(this.#context.pages().map(pictureOf)) : [];
    return this.#pictures;
  }

  async close(): Promise<void> {
    if (this.#isOpen) await this.#close();
  }
}

async function pictureOf(page: Page): Promise<Picture> {
  return { url: page.url(), png: await page.screenshot({ timeout: SCREENSHOT_LIMIT_ms }).catch(() => null) };
}

/** What was opened by one test, or by the hooks of a file. */
export class FailureRecord {
  readonly contexts: RecordedContext[] = [];
  readonly serverLogs: LogTail[] = [];

  add(context: BrowserContext): RecordedContext {
    const one = new RecordedContext(context);
    this.contexts.push(one);
    return one;
  }

  /** Writes everything into a folder; nothing where there is nothing to write. */
  async save(folder: string): Promise<void> {
    if (this.contexts.length === 0 && this.serverLogs.length === 0) return;
    await mkdir(folder, { recursive: true });
    const addresses: string[] = [];
    for (const [index, context] of this.contexts.entries()) {
      for (const [number, { url, png }] of (await context.takePictures()).entries()) {
        const name = `context-${index + 1}-page-${number + 1}`;
        addresses.push(`${name}: ${url}${png ? '' : ' (no picture could be taken)'}\n`);
        if (png) await writeFile(path.join(folder, `${name}.png`), png);
      }
      await writeFile(path.join(folder, `context-${index + 1}-console.txt`), context.console.toString());
    }
    await writeFile(path.join(folder, 'pages.txt'), addresses.join(''));
    for (const [index, log] of this.serverLogs.entries())
      await writeFile(path.join(folder, `server-${index + 1}.jsonl`), log.toString());
  }

  async close(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
  }
}

interface RunningTest extends FailureRecord {
  readonly isConcurrent: boolean;
}
const runningTest = new AsyncLocalStorage<RunningTest>();
/** What the hooks of the current file have opened; null in a file whose failures are not recorded. */
let ofFile: FailureRecord | null = null;
const recorded = new WeakMap<BrowserContext, RecordedContext>();

/**
 * Records a context for the test that opens it. Closed by a test, it is closed when the test has ended, and a picture could still be taken.
 * Only tests that run beside others close at once, because hooks of theirs run late: `takePictures` comes before that.
 */
export function recordContext(context: BrowserContext): void {
  const test = runningTest.getStore();
  const record = test ?? ofFile;
  if (!record) return;
  recorded.set(context, record.add(context));
  if (test?.isConcurrent === false) context.close = () => Promise.resolve();
}

/** Keeps pictures of a context that is about to be closed. */
export async function takePictures(context: BrowserContext): Promise<void> {
  await recorded.get(context)?.takePictures();
}

/** Where a server that is started now should log to; null where nothing is recorded. */
export function recordServerLog(log = new LogTail()): LogTail | null {
  const record = runningTest.getStore() ?? ofFile;
  record?.serverLogs.push(log);
  return record && log;
}

/** A test with the names of what it is part of. */
interface NamedTest {
  readonly fullTestName: string;
  readonly file: { readonly name: string };
}

/** The folder for what is kept of a test. */
export function failureFolder(
  { fullTestName, file }: NamedTest,
  runFolder = process.env['TEST_FAILURES_DIR'] ?? '.build/test-failures',
): string {
  const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/gu, '');
  const name = `${plain(path.basename(file.name).replace(/\.test\.tsx?$/u, ''))}-${plain(fullTestName)}`;
  return path.join(runFolder, name.slice(0, 120));
}

/** Closes what the hooks of a file have opened: before the servers it speaks to stop. */
export async function closeVisitors(): Promise<void> {
  await ofFile?.close();
}

/** Called by the set-up of every file: saves what its failing tests leave, and closes what its tests and hooks have opened. */
export function recordFailures(): void {
  const record = new FailureRecord();
  ofFile = record;
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
  afterAll(async () => {
    ofFile = null;
    await record.close();
  });
}
