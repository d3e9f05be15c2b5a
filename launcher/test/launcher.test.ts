import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashFiles } from '../../shell/build/hash-files.mjs';
import { acquireLock, AlreadyRunning } from '../start/lock.mjs';
import { identifyProcess, isRunning } from '../start/process-identity.mjs';
import { createProgress } from '../start/progress.mjs';
import { runQuietly } from '../start/run-quietly.mjs';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-launcher-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const identifyThisProcess = () => identifyProcess(process.pid);

describe('the lock', () => {
  const file = () => path.join(folder, 'lock');
  const writeLock = (content: unknown) =>
    writeFile(file(), typeof content === 'string' ? content : JSON.stringify(content));

  test('is not available while its holder runs; the error contains the address of the holder', async () => {
    const lock = await acquireLock(file());
    lock.announce('http://localhost:1');
    await expect(acquireLock(file())).rejects.toThrow(AlreadyRunning);
    await expect(acquireLock(file())).rejects.toThrow(`process ${process.pid}, at http://localhost:1`);
  });
  test('is available again after its release', async () => {
    (await acquireLock(file())).release();
    await expect(acquireLock(file())).resolves.toBeDefined();
  });
  test('of an ended process is available', async () => {
    await writeLock({ self: { pid: 2 ** 22 + 1, started: '1' }, npm: null, url: null });
    await expect(acquireLock(file())).resolves.toBeDefined();
  });
  test('of a process whose id was reused is available', async () => {
    await writeLock({ self: { ...identifyThisProcess(), started: 'earlier' }, npm: null, url: null });
    await expect(acquireLock(file())).resolves.toBeDefined();
  });
  test.each(['', '{"self":', 'null'])('that was written incompletely (%j) is available', async (content) => {
    await writeLock(content);
    await expect(acquireLock(file())).resolves.toBeDefined();
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ self: identifyThisProcess() });
  });
});

test('a process identity does not match another process with the same id', () => {
  const self = identifyThisProcess();
  expect(self !== null && isRunning(self)).toBe(true);
  expect(isRunning({ pid: process.pid, started: 'earlier' })).toBe(false);
  expect(identifyProcess(2 ** 22 + 1)).toBeNull();
});

describe('the hash of sources', () => {
  const hash = (extra: string[] = []) => hashFiles(folder, ['src', 'package-lock.json'], extra);
  beforeEach(async () => {
    await mkdir(path.join(folder, 'src/nested'), { recursive: true });
    await writeFile(path.join(folder, 'src/nested/a.ts'), 'a');
    await writeFile(path.join(folder, 'package-lock.json'), '{}');
  });

  test('does not change with files that are not sources', async () => {
    const before = hash();
    await mkdir(path.join(folder, 'src/node_modules'), { recursive: true });
    await writeFile(path.join(folder, 'src/node_modules/x.js'), 'x');
    await writeFile(path.join(folder, 'README.md'), 'x');
    expect(hash()).toBe(before);
  });
  test.each([
    ['a file changes', () => writeFile(path.join(folder, 'src/nested/a.ts'), 'b')],
    ['a file is added', () => writeFile(path.join(folder, 'src/b.ts'), '')],
    ['a file is removed', () => rm(path.join(folder, 'src/nested/a.ts'))],
    ['the lock file changes', () => writeFile(path.join(folder, 'package-lock.json'), '{ }')],
  ])('changes when %s', async (_what, change) => {
    const before = hash();
    await change();
    expect(hash()).not.toBe(before);
  });
  test('changes with the other inputs of the build', () => {
    expect(hash(['a'])).not.toBe(hash(['b']));
  });
});

test('progress without a terminal has a line for the start and the end of a step; a count is not a new step', () => {
  const written: string[] = [];
  const progress = createProgress({
    isTTY: false,
    write: (text: string) => written.push(text),
  } as unknown as NodeJS.WriteStream);
  progress.step('Building');
  for (let done = 1; done <= 3; done += 1) progress.step(`Seeding ${done}/3`);
  progress.failed();
  expect(written.map((line) => line.replace(/\(.*\)/u, '(t)'))).toEqual([
    '  … Building\n',
    '  ✓ Building (t)\n',
    '  … Seeding\n',
    '  ✗ Seeding 3/3 (t)\n',
  ]);
});

describe('a program that runs quietly', () => {
  const run = (script: string, signal?: AbortSignal) =>
    runQuietly(process.execPath, ['-e', script], { cwd: folder, title: 'It', signal });

  test('has no output if it succeeds', async () => {
    await expect(run('console.log(1)')).resolves.toBeUndefined();
  });
  test('is quoted if it fails', async () => {
    await expect(run('console.log("why"); process.exit(3)')).rejects.toThrow('It failed (exit code 3):\nwhy');
  });
  test('ends when its signal aborts', async () => {
    await expect(run('setInterval(() => {}, 1000)', AbortSignal.timeout(50))).rejects.toThrow();
  });
});
