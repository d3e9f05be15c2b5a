import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFileBlobStore } from '@alpenglow/infra';
import { afterAll, expect, test } from 'vitest';
import { blobStoreContract } from './blob-store.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-blobs-'));
afterAll(() => rm(folder, { recursive: true }));

let stores = 0;
const freshRoot = () => path.join(folder, String((stores += 1)));

blobStoreContract('a folder', () => createFileBlobStore({ root: freshRoot() }));

test('a half-written file of a killed process is cleared at the next start', async () => {
  const root = freshRoot();
  await mkdir(path.join(root, '~incoming'), { recursive: true });
  await writeFile(path.join(root, '~incoming', 'left-over'), 'half a pho');
  await createFileBlobStore({ root });
  expect(await readdir(path.join(root, '~incoming'))).toEqual([]);
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
