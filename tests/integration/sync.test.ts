import type { EventStore, SyncResponse } from '@alpenglow/domain';
import type { Pool, ReadModelProgress } from '@alpenglow/infra';
import { PROJECTIONS, REACTORS } from '@alpenglow/projectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { syncRoutes } from '../../query-api/src/sync.ts';
import { apiClient, type ApiResponse, type ApiClient } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
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

const syncOf = ({ body }: ApiResponse) => (body as unknown as SyncResponse).data;
const getStatus = () => api.call('GET', '/api/sync/status');
const forceSync = () => api.call('POST', '/api/sync/force');

describe('GET /sync/status', () => {
  test('returns {success, data: {head, projections: [{name, position, lag, state}]}} without a login', async () => {
    const { token } = await api.signUp('provider');
    const { position } = await api.postAd(token);
    const response = await getStatus();
    expect(response).toMatchObject({ status: 200, body: { success: true } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(syncOf(response).head >= position).toBe(true);
    // Workers append events as well, so the test waits until all events have been handled.
    await expect
      .poll(async () => {
        const { head, projections } = syncOf(await getStatus());
        return projections.filter((one) => one.position !== head || one.lag !== 0 || one.state !== 'live');
      })
      .toEqual([]);
  });
  test('lists every read model of the product, but no reactors and no relay', async () => {
    const names = syncOf(await getStatus()).projections.map(({ name }) => name);
    expect(names).toEqual(PROJECTIONS.map(({ name }) => name).sort());
    for (const { name } of REACTORS) expect(names).not.toContain(name);
  });
});

describe('POST /sync/force', () => {
  test('needs no authorization, and responds when reads include all earlier events', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token);
    const { head, projections } = syncOf(await forceSync());
    expect(head >= position).toBe(true);
    expect(projections.filter((one) => one.position < position)).toEqual([]);
    expect((await api.call('GET', `/api/ads/${id}`)).status).toBe(200);
  });
  test('responds after 5 s with the lag if a read model does not advance', async () => {
    const pool = createTestPool(product.databaseUrl);
    const holder = await pool.connect();
    try {
      await holder.query(`begin; select from rm.checkpoints where name = 'favorites' for update`);
      await api.signUp('client');
      // Waits until only the blocked read model is behind, so that no other read model delays the response.
      await eventually(async () => {
        const { head, projections } = syncOf(await getStatus());
        expect(projections.filter((one) => one.position < head).map(({ name }) => name)).toEqual(['favorites']);
      });
      const started = Date.now();
      // The read model stays blocked, so the request must end after its time limit.
      const { head, projections } = syncOf(await forceSync());
      expect(Date.now() - started).toBeGreaterThanOrEqual(4_900);
      const blocked = projections.find(({ name }) => name === 'favorites');
      expect(blocked).toMatchObject({ state: 'catching up' });
      expect(blocked?.lag).toBeGreaterThan(0);
      expect(blocked && blocked.position < head).toBe(true);
    } finally {
      await holder.query('rollback');
      holder.release();
      await pool.end();
    }
    const { head } = syncOf(await getStatus());
    expect(syncOf(await forceSync()).projections.filter((one) => one.position < head)).toEqual([]);
  });
});

/** The operations respond to an internal error with their documented messages. */
describe('if the status cannot be read', () => {
  let broken: ServedRoutes;
  beforeAll(async () => {
    const fail = () => Promise.reject(new Error('an internal error'));
    broken = await serveRoutes(
      '/api/sync',
      syncRoutes({
        pool: { query: fail } as unknown as Pool,
        store: { readHead: fail } as unknown as EventStore,
        progress: {} as ReadModelProgress,
      }),
    );
  });
  afterAll(() => broken.stop());

  test.each([
    ['GET', '/status', 'Error getting sync status'],
    ['POST', '/force', 'Error forcing sync'],
  ])('%s /sync%s responds with "%s"', async (method, path, message) => {
    const response = await apiClient(broken.url).call(method, `/api/sync${path}`);
    expect(response).toMatchObject({
      status: 500,
      body: { success: false, code: 'INTERNAL', message, error: 'HTTP 500' },
    });
    expect(JSON.stringify(response.body)).not.toContain('an internal error');
  });
});
