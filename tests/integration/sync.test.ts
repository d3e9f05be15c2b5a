import type { EventStore, ResponseOf } from '@alpenglow/domain';
import {
  createPostgresEventStore,
  createReadModelProgress,
  type Authentication,
  type Pool,
  type ReadModelProgress,
} from '@alpenglow/infra';
import { PROJECTIONS, REACTORS } from '@alpenglow/projectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { syncRoutes } from '../../query-api/src/sync.ts';
import { apiClient, type ApiResponse, type Person } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { serveRoutes, type ServedRoutes } from '../support/served-routes.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
let admin: Person;

beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

interface SyncData {
  readonly head: string;
  readonly projections: readonly {
    readonly name: string;
    readonly position: string;
    readonly lag: number;
    readonly state: string;
  }[];
}
/** Returns the data of a response for an admin, which contains all positions. */
const syncOf = ({ body }: ApiResponse) => body['data'] as SyncData;
const getStatus = () => api.call('GET', '/api/sync/status', { token: admin.token });
const forceSync = () => api.call('POST', '/api/sync/force', { token: admin.token });
/** Treats every request as that of a visitor without a login. */
const guestsOnly = { findPrincipal: async () => null } as unknown as Authentication;

describe('GET /sync/status', () => {
  test('returns the head and the position, the lag and the state of each read model to an admin', async () => {
    const { token } = await api.signUp('provider');
    await api.postAd(token);
    const response = await getStatus();
    expect(response).toMatchObject({ status: 200, body: { success: true } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(syncOf(response).head).toMatch(/^\d{19}$/u);
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

describe.each([
  ['GET', '/api/sync/status'],
  ['POST', '/api/sync/force'],
])('%s %s', (method, path) => {
  test('returns neither positions nor exact lags to a visitor and to a client', async () => {
    const pool = createTestPool(product.databaseUrl);
    const holder = await pool.connect();
    try {
      await holder.query(`begin; select from rm.checkpoints where name = 'favorites' for update`);
      const { token } = await api.signUp('client');
      for (const options of [{}, { token }]) {
        const { status, body } = await api.call(method, path, options);
        expect(status).toBe(200);
        const { head, projections } = body['data'] as ResponseOf<'getSyncStatus'>['data'];
        expect(head).toBeNull();
        expect(projections.map(({ name }) => name)).toEqual(PROJECTIONS.map(({ name }) => name).sort());
        expect(new Set(projections.map(({ position, lag }) => `${position} ${lag}`))).toEqual(new Set(['null 0']));
      }
    } finally {
      await holder.query('rollback');
      holder.release();
      await pool.end();
    }
  });
});

describe('POST /sync/force', () => {
  test('needs no authorization, and responds when reads include all earlier events', async () => {
    // On a busy machine, the read models may need longer than the limit of the product. These routes have a longer one.
    const connectionString = product.databaseUrl;
    const pool = createTestPool(connectionString);
    const store = createPostgresEventStore({ pool, connectionString });
    const progress = createReadModelProgress({ pool, connectionString });
    const patient = await serveRoutes(
      '/api/sync',
      syncRoutes({ pool, store, progress, authentication: guestsOnly }, { catchUp_ms: MAX_WAIT_ms }),
    );
    try {
      const { token } = await api.signUp('provider');
      const { id } = await api.postAd(token);
      const { status, body } = await apiClient(patient.url).call('POST', '/api/sync/force');
      expect(status).toBe(200);
      const { projections } = body['data'] as ResponseOf<'getSyncStatus'>['data'];
      expect(projections.map(({ name }) => name)).toEqual(PROJECTIONS.map(({ name }) => name).sort());
      expect(projections.filter(({ state }) => state !== 'live')).toEqual([]);
      expect((await api.call('GET', `/api/ads/${id}`)).status).toBe(200);
      expect((await api.call('POST', '/api/sync/force')).status).toBe(200);
    } finally {
      await patient.stop();
      await progress.close();
      await store.close();
      await pool.end();
    }
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
    // The read model may take longer than one request to continue after the lock.
    await eventually(async () =>
      expect(syncOf(await forceSync()).projections.filter((one) => one.position < head)).toEqual([]),
    );
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
        authentication: guestsOnly,
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
