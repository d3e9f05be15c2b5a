import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { RecordedEvent } from '@alpenglow/domain';
import { createFileBlobStore, createSealedBlobs, type DataKeys } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { findInEvents, findInSealedBlobs } from './remains.ts';

const event = (id: string, data: unknown) => ({ id, type: 'AdPosted', data }) as RecordedEvent;

test('findInEvents names the events that contain a text of an erased person', () => {
  const log = [event('event-1', { title: 'Title a' }), event('event-2', { title: 'Title b' })];
  expect(findInEvents(log, ['Title c'])).toEqual([]);
  expect(findInEvents(log, ['Title b', 'Title c'])).toEqual(['AdPosted event-2: Title b']);
});

test('findInSealedBlobs searches the blobs whose key remains', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-remains-'));
  try {
    const stored = new Map<string, Buffer | null>([['account', Buffer.alloc(32, 1)]]);
    const dataKeys: DataKeys = {
      obtain: async (id) => ({ id, key: stored.get(id) ?? Buffer.alloc(32) }),
      find: async (ids) => new Map(ids.map((id) => [id, stored.get(id) ?? null])),
    };
    const blobs = await createFileBlobStore({ root: folder });
    await createSealedBlobs({ blobs, dataKeys }).put('identity/a/front', 'account', Buffer.from('Name b'));
    await blobs.put('photos/a', Buffer.from('Name b without encryption'));
    expect(await findInSealedBlobs(folder, dataKeys, ['Name b', 'Name c'])).toEqual(['blob identity/a/front: Name b']);
    stored.set('account', null);
    expect(await findInSealedBlobs(folder, dataKeys, ['Name b'])).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
