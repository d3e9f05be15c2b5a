import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { whenReplaced } from '../server/when-replaced.ts';

let dir: string;
let file: string;
/** The number of reads, and what each of them waits for. */
let reads: number;
let wait: () => Promise<void>;
let read: () => Promise<{ readonly text: string }>;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'when-replaced-'));
  file = path.join(dir, 'file');
  reads = 0;
  wait = () => Promise.resolve();
  read = whenReplaced(file, async () => {
    reads += 1;
    const text = await readFile(file, 'utf8');
    await wait();
    return { text };
  });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Replaces the file in one step, as a deployment does. */
async function replace(text: string): Promise<void> {
  await writeFile(`${file}.tmp`, text);
  await rename(`${file}.tmp`, file);
}

it('simultaneous calls share one read, and the file is read again only after it was replaced', async () => {
  await replace('one');
  const values = await Promise.all([read(), read(), read()]);
  expect(new Set(values)).toEqual(new Set([values[0]]));
  expect(await read()).toBe(values[0]);
  expect(reads).toBe(1);
  await replace('two');
  expect(await read()).toEqual({ text: 'two' });
  expect(reads).toBe(2);
});

it('after a failed read, the next call reads again', async () => {
  await expect(read()).rejects.toThrow('ENOENT');
  await replace('one');
  wait = () => Promise.reject(new Error('a failed read'));
  await expect(Promise.all([read(), read()])).rejects.toThrow('a failed read');
  wait = () => Promise.resolve();
  expect(await read()).toEqual({ text: 'one' });
});

it('a slow read of an earlier file does not bring its value back', async () => {
  await replace('one');
  let endSlowRead: () => void = () => undefined;
  const slowRead = new Promise<void>((resolve) => (endSlowRead = resolve));
  wait = () => slowRead;
  const first = read();
  await expect.poll(() => reads).toBe(1);
  wait = () => Promise.resolve();
  await replace('two');
  const second = await read();
  expect(second).toEqual({ text: 'two' });
  endSlowRead();
  expect(await first).toBe(second);
  expect(await read()).toBe(second);
});
