import { setTimeout as pause } from 'node:timers/promises';
import { createPool, createSessions, createUnfinishedJobs, type Pool, type UnfinishedJobs } from '@alpenglow/infra';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';

/** Longer than the silence after which Postgres ends a transaction with locks. */
const LONG_ms = 6_500;

let database: TestDatabase;
let pool: Pool;
let unfinishedJobs: UnfinishedJobs;
beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
  unfinishedJobs = createUnfinishedJobs(pool);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

async function addDueJob(): Promise<void> {
  await unfinishedJobs.add('photo-variants', { mediaId: 'm1' }, { jobId: 'job-1' });
  await pool.query(`update jobs.unfinished set check_at = now() - interval '1 minute'`);
}

test('a process that hangs while it resumes jobs loses their locks', async () => {
  await addDueJob();
  const resumed = unfinishedJobs.resume(() => {
    // Nothing of this process runs meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONG_ms);
    return Promise.resolve(false);
  }, 1);
  await expect(resumed).rejects.toThrow();
  expect(await unfinishedJobs.resume(() => Promise.resolve(true), 1)).toBe(1);
});

test('a slow queue does not end the locks', async () => {
  await addDueJob();
  const resumed = unfinishedJobs.resume(() => pause(LONG_ms, true), 1);
  await pause(LONG_ms - 500);
  expect(await unfinishedJobs.resume(() => Promise.resolve(true), 1)).toBe(0);
  expect(await resumed).toBe(1);
});

test('accounts of one network take turns together', async () => {
  const sessions = createSessions(pool);
  for (const [accountId, networkHash] of [
    ['first', 'network-1'],
    ['second', 'network-1'],
    ['other', 'network-2'],
  ] as const)
    await sessions.open({ accountId, passwordVersion: 0, twoStepVersion: 0, networkHash });
  const turnOf = async (accountId: string, jobId: string) =>
    (await unfinishedJobs.add('photo-variants', { mediaId: jobId }, { jobId, accountId })).turn;
  expect(await turnOf('first', 'job-1')).toBe(0);
  expect(await turnOf('second', 'job-2')).toBe(1);
  expect(await turnOf('first', 'job-3')).toBe(2);
  expect(await turnOf('other', 'job-4')).toBe(0);
  expect(await turnOf('without a session', 'job-5')).toBe(0);
});
