import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { FailureRecord, failureFolder, LogTail } from '../support/test-failures.ts';

/** Tests the files that are saved when a browser test fails. */
it('saves screenshots, addresses, consoles and server logs of a failed test', async () => {
  const runFolder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-failures-'));
  try {
    const context = await (await sharedBrowser()).newContext();
    const record = new FailureRecord();
    record.add(context);
    const log = new LogTail();
    record.serverLogs.push(log);
    const page = await context.newPage();
    await page.goto('data:text/html,<h1>Something went wrong</h1>');
    const consoleMessage = page.waitForEvent('console');
    await page.evaluate(() => console.warn('it has'));
    await consoleMessage;
    log.write('{"msg":"on the server too"}\n');

    const folder = failureFolder(
      { fullTestName: 'a part > of “it”', file: { name: 'tests/browser/one.long.test.ts' } },
      runFolder,
    );
    await record.save(folder);
    await record.close();

    expect(await readdir(runFolder)).toEqual(['one-long-a-part-of-it']);
    expect((await readdir(folder)).toSorted()).toEqual([
      'context-1-console.txt',
      'context-1-page-1.png',
      'pages.txt',
      'server-1.jsonl',
    ]);
    const text = (name: string) => readFile(path.join(folder, name), 'utf8');
    expect(await text('context-1-console.txt')).toContain('warning: it has');
    expect(await text('pages.txt')).toContain('data:text/html,<h1>Something went wrong</h1>');
    expect(await text('server-1.jsonl')).toBe('{"msg":"on the server too"}\n');
    expect((await readFile(path.join(folder, 'context-1-page-1.png'))).subarray(1, 4).toString()).toBe('PNG');
  } finally {
    await rm(runFolder, { recursive: true });
  }
});

it('stores only the last lines of a log', () => {
  const log = new LogTail();
  for (let line = 1; line <= 2_001; line++) log.write(`${line}\n`);
  const lines = log.toString().trimEnd().split('\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([2_000, '2', '2001']);
});
