import type { EventStore, SyncAnswer } from '@alpenglow/domain';
import type { Pool, ReadModelProgress } from '@alpenglow/infra';
import { PROJECTIONS, REACTORS } from '@alpenglow/projectors';
import { Pool as PgPool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { syncRoutes } from '../../query-api/src/sync.ts';
import { apiClient, type Answer, type ApiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { serveRoutes, type ServedRoutes } from '../support/served-routes.ts';

let product: TestProduct;
let api: ApiClient;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
});
afterAll(() => product.stop());

const syncOf = ({ body }: Answer) => (body as unknown as SyncAnswer).data;
const status = () => api.call('GET', '/api/sync/status');
const force = () => api.call('POST', '/api/sync/force');

describe('GET /sync/status', () => {
  test('needs no authorization and answers {success, data: {head, projections: [{name, position, lag, state}]}}', async () => {
    const { token } = await api.signUp('provider');
    const { position } = await api.postAd(token);
    const answer = await status();
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(syncOf(answer).head >= position).toBe(true);
    // Workers write as well: at some moment everything has been handled.
    await expect
      .poll(async () => {
        const { head, projections } = syncOf(await status());
        return projections.filter((one) => one.position !== head || one.lag !== 0 || one.state !== 'live');
      })
      .toEqual([]);
  });
  test('has every read model of the product, and neither reactors nor the relay', async () => {
    const names = syncOf(await status()).projections.map(({ name }) => name);
    expect(names).toEqual(PROJECTIONS.map(({ name }) => name).sort());
    for (const { name } of REACTORS) expect(names).not.toContain(name);
  });
});

describe('POST /sync/force', () => {
  test('needs no authorization and answers the same once reads show everything written before', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token);
    const { head, projections } = syncOf(await force());
    expect(head >= position).toBe(true);
    expect(projections.filter((one) => one.position < position)).toEqual([]);
    expect((await api.call('GET', `/api/ads/${id}`)).status).toBe(200);
  });
  test('answers after 5 s although a read model stands still, and tells how far it is behind', async () => {
    const pool = new PgPool({ connectionString: product.databaseUrl });
    const holder = await pool.connect();
    try {
      await holder.query(`begin; select from rm.checkpoints where name = 'favorites' for update`);
      await api.signUp('client');
      // The others have caught up before, so that only the one that is held is waited for.
      await eventually(async () => {
        const { head, projections } = syncOf(await status());
        expect(projections.filter((one) => one.position < head).map(({ name }) => name)).toEqual(['favorites']);
      });
      const started = Date.now();
      // It stands still until this was answered: a call that waited without a limit would never be.
      const { head, projections } = syncOf(await force());
      expect(Date.now() - started).toBeGreaterThanOrEqual(4_900);
      const standing = projections.find(({ name }) => name === 'favorites');
      expect(standing).toMatchObject({ state: 'catching up' });
      expect(standing?.lag).toBeGreaterThan(0);
      expect(standing && standing.position < head).toBe(true);
    } finally {
      await holder.query('rollback');
      holder.release();
      await pool.end();
    }
    const { head } = syncOf(await status());
    expect(syncOf(await force()).projections.filter((one) => one.position < head)).toEqual([]);
  });
});

/** Specification, section 8, "Sync". */
describe('while nothing can be found out', () => {
  let broken: ServedRoutes;
  beforeAll(async () => {
    const fail = () => Promise.reject(new Error('a fault of ours'));
    broken = await serveRoutes(
      '/api/sync',
      syncRoutes({
        pool: { query: fail } as unknown as Pool,
        store: { head: fail } as unknown as EventStore,
        progress: {} as ReadModelProgress,
      }),
    );
  });
  afterAll(() => broken.stop());

  test.each([
    ['GET', '/status', 'Error getting sync status'],
    ['POST', '/force', 'Error forcing sync'],
  ])("%s /sync%s: '%s'", async (method, path, message) => {
    const answer = await apiClient(broken.url).call(method, `/api/sync${path}`);
    expect(answer).toMatchObject({
      status: 500,
      body: { success: false, code: 'INTERNAL', message, error: 'HTTP 500' },
    });
    expect(JSON.stringify(answer.body)).not.toContain('a fault of ours');
  });
});
