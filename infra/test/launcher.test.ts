import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock, AlreadyRunning } from '../embedded/launcher/lock.mjs';
import { identify, isRunning } from '../embedded/launcher/process-identity.mjs';
import { createProgress } from '../embedded/launcher/progress.mjs';
import { runQuietly } from '../embedded/launcher/run-quietly.mjs';
import { hashSources } from '../embedded/launcher/stamp.mjs';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-launcher-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const here = () => identify(process.pid);

describe('the lock', () => {
  const file = () => path.join(folder, 'lock');
  const leave = (content: unknown) =>
    writeFile(file(), typeof content === 'string' ? content : JSON.stringify(content));

  test('is refused while its holder lives, with where the holder is', async () => {
    const lock = await acquireLock(file());
    lock.announce('http://localhost:1');
    await expect(acquireLock(file())).rejects.toThrow(AlreadyRunning);
    await expect(acquireLock(file())).rejects.toThrow(`process ${process.pid}, at http://localhost:1`);
  });
  test('can be taken again once released', async () => {
    (await acquireLock(file())).release();
    await expect(acquireLock(file())).resolves.toBeDefined();
  });
  test('of a process that is gone is free', async () => {
    await leave({ self: { pid: 2 ** 22 + 1, started: '1' }, npm: null, url: null });
    await expect(acquireLock(file())).resolves.toBeDefined();
  });
  test('of a process whose number went to another one is free', async () => {
    await leave({ self: { ...here(), started: 'earlier' }, npm: null, url: null });
    await expect(acquireLock(file())).resolves.toBeDefined();
  });
  test.each(['', '{"self":', 'null'])('that was cut off while it was written (%j) is free', async (content) => {
    await leave(content);
    await expect(acquireLock(file())).resolves.toBeDefined();
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ self: here() });
  });
});

test('a process is itself, and no other of the same number', () => {
  const self = here();
  expect(self !== null && isRunning(self)).toBe(true);
  expect(isRunning({ pid: process.pid, started: 'earlier' })).toBe(false);
  expect(identify(2 ** 22 + 1)).toBeNull();
});

describe('the hash of sources', () => {
  const hash = (extra: string[] = []) => hashSources(folder, ['src', 'package-lock.json'], extra);
  beforeEach(async () => {
    await mkdir(path.join(folder, 'src/nested'), { recursive: true });
    await writeFile(path.join(folder, 'src/nested/a.ts'), 'a');
    await writeFile(path.join(folder, 'package-lock.json'), '{}');
  });

  test('stays while nothing changes, whatever lies beside the sources', async () => {
    const before = await hash();
    await mkdir(path.join(folder, 'src/node_modules'), { recursive: true });
    await writeFile(path.join(folder, 'src/node_modules/x.js'), 'x');
    await writeFile(path.join(folder, 'README.md'), 'x');
    expect(await hash()).toBe(before);
  });
  test.each([
    ['a file changes', () => writeFile(path.join(folder, 'src/nested/a.ts'), 'b')],
    ['a file comes', () => writeFile(path.join(folder, 'src/b.ts'), '')],
    ['a file goes', () => rm(path.join(folder, 'src/nested/a.ts'))],
    ['the lock file changes', () => writeFile(path.join(folder, 'package-lock.json'), '{ }')],
  ])('changes when %s', async (_what, change) => {
    const before = await hash();
    await change();
    expect(await hash()).not.toBe(before);
  });
  test('changes with what else the build depends on', async () => {
    expect(await hash(['a'])).not.toBe(await hash(['b']));
  });
});

test('progress away from a terminal: a line as a step begins and one as it ends; a count is no new step', () => {
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

  test('says nothing when it succeeds', async () => {
    await expect(run('console.log(1)')).resolves.toBeUndefined();
  });
  test('is quoted when it fails', async () => {
    await expect(run('console.log("why"); process.exit(3)')).rejects.toThrow('It failed (exit code 3):\nwhy');
  });
  test('ends with its signal', async () => {
    await expect(run('setInterval(() => {}, 1000)', AbortSignal.timeout(50))).rejects.toThrow();
  });
});
