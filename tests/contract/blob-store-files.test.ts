import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { createFileBlobStore } from '@alpenglow/infra';
import { afterAll, expect, test } from 'vitest';
import { blobStoreContract } from './blob-store.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-blobs-'));
afterAll(() => rm(folder, { recursive: true }));

let stores = 0;
const freshRoot = () => path.join(folder, String((stores += 1)));

blobStoreContract('a folder', () => createFileBlobStore({ root: freshRoot() }));

test('a half-written file of a killed process is cleared by the first start an hour later', async () => {
  const root = freshRoot();
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

test('a store opened beside another leaves what that one is writing', async () => {
  const root = freshRoot();
  const stream = new PassThrough();
  const putting = (await createFileBlobStore({ root })).put('originals/a', stream);
  stream.write('half, ');
  await expect.poll(() => readdir(path.join(root, '~incoming'))).toHaveLength(1);
  const other = await createFileBlobStore({ root });
  stream.end('and the rest');
  await putting;
  expect(await other.info('originals/a')).toMatchObject({ sizeBytes: 18 });
});

test("stores on one folder see each other's blobs, and removals", async () => {
  const root = freshRoot();
  const [one, other] = [await createFileBlobStore({ root }), await createFileBlobStore({ root })];
  await one.put('photos/a/1', Buffer.from('1'));
  expect(await other.info('photos/a/1')).toMatchObject({ sizeBytes: 1 });
  await other.remove('photos/a/');
  expect(await one.info('photos/a/1')).toBeNull();
});

test('blobs outlive the store that wrote them', async () => {
  const root = freshRoot();
  await (await createFileBlobStore({ root })).put('photos/a/1', Buffer.from('1'));
  expect(await (await createFileBlobStore({ root })).info('photos/a/1')).toMatchObject({ sizeBytes: 1 });
});

test('a refused write leaves no temporary file', async () => {
  const root = freshRoot();
  const store = await createFileBlobStore({ root });
  await expect(store.put('a', Buffer.from('too long'), { maxBytes: 3 })).rejects.toThrow();
  expect(await readdir(path.join(root, '~incoming'))).toEqual([]);
});
