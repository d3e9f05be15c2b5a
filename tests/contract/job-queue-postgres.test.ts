import { JobQueueUnavailable, type JobHandler } from '@alpenglow/domain';
import { migrateJobs, openJobBackend } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createJobsDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openJobSystem } from '../support/job-system.ts';
import { openTcpLink } from '../support/tcp-link.ts';
import { describeJobInspector } from './job-inspector.ts';
import { describeJobPostponement } from './job-postponement.ts';
import { describeJobQueue } from './job-queue.ts';
import { describeLostJobs } from './lost-jobs.ts';

async function openFreshSystem() {
  const fresh = await createJobsDatabase();
  return openJobSystem(fresh, () => fresh.drop());
}
describeJobQueue('BullMQ on Postgres', openFreshSystem);
describeJobPostponement('BullMQ on Postgres', openFreshSystem);
describeJobInspector('BullMQ on Postgres', openFreshBackend);
describeLostJobs('BullMQ on Postgres', openFreshBackend);

async function openFreshBackend() {
  const fresh = await createJobsDatabase();
  const backend = await openJobBackend(fresh);
  return {
    backend,
    async close() {
      await backend.close();
      await fresh.drop();
    },
  };
}

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

test('does not start on a database without migrations', async () => {
  await expect(openJobBackend(database)).rejects.toThrow(/migrat/iu);
});

test('rejects an unknown backend', async () => {
  await expect(openJobBackend({ connectionString: 'mysql://127.0.0.1' })).rejects.toThrow(
    'Unsupported protocol for jobs: mysql:',
  );
});

test('runs the migrations from several processes at once, and again', async () => {
  await Promise.all([migrateJobs(database.connectionString), migrateJobs(database.connectionString)]);
  await migrateJobs(database.connectionString);
});

test('runs the job of a lost worker in another worker', async () => {
  const system = await openJobSystem(database);
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'orphan' });
  await client.query(`update bullmq.job set state = 'active', lock_token = 'gone', locked_until_ms = 0`);
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.startWorkers({ 'photo-variants': handle });
  await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
  await system.close();
});

test('marks a job as failed when it crashes its workers repeatedly', async () => {
  const system = await openJobSystem(database);
  await system.queue.enqueue('photo-variants', { mediaId: 'bomb' }, { jobId: 'bomb' });
  await client.query(
    `update bullmq.job set state = 'active', lock_token = 'gone', locked_until_ms = 0, stalled_count = 4
      where data ->> 'mediaId' = 'bomb'`,
  );
  const onFailed = vi.fn(() => Promise.resolve());
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.startWorkers({ 'photo-variants': handle }, { 'photo-variants': onFailed });
  await eventually(() => expect(onFailed).toHaveBeenCalledWith({ mediaId: 'bomb' }));
  expect(handle).not.toHaveBeenCalled();
  await system.close();
});

test('workers receive new jobs after their connections were cut', async () => {
  const system = await openJobSystem(database);
  onTestFinished(() => system.close());
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.startWorkers({ 'photo-variants': handle });
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'before' });
  // If the connections were cut before the end of the first job is stored, the job would run a second time.
  await eventually(async () => {
    expect(handle).toHaveBeenCalledTimes(1);
    expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } });
  });
  await client.query(
    `select pg_terminate_backend(pid)
       from pg_stat_activity
      where datname = current_database() and application_name like 'alpenglow%'`,
  );
  await eventually(() => system.queue.enqueue('photo-variants', { mediaId: 'm2' }, { jobId: 'after' }));
  await eventually(() => expect(handle).toHaveBeenCalledTimes(2));
});

test('reports an outage of Postgres when a job is enqueued, and enqueues it after the outage', async () => {
  const link = await openTcpLink(Number(new URL(database.connectionString).port));
  const throughLink = new URL(database.connectionString);
  throughLink.port = String(link.port);
  const system = await openJobSystem({ connectionString: throughLink.href });
  const enqueue = () => system.queue.enqueue('photo-variants', { mediaId: 'm3' }, { jobId: 'later' });
  link.resetConnections();
  await expect(enqueue()).rejects.toThrow(JobQueueUnavailable);
  link.restore();
  await eventually(enqueue);
  await system.close();
  await link.close();
});

test('uses at most two connections for idle workers', async () => {
  const system = await openJobSystem(database);
  system.startWorkers({});
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'one' });
  await eventually(async () =>
    expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } }),
  );
  // The connections of the previous test may take a moment to close, so this test polls.
  await eventually(async () => {
    const { rows } = await client.query(
      `select pid from pg_stat_activity where datname = current_database() and application_name like 'alpenglow%'`,
    );
    expect(rows.length).toBeLessThanOrEqual(2);
  });
  await system.close();
});

test('stores only ids in a job', async () => {
  const { rows } = await client.query<{ data: unknown }>('select data from bullmq.job');
  expect(rows.map((row) => row.data)).toContainEqual({ mediaId: 'm1' });
});
