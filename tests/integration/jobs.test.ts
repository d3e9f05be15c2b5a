import { createJobInspector, createJobQueue, openJobBackend, type JobBackend } from '@alpenglow/infra';
import type { JobInspector, JobView, QueueView } from '@alpenglow/domain';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { watchShown } from '../support/shown-elsewhere.ts';

const shown = watchShown('jobs.test.ts');
let product: TestProduct;
let api: ApiClient;
let admin: Person;
let pool: Pool;
let backend: JobBackend;
let inspector: JobInspector;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  admin = await api.signUp('client', { email: 'admin@example.com' });
  pool = new Pool({ connectionString: product.databaseUrl });
  backend = await openJobBackend({ connectionString: product.databaseUrl });
  inspector = createJobInspector(backend);
});
afterAll(async () => {
  await inspector.close();
  await backend.close();
  await pool.end();
  shown.stop();
  await product.stop();
});

const asAdmin = (method: string, path: string) => api.call(method, `/api/admin/jobs${path}`, { token: admin.token });
const logged = async (type: string) =>
  (await api.call('GET', `/api/admin/log?type=${type}`, { token: admin.token })).body['data'];
const inState = async (kind: string, state: string) =>
  (await asAdmin('GET', `/${kind}?state=${state}`)).body['data'] as readonly JobView[];
const queueOf = async (kind: string) =>
  ((await asAdmin('GET', '')).body['data'] as readonly QueueView[]).find((one) => one.kind === kind);
const pathOf = ({ kind, id }: JobView) => `/${kind}/${encodeURIComponent(id)}`;

/** A picture that is not there fails at every attempt. */
async function enqueueBroken(id: string, delay_ms = 0): Promise<void> {
  const queue = createJobQueue(backend, { firstRetry_ms: delay_ms || 1 });
  await queue.enqueue('video-probe', { mediaId: id }, { jobId: id, delay_ms });
  await queue.close();
}

describe('the queues as admins see them', () => {
  test('a job that waits for its time is shown, and can be removed', async () => {
    await enqueueBroken('later', 600_000);
    const [job] = await inState('video-probe', 'delayed');
    expect(job).toMatchObject({ kind: 'video-probe', state: 'delayed', attempts: 0, maxAttempts: 5, error: null });
    expect(Date.parse(job?.nextAt ?? '')).toBeGreaterThan(Date.now() + 500_000);
    expect(await queueOf('video-probe')).toMatchObject({ delayed: 1, failed: 0 });
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
    const { rows } = await pool.query(
      `select type, data, meta->'actor'->>'accountId' as by from es.events where stream = 'jobs-video-probe' order by revision desc limit 1`,
    );
    expect(rows).toEqual([{ type: 'JobRemoved', data: { kind: 'video-probe', jobId: job.id }, by: admin.user.id }]);
    await eventually(async () =>
      expect(await logged('JobRemoved')).toMatchObject([
        {
          stream: 'jobs-video-probe',
          actor: { kind: 'account', id: admin.user.id },
          facts: { kind: 'video-probe', jobId: job.id },
        },
      ]),
    );
  });

  test('one that failed and waits to be tried again is failed; retried, it is tried at once', async () => {
    await enqueueBroken('again', 600_000);
    // As a first attempt that failed would leave it.
    await pool.query(
      `update bullmq.job set attempts_made = 1, failed_reason = 'smtp said no to ann@example.com, code 123456' where id = 'job-again'`,
    );
    const [job] = await inState('video-probe', 'failed');
    expect(job).toMatchObject({ state: 'failed', attempts: 1, error: 'smtp said no to •••, code •••' });
    expect(await inState('video-probe', 'delayed')).toEqual([]);
    expect(await queueOf('video-probe')).toMatchObject({ delayed: 0, failed: 1 });
    if (!job) throw new Error('No job');
    expect((await asAdmin('POST', `${pathOf(job)}/retry`)).status).toBe(202);
    await eventually(async () =>
      expect(await inState('video-probe', 'dead')).toMatchObject([{ id: job.id, attempts: 2 }]),
    );
    expect(await inState('video-probe', 'failed')).toEqual([]);
    await eventually(async () =>
      expect(await logged('JobRetried')).toMatchObject([{ actor: { id: admin.user.id }, facts: { jobId: job.id } }]),
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
    await eventually(async () => expect(await inState('video-probe', 'dead')).toEqual([]));
  });

  test('a dead one is retried with all its attempts, alone or with all of its kind', async () => {
    for (const id of ['dead-1', 'dead-2']) await enqueueBroken(id, 600_000);
    await pool.query(
      `update bullmq.job set state = 'failed', attempts_made = 5, failed_reason = 'disk full', finished_at_ms = 1 where id like 'job-dead-%'`,
    );
    const dead = await inState('video-probe', 'dead');
    expect(dead.map(({ state, attempts, error }) => ({ state, attempts, error }))).toEqual(
      [1, 2].map(() => ({ state: 'dead', attempts: 5, error: 'disk full' })),
    );
    expect(await queueOf('video-probe')).toMatchObject({ dead: 2 });
    const all = await asAdmin('POST', '/video-probe/retry');
    expect(all).toMatchObject({ status: 202, body: { data: { count: 2 } } });
    await eventually(async () =>
      expect(await logged('DeadJobsRetried')).toMatchObject([
        { actor: { id: admin.user.id }, facts: { kind: 'video-probe' } },
      ]),
    );
    // Each was tried once from the start, and has died of something else.
    await eventually(async () => {
      const again = await inState('video-probe', 'dead');
      expect(
        again
          .map(({ attempts, error }) => ({ attempts, error }))
          .sort((a, b) => (a.error ?? '').localeCompare(b.error ?? '')),
      ).toEqual([1, 2].map((n) => ({ attempts: 1, error: `No video was uploaded as dead-${n}` })));
    });
  });

  test('pages, and refuses what it does not know', async () => {
    for (const id of ['p1', 'p2', 'p3']) await enqueueBroken(id, 600_000);
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

test('every property of what is answered here has been seen', () => {
  expect(shown.missing()).toEqual([]);
});
