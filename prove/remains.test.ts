import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { RecordedEvent } from '@alpenglow/domain';
import { createFileBlobStore, createPool, createSealedBlobs, type DataKeys } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { createMigratedDatabase } from '../tests/support/database.ts';
import { findInEvents, findInSealedBlobs, findLeftovers } from './remains.ts';

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

test('findLeftovers searches names of blobs and rows of jobs', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-remains-'));
  const database = await createMigratedDatabase();
  const pool = createPool({ connectionString: database.connectionString, max: 1, applicationName: 'prove' });
  try {
    await mkdir(path.join(dataDir, 'blobs/photos/media-1'), { recursive: true });
    await writeFile(path.join(dataDir, 'blobs/photos/media-1/320.webp'), '');
    await pool.query(
      `insert into jobs.unfinished (kind, job_id, payload, check_at)
       values ('account-mail', 'job-1', '{"accountId":"account-1"}', now())`,
    );
    expect(await findLeftovers(['media-1', 'account-1', 'account-2'], { pool, dataDir })).toEqual([
      'names of blobs: media-1',
      'jobs.unfinished: account-1',
    ]);
  } finally {
    await pool.end();
    await database.drop();
    await rm(dataDir, { recursive: true });
  }
});
