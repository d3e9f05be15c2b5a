import { JobQueueUnavailable, type JobHandler } from '@alpenglow/domain';
import { migrateJobs, openJobBackend } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createJobsDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openJobSystem } from '../support/job-system.ts';
import { openTcpLink } from '../support/tcp-link.ts';
import { jobInspectorContract } from './job-inspector.ts';
import { jobPostponingContract } from './job-postponing.ts';
import { jobQueueContract } from './job-queue.ts';

async function openFresh() {
  const fresh = await createJobsDatabase();
  return openJobSystem(fresh, () => fresh.drop());
}
jobQueueContract('BullMQ on Postgres', openFresh);
jobPostponingContract('BullMQ on Postgres', openFresh);
jobInspectorContract('BullMQ on Postgres', async () => {
  const fresh = await createJobsDatabase();
  const backend = await openJobBackend(fresh);
  return {
    backend,
    async close() {
      await backend.close();
      await fresh.drop();
    },
  };
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
  await expect(openJobBackend({ connectionString: 'mysql://127.0.0.1' })).rejects.toThrow('No jobs on mysql:');
});

test('migrations may run from several processes at once, and again', async () => {
  await Promise.all([migrateJobs(database.connectionString), migrateJobs(database.connectionString)]);
  await migrateJobs(database.connectionString);
});

test('a job whose worker is gone is taken over', async () => {
  const system = await openJobSystem(database);
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'orphan' });
  await client.query(`update bullmq.job set state = 'active', lock_token = 'gone', locked_until_ms = 0`);
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.work({ 'photo-variants': handle });
  await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
  await system.close();
});

test('a job that takes its workers down again and again has failed for good, too', async () => {
  const system = await openJobSystem(database);
  await system.queue.enqueue('photo-variants', { mediaId: 'bomb' }, { jobId: 'bomb' });
  await client.query(
    `update bullmq.job set state = 'active', lock_token = 'gone', locked_until_ms = 0, stalled_count = 4 where data ->> 'mediaId' = 'bomb'`,
  );
  const follow = vi.fn(() => Promise.resolve());
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.work({ 'photo-variants': handle }, { 'photo-variants': follow });
  await eventually(() => expect(follow).toHaveBeenCalledWith({ mediaId: 'bomb' }));
  expect(handle).not.toHaveBeenCalled();
  await system.close();
});

test('workers hear of new jobs again after their connections were cut', async () => {
  const system = await openJobSystem(database);
  const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
  system.work({ 'photo-variants': handle });
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'before' });
  await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'alpenglow%'`,
  );
  await eventually(() => system.queue.enqueue('photo-variants', { mediaId: 'm2' }, { jobId: 'after' }));
  await eventually(() => expect(handle).toHaveBeenCalledTimes(2));
  await system.close();
});

test('enqueuing while Postgres is away says so within seconds, and works again after its return', async () => {
  const link = await openTcpLink(Number(new URL(database.connectionString).port));
  const throughLink = new URL(database.connectionString);
  throughLink.port = String(link.port);
  const system = await openJobSystem({ connectionString: throughLink.href });
  const enqueue = () => system.queue.enqueue('photo-variants', { mediaId: 'm3' }, { jobId: 'later' });
  link.breakOff();
  await expect(enqueue()).rejects.toThrow(JobQueueUnavailable);
  link.mend();
  await eventually(enqueue);
  await system.close();
  await link.close();
});

test('an idle pair of workers holds few connections', async () => {
  const system = await openJobSystem(database);
  system.work({});
  await system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'one' });
  await eventually(async () =>
    expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } }),
  );
  // Those of the test before may take a moment to be gone.
  await eventually(async () => {
    const { rows } = await client.query(
      `select pid from pg_stat_activity where datname = current_database() and application_name like 'alpenglow%'`,
    );
    expect(rows.length).toBeLessThanOrEqual(2);
  });
  await system.close();
});

test('jobs carry ids, nothing else', async () => {
  const { rows } = await client.query<{ data: unknown }>('select data from bullmq.job');
  expect(rows.map((row) => row.data)).toContainEqual({ mediaId: 'm1' });
});
