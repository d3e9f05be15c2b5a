import { chmod, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { createFileBlobStore } from '@alpenglow/infra';
import { afterAll, expect, test } from 'vitest';
import { describeBlobStore } from './blob-store.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-blobs-'));
afterAll(() => rm(folder, { recursive: true }));

let rootCount = 0;
const createRootPath = () => path.join(folder, String((rootCount += 1)));

describeBlobStore('a folder', () => createFileBlobStore({ root: createRootPath() }));

test('removes a half-written file of a killed process at the first start an hour later', async () => {
  const root = createRootPath();
  await createFileBlobStore({ root });
  const now_s = Date.now() / 1000;
  for (const [name, age_s] of [
    ['old', 3_700],
    ['young', 3_500],
  ] as const) {
    const file = path.join(root, '~incoming', name);
    await writeFile(file, 'half a pho');
    await utimes(file, now_s - age_s, now_s - age_s);
  }
  await createFileBlobStore({ root });
  expect(await readdir(path.join(root, '~incoming'))).toEqual(['young']);
});

test.skipIf(process.platform === 'win32')('is closed to other users of the machine, also if it was open', async () => {
  const root = createRootPath();
  const modeOfRoot = async () => ((await stat(root)).mode & 0o777).toString(8);
  await createFileBlobStore({ root });
  expect(await modeOfRoot()).toBe('700');
  await chmod(root, 0o755);
  await createFileBlobStore({ root });
  expect(await modeOfRoot()).toBe('700');
});

test('does not touch a file that another open store is writing', async () => {
  const root = createRootPath();
  const stream = new PassThrough();
  const writing = (await createFileBlobStore({ root })).put('originals/a', stream);
  stream.write('half, ');
  await expect.poll(() => readdir(path.join(root, '~incoming'))).toHaveLength(1);
  const other = await createFileBlobStore({ root });
  stream.end('and the rest');
  await writing;
  expect(await other.getInfo('originals/a')).toMatchObject({ sizeBytes: 18 });
});

test('shares writes and removals between two stores on one folder', async () => {
  const root = createRootPath();
  const [first, second] = [await createFileBlobStore({ root }), await createFileBlobStore({ root })];
  await first.put('photos/a/1', Buffer.from('1'));
  expect(await second.getInfo('photos/a/1')).toMatchObject({ sizeBytes: 1 });
  await second.remove('photos/a/');
  expect(await first.getInfo('photos/a/1')).toBeNull();
});

test('reads blobs that an earlier store instance wrote', async () => {
  const root = createRootPath();
  await (await createFileBlobStore({ root })).put('photos/a/1', Buffer.from('1'));
  expect(await (await createFileBlobStore({ root })).getInfo('photos/a/1')).toMatchObject({ sizeBytes: 1 });
});

test('leaves no temporary file after a rejected write', async () => {
  const root = createRootPath();
  const store = await createFileBlobStore({ root });
  await expect(store.put('a', Buffer.from('too long'), { maxBytes: 3 })).rejects.toThrow();
  expect(await readdir(path.join(root, '~incoming'))).toEqual([]);
});
