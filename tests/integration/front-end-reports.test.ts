import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ResponseOf } from '@alpenglow/domain';
import { createLogger, createFrontEndMetrics, createMetrics } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createDeployedBuilds } from '../../query-api/src/front-ends/deployed-builds.ts';
import { createReportCounter } from '../../query-api/src/front-ends/report-counter.ts';
import { readStatistics } from '../../query-api/src/front-ends/statistics-reader.ts';
import { apiClient, type ApiClient } from '../support/api.ts';
import { createMigratedDatabase, createTestPool } from '../support/database.ts';
import { createPreparedLocation, METRICS_TOKEN, startTestProduct, type TestProduct } from '../support/product.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';

/** The reports of browsers about errors and speeds of front ends, and their statistics. */
const HASH = '0123456789abcdef';
const OTHER_HASH = 'f'.repeat(16);

let place: Awaited<ReturnType<typeof createPreparedLocation>>;
let product: TestProduct;
let api: ApiClient;
const properties = watchResponseProperties('front-end-reports.test.ts');

beforeAll(async () => {
  place = await createPreparedLocation();
  await start();
});
afterAll(async () => {
  properties.stop();
  await product?.stop();
  await place?.remove();
});

async function start(): Promise<void> {
  product = await startTestProduct({ rateLimits: true }, place);
  api = apiClient(product.url);
}
const send = (body: unknown, headers?: Record<string, string>) =>
  api.call('POST', '/api/front-ends/reports', { body, ...(headers && { headers }) });
const statistics = async () =>
  ((await api.call('GET', '/api/front-ends/statistics')).body as unknown as ResponseOf<'getFrontEndStatistics'>).data;

describe('reports about front ends', () => {
  it('are counted by deployment, and stay after a restart', async () => {
    const error = { frontEnd: 'mf-listings', hash: HASH };
    const responses = [
      await send({
        errors: [
          { ...error, kind: 'render' },
          { ...error, kind: 'chunk' },
        ],
      }),
      await send({ errors: [{ ...error, kind: 'render' }] }),
      await send({ errors: [{ frontEnd: 'shell', hash: OTHER_HASH, kind: 'rejection' }] }),
      ...(await Promise.all(
        [900, 950, 1_100, 5_000].map((value) => send({ vitals: [{ ...error, vital: 'lcp', value }] })),
      )),
      await send({ vitals: [{ ...error, vital: 'cls', value: 0.004 }] }),
      await send({ views: [{ ...error, state: 'started' }] }),
      await send({
        views: [
          { ...error, state: 'started' },
          { ...error, state: 'failed' },
        ],
      }),
    ];
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 204));
    await product.stop();
    await start();

    const { deployments } = await statistics();
    expect(deployments).toEqual([
      {
        frontEnd: 'mf-listings',
        hash: HASH,
        lastDay: new Date().toISOString().slice(0, 10),
        errors: [
          { kind: 'chunk', count: 1 },
          { kind: 'render', count: 2 },
        ],
        views: { started: 2, failed: 1 },
        vitals: [
          { vital: 'lcp', p75: 1_200, count: 4, ranges: [0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0] },
          { vital: 'cls', p75: expect.closeTo(0.00375) as number, count: 1, ranges: [1, ...Array<number>(9).fill(0)] },
        ],
      },
      expect.objectContaining({ frontEnd: 'shell', hash: OTHER_HASH, errors: [{ kind: 'rejection', count: 1 }] }),
    ]);
    expect(properties.missing()).toEqual([]);
  });

  it('are in the metrics by front end and build', async () => {
    const build = { frontEnd: 'mf-admin', hash: HASH };
    await send({
      views: [
        { ...build, state: 'started' },
        { ...build, state: 'failed' },
      ],
      errors: [{ ...build, kind: 'uncaught' }],
      vitals: [{ ...build, vital: 'inp', value: 120 }],
    });
    const response = await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const metrics = await response.text();
    const labels = `front_end="mf-admin",build="${HASH}"`;
    expect(metrics).toContain(`front_end_errors_total{${labels},kind="uncaught"} 1`);
    for (const state of ['started', 'failed'])
      expect(metrics).toContain(`front_end_views_total{${labels},state="${state}"} 1`);
    expect(metrics).toContain(`front_end_interaction_to_next_paint_seconds_bucket{le="0.125",${labels}} 1`);
  });

  it.each([
    ['no JSON', 'x', 400],
    ['another front end', { errors: [{ frontEnd: 'x', hash: HASH, kind: 'render' }] }, 400],
    ['a hash that is none', { errors: [{ frontEnd: 'shell', hash: '<script>', kind: 'render' }] }, 400],
    ['too much', { errors: [], more: 'x'.repeat(9_000) }, 413],
  ])('are rejected if they contain %s', async (_, body, status) => {
    expect((await send(body)).status).toBe(status);
  });

  it('cannot come from a page of another site', async () => {
    // A page of another site can send text without a preflight request, but no JSON.
    const body = JSON.stringify({ errors: [{ frontEnd: 'shell', hash: HASH, kind: 'render' }] });
    expect((await send(body, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('of one network are limited, and do not use up its other writes', async () => {
    const responses = await Promise.all(
      Array.from({ length: 130 }, () => send({ errors: [{ frontEnd: 'shell', hash: HASH, kind: 'entry' }] })),
    );
    expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect(
      (await api.call('POST', '/api/auth/login', { body: { email: 'a@example.com', password: 'x' } })).status,
    ).toBe(401);
  });
});

/** Opens a database without the counts of the product, which the product also writes later. */
async function openCounts() {
  const database = await createMigratedDatabase();
  const pool = createTestPool(database.connectionString);
  return {
    pool,
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

test('invented deployments need few rows, and old counts are deleted', async () => {
  const { pool, close } = await openCounts();
  try {
    await pool.query(
      `insert into stats.front_end_days values (current_date - 100, 'shell', '', 'render', 0, 5),
                                               (current_date - 50, 'shell', '', 'render', 0, 5)`,
    );
    const counter = createReportCounter({
      pool,
      log: createLogger('fatal'),
      metrics: createFrontEndMetrics(createMetrics()),
    });
    for (let n = 0; n < 500; n += 1)
      counter.count({
        errors: [{ frontEnd: 'shell', hash: n.toString(16).padStart(16, '0'), kind: 'render' }],
        vitals: [],
      });
    await counter.stop();
    const { deployments } = await readStatistics(pool);
    expect(deployments).toHaveLength(21);
    expect(deployments.find(({ hash }) => hash === '')?.errors, 'the sum is correct').toEqual([
      { kind: 'render', count: 480 },
    ]);
    await expect
      .poll(async () => (await pool.query('select from stats.front_end_days where day < current_date')).rowCount)
      .toBe(1);
  } finally {
    await close();
  }
});

test('reports about the shell are counted after many with invented names', async () => {
  const { pool, close } = await openCounts();
  try {
    const counter = createReportCounter({
      pool,
      log: createLogger('fatal'),
      metrics: createFrontEndMetrics(createMetrics()),
    });
    const report = (frontEnd: string) => counter.count({ errors: [{ frontEnd, hash: HASH, kind: 'render' }] });
    for (const first of 'abcdefgh') for (const second of 'abcdefgh') report(`mf-${first}${second}`);
    report('shell');
    await counter.stop();
    const { deployments } = await readStatistics(pool);
    expect(deployments).toHaveLength(31);
    expect(deployments.find(({ frontEnd }) => frontEnd === 'shell')?.errors).toEqual([{ kind: 'render', count: 1 }]);
  } finally {
    await close();
  }
});

test('invented names do not crowd out the names in the registry of remotes', async () => {
  const { pool, close } = await openCounts();
  const mfDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-registry-'));
  try {
    const findDeployed = createDeployedBuilds(mfDir);
    expect(findDeployed(), 'no registry').toBeNull();
    const [live, canary] = ['b'.repeat(16), 'c'.repeat(16)];
    const registry = {
      remotes: { 'mf-new': [{ hash: live }], 'not a name': {} },
      canaries: { 'mf-new': { percent: 5, build: { hash: canary } } },
    };
    await writeFile(path.join(mfDir, 'registry.json'), JSON.stringify(registry));
    const findWritten = createDeployedBuilds(mfDir);
    await expect.poll(findWritten).toEqual(new Map([['mf-new', new Set([live, canary])]]));
    const metrics = createMetrics();
    const counter = createReportCounter({
      pool,
      log: createLogger('fatal'),
      metrics: createFrontEndMetrics(metrics),
      findDeployed: findWritten,
    });
    const report = (frontEnd: string) => counter.count({ errors: [{ frontEnd, hash: HASH, kind: 'render' }] });
    for (const first of 'abcdefgh') for (const second of 'abcdefgh') report(`mf-${first}${second}`);
    report('shell');
    // Many invented builds of a deployed remote do not crowd out its live build and its canary.
    const view = (hash: string) => counter.count({ views: [{ frontEnd: 'mf-new', hash, state: 'started' }] });
    for (let n = 0; n < 50; n += 1) view(n.toString(16).padStart(16, '0'));
    view(live);
    view(canary);
    await counter.stop();
    const { deployments } = await readStatistics(pool);
    expect(new Set(deployments.map(({ frontEnd }) => frontEnd))).toEqual(new Set(['mf-new', 'mf-other', 'shell']));
    const viewsOf = (hash: string) => deployments.find((one) => one.frontEnd === 'mf-new' && one.hash === hash)?.views;
    expect([viewsOf(live), viewsOf(canary)]).toEqual(Array(2).fill({ started: 1, failed: 0 }));
    const today = new Date().toISOString().slice(0, 10);
    expect((await readStatistics(pool, today)).deployments).toEqual(deployments);
    expect((await readStatistics(pool, '9999-12-31')).deployments).toEqual([]);
    expect(await metrics.metrics()).not.toContain('front_end="mf-aa"');
  } finally {
    await close();
    await rm(mfDir, { recursive: true });
  }
});
