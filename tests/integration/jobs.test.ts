import {
  createJobInspector,
  createJobQueue,
  createUnfinishedJobs,
  openJobBackend,
  type JobBackend,
} from '@alpenglow/infra';
import type { JobInspector, JobView, QueueView } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const shown = watchResponseProperties('jobs.test.ts');
const product = testProduct();
const api = testApi(product);
let admin: Person;
let pool: Pool;
let backend: JobBackend;
let inspector: JobInspector;

beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
  pool = createTestPool(product.databaseUrl);
  backend = await openJobBackend({ connectionString: product.databaseUrl });
  inspector = createJobInspector(backend);
});
afterAll(async () => {
  await inspector.close();
  await backend.close();
  await pool.end();
  shown.stop();
});

const asAdmin = (method: string, path: string) => api.call(method, `/api/admin/jobs${path}`, { token: admin.token });
const readLog = async (type: string) =>
  (await api.call('GET', `/api/admin/log?type=${type}`, { token: admin.token })).body['data'];
const listJobs = async (kind: string, state: string) =>
  (await asAdmin('GET', `/${kind}?state=${state}`)).body['data'] as readonly JobView[];
const findQueue = async (kind: string) =>
  ((await asAdmin('GET', '')).body['data'] as readonly QueueView[]).find((queue) => queue.kind === kind);
const pathOf = ({ kind, id }: JobView) => `/${kind}/${encodeURIComponent(id)}`;

/** Enqueues a job that fails at every attempt because its video does not exist. */
async function enqueueFailing(id: string, delay_ms = 0): Promise<void> {
  const queue = createJobQueue(backend, { firstRetry_ms: delay_ms || 1 });
  await queue.enqueue('video-probe', { mediaId: id }, { jobId: id, delay_ms });
  await queue.close();
}

describe('the queues of the admin panel', () => {
  test('list a delayed job, which can be removed', async () => {
    await enqueueFailing('later', 600_000);
    await createUnfinishedJobs(pool).add('video-probe', { mediaId: 'later' }, { jobId: 'later' });
    const [job] = await listJobs('video-probe', 'delayed');
    expect(job).toMatchObject({ kind: 'video-probe', state: 'delayed', attempts: 0, maxAttempts: 5, error: null });
    expect(Date.parse(job?.nextAt ?? '')).toBeGreaterThan(Date.now() + 500_000);
    expect(await findQueue('video-probe')).toMatchObject({ delayed: 1, failed: 0 });
    if (!job) throw new Error('No job');
    expect((await asAdmin('GET', pathOf(job))).body['data']).toMatchObject({
      id: job.id,
      payload: [{ name: 'mediaId', value: 'later' }],
      stack: [],
    });
    const removed = await asAdmin('DELETE', pathOf(job));
    expect(removed).toMatchObject({ status: 202, body: { data: { count: 1 } } });
    await eventually(async () =>
      expect(await asAdmin('GET', pathOf(job))).toMatchObject({ status: 404, body: { code: 'JOB_NOT_FOUND' } }),
    );
    expect(await asAdmin('DELETE', pathOf(job))).toMatchObject({ status: 404, body: { code: 'JOB_NOT_FOUND' } });
    // A job that is still stored as unfinished would be enqueued again.
    expect((await pool.query(`select from jobs.unfinished where job_id = 'later'`)).rowCount).toBe(0);
    const { rows } = await pool.query(
      `select type, data, meta->'actor'->>'accountId' as by
         from es.events
        where stream = 'jobs-video-probe'
        order by revision desc limit 1`,
    );
    expect(rows).toEqual([{ type: 'JobRemoved', data: { kind: 'video-probe', jobId: job.id }, by: admin.user.id }]);
    await eventually(async () =>
      expect(await readLog('JobRemoved')).toMatchObject([
        {
          stream: 'jobs-video-probe',
          actor: { kind: 'account', id: admin.user.id },
          facts: { kind: 'video-probe', jobId: job.id },
        },
      ]),
    );
  });

  test('list a job between two attempts as failed and start it immediately on retry', async () => {
    await enqueueFailing('again', 600_000);
    // Simulates a job whose first attempt has failed.
    await pool.query(
      `update bullmq.job set attempts_made = 1, failed_reason = 'smtp said no to ann@example.com, code 123456'
        where id = 'job-again'`,
    );
    const [job] = await listJobs('video-probe', 'failed');
    expect(job).toMatchObject({ state: 'failed', attempts: 1, error: 'smtp said no to •••, code •••' });
    expect(await listJobs('video-probe', 'delayed')).toEqual([]);
    expect(await findQueue('video-probe')).toMatchObject({ delayed: 0, failed: 1 });
    if (!job) throw new Error('No job');
    expect((await asAdmin('POST', `${pathOf(job)}/retry`)).status).toBe(202);
    await eventually(async () =>
      expect(await listJobs('video-probe', 'dead')).toMatchObject([{ id: job.id, attempts: 2 }]),
    );
    expect(await listJobs('video-probe', 'failed')).toEqual([]);
    await eventually(async () =>
      expect(await readLog('JobRetried')).toMatchObject([{ actor: { id: admin.user.id }, facts: { jobId: job.id } }]),
    );

    const { body } = await asAdmin('GET', pathOf(job));
    expect(body['data']).toMatchObject({
      state: 'dead',
      nextAt: null,
      error: 'No video was uploaded as again',
      stack: [expect.stringContaining('No video was uploaded as again')],
    });
    const { startedAt, endedAt } = body['data'] as JobView;
    expect(Date.parse(startedAt ?? '')).toBeLessThanOrEqual(Date.parse(endedAt ?? ''));
    expect(await asAdmin('DELETE', pathOf(job))).toMatchObject({ status: 202 });
    await eventually(async () => expect(await listJobs('video-probe', 'dead')).toEqual([]));
  });

  test('retry all dead jobs of a kind with all attempts', async () => {
    for (const id of ['dead-1', 'dead-2']) await enqueueFailing(id, 600_000);
    await pool.query(
      `update bullmq.job set state = 'failed', attempts_made = 5, failed_reason = 'disk full', finished_at_ms = 1
        where id like 'job-dead-%'`,
    );
    const dead = await listJobs('video-probe', 'dead');
    expect(dead.map(({ state, attempts, error }) => ({ state, attempts, error }))).toEqual(
      [1, 2].map(() => ({ state: 'dead', attempts: 5, error: 'disk full' })),
    );
    expect(await findQueue('video-probe')).toMatchObject({ dead: 2 });
    const all = await asAdmin('POST', '/video-probe/retry');
    expect(all).toMatchObject({ status: 202, body: { data: { count: 2 } } });
    await eventually(async () =>
      expect(await readLog('DeadJobsRetried')).toMatchObject([
        { actor: { id: admin.user.id }, facts: { kind: 'video-probe' } },
      ]),
    );
    // After the retry, each job ran once and failed permanently with a different error.
    await eventually(async () => {
      const again = await listJobs('video-probe', 'dead');
      expect(
        again
          .map(({ attempts, error }) => ({ attempts, error }))
          .sort((a, b) => (a.error ?? '').localeCompare(b.error ?? '')),
      ).toEqual([1, 2].map((n) => ({ attempts: 1, error: `No video was uploaded as dead-${n}` })));
    });
  });

  test('are paged and reject unknown values', async () => {
    for (const id of ['p1', 'p2', 'p3']) await enqueueFailing(id, 600_000);
    const first = await asAdmin('GET', '/video-probe?state=delayed&limit=2');
    const second = await asAdmin(
      'GET',
      `/video-probe?state=delayed&limit=2&cursor=${String(first.body['nextCursor'])}`,
    );
    const ids = [first, second].flatMap(({ body }) => (body['data'] as readonly JobView[]).map(({ id }) => id));
    expect(ids.filter((id) => id.startsWith('job-p')).sort()).toEqual(['job-p1', 'job-p2', 'job-p3']);
    expect(second.body['nextCursor']).toBeNull();
    for (const query of ['state=lost', 'limit=0', 'cursor=x'])
      expect(await asAdmin('GET', `/video-probe?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_FIELDS' },
      });
    for (const path of ['/unknown', '/video-probe/unknown'])
      expect(await asAdmin('GET', path)).toMatchObject({ status: 404, body: { code: 'JOB_NOT_FOUND' } });
  });
});

test('covers every field of the documented responses', () => {
  expect(shown.missing()).toEqual([]);
});
