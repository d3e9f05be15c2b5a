import type { JobHandler } from '@alpenglow/domain';
import { createJobQueue, createJobWorkers, createLogger, migrateJobs, openJobBackend } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { jobQueueContract, type JobSystem } from './job-queue.ts';

const log = createLogger('silent');
const ignore = () => Promise.resolve();

async function openSystem({ connectionString }: TestDatabase, drop?: () => Promise<void>): Promise<JobSystem> {
  const backend = await openJobBackend({ connectionString });
  const queue = createJobQueue(backend, { firstRetry_ms: 10 });
  const working: { close(): Promise<void> }[] = [];
  return {
    queue,
    work(handlers) {
      const workers = createJobWorkers(backend, {
        handlers: { 'photo-variants': ignore, 'verification-mail': ignore, ...handlers },
        log,
        lock_ms: 500,
        stalledCheck_ms: 500,
      });
      working.push(workers);
      return workers;
    },
    async close() {
      await Promise.all(working.map((workers) => workers.close()));
      await queue.close();
      await backend.close();
      await drop?.();
    },
  };
}

jobQueueContract('BullMQ on Postgres', async () => {
  const database = await createTestDatabase();
  await migrateJobs(database.connectionString);
  return openSystem(database, () => database.drop());
});

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.connectionString });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test('refuses to start on a schema that is not migrated, where a worker would spin', async () => {
  await expect(openJobBackend(database)).rejects.toThrow(/migrat/iu);
});

test('refuses a backend it does not know', async () => {
  await expect(openJobBackend({ connectionString: 'redis://127.0.0.1' })).rejects.toThrow('No jobs on redis:');
});

test('migrations may run from several processes at once, and again', async () => {
  await Promise.all([migrateJobs(database.connectionString), migrateJobs(database.connectionString)]);
  await migrateJobs(database.connectionString);
});

test('a job whose worker is gone is taken over', async () => {
  const system = await openSystem(database);
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'orphan' });
  await client.query(`update bullmq.job set state = 'active', lock_token = 'gone', locked_until_ms = 0`);
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.work({ 'photo-variants': handle });
  await vi.waitFor(() => expect(handle).toHaveBeenCalledTimes(1), { timeout: 10_000 });
  await system.close();
});

test('what follows a job that failed for good happens once, after its last attempt', async () => {
  const backend = await openJobBackend(database);
  const queue = createJobQueue(backend, { firstRetry_ms: 10 });
  const handle = vi.fn<JobHandler<'photo-variants'>>(({ mediaId }, { attempt }) => (mediaId === 'lucky' && attempt === 3 ? Promise.resolve() : Promise.reject(new Error('disk full'))));
  const follow = vi.fn(() => Promise.reject(new Error('store away')));
  const workers = createJobWorkers(backend, { handlers: { 'photo-variants': handle, 'verification-mail': ignore }, onFailedForGood: { 'photo-variants': follow }, log });
  await queue.enqueue('photo-variants', { mediaId: 'lucky' }, { jobId: 'lucky' });
  await queue.enqueue('photo-variants', { mediaId: 'unlucky' }, { jobId: 'unlucky' });
  await vi.waitFor(() => expect(follow).toHaveBeenCalled(), { timeout: 20_000 });
  expect(handle.mock.calls.filter(([{ mediaId }]) => mediaId === 'unlucky')).toHaveLength(5);
  await vi.waitFor(async () => expect(await queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0, delayed: 0 } }), { timeout: 20_000 });
  expect(follow.mock.calls).toEqual([[{ mediaId: 'unlucky' }]]);
  await workers.close();
  await queue.close();
  await backend.close();
});

test('a job that takes its workers down again and again has failed for good, too', async () => {
  const backend = await openJobBackend(database);
  const queue = createJobQueue(backend);
  await queue.enqueue('photo-variants', { mediaId: 'bomb' }, { jobId: 'bomb' });
  await client.query(`update bullmq.job set state = 'active', lock_token = 'gone', locked_until_ms = 0, stalled_count = 4 where data ->> 'mediaId' = 'bomb'`);
  const follow = vi.fn(ignore);
  const handle = vi.fn(ignore);
  const workers = createJobWorkers(backend, { handlers: { 'photo-variants': handle, 'verification-mail': ignore }, onFailedForGood: { 'photo-variants': follow }, log, lock_ms: 500, stalledCheck_ms: 500 });
  await vi.waitFor(() => expect(follow).toHaveBeenCalledWith({ mediaId: 'bomb' }), { timeout: 20_000 });
  expect(handle).not.toHaveBeenCalled();
  await workers.close();
  await queue.close();
  await backend.close();
});

test('workers hear of new jobs again after their connections were cut', async () => {
  const system = await openSystem(database);
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.work({ 'photo-variants': handle });
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'before' });
  await vi.waitFor(() => expect(handle).toHaveBeenCalledTimes(1));
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'alpenglow%'`);
  await vi.waitFor(() => system.queue.enqueue('photo-variants', { mediaId: 'm2' }, { jobId: 'after' }), { timeout: 10_000 });
  await vi.waitFor(() => expect(handle).toHaveBeenCalledTimes(2), { timeout: 10_000 });
  await system.close();
});

test('an idle pair of workers holds few connections', async () => {
  const system = await openSystem(database);
  system.work({});
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'one' });
  await vi.waitFor(async () => expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } }));
  const { rows } = await client.query(`select pid from pg_stat_activity where datname = current_database() and application_name like 'alpenglow%'`);
  expect(rows.length).toBeLessThanOrEqual(2);
  await system.close();
});

test('jobs carry ids, nothing else', async () => {
  const { rows } = await client.query<{ data: unknown }>('select data from bullmq.job');
  expect(rows.map((row) => row.data)).toContainEqual({ mediaId: 'm1' });
});
