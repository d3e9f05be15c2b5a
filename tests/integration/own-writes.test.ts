import type { Pool, PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { after, apiClient, type ApiClient, type ApiResponse, type Person } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { WAIT_POSITION_IN_TESTS_ms } from '../support/max-wait.ts';
import { pictures } from '../support/pictures.ts';
import { upload } from '../support/uploads.ts';
import { createPreparedLocation, startTestProduct, type TestProduct } from '../support/product.ts';

/**
 * Tests that a client reads its own writes without any header of this API. Two processes share one
 * database. Read models are held back: they do not advance until the test releases them.
 */
/** Limits that the waits of the tests do not reach on a busy machine. */
const LONG_WAITS = { waitUnknownId_ms: WAIT_POSITION_IN_TESTS_ms };

let place: Awaited<ReturnType<typeof createPreparedLocation>>;
let products: readonly TestProduct[];
let apis: readonly [ApiClient, ApiClient];
let pool: Pool;
let holder: PoolClient;

beforeAll(async () => {
  place = await createPreparedLocation();
  const one = await startTestProduct(LONG_WAITS, place);
  const other = await startTestProduct(LONG_WAITS, place);
  products = [one, other];
  apis = [apiClient(one.url), apiClient(other.url)];
  pool = createTestPool(place.databaseUrl);
});
afterAll(async () => {
  await pool?.end();
  for (const product of products) await product.stop();
  await place.remove();
});
beforeEach(async () => {
  holder = await pool.connect();
});
afterEach(async () => {
  try {
    await holder.query('rollback');
  } finally {
    // The pool waits at its end for every connection, also for a broken one.
    holder.release(true);
  }
});

let admin: Person | undefined;
const getAdmin = async () => (admin ??= await apis[0].signUp('client', { email: 'admin@example.com' }));

/** Prevents read models from advancing until `release` is called. */
async function holdBack(...names: readonly string[]): Promise<void> {
  // The server would end a transaction that is idle for 60 s, and a busy machine can take longer.
  await holder.query('set idle_in_transaction_session_timeout = 0');
  await holder.query('begin');
  await holder.query(`select from rm.checkpoints where split_part(name, '@', 1) = any($1) for update`, [names]);
}

const release = () => holder.query('rollback');

/** Starts reads. Waits until another request, which began later, has its response, and releases the read models. */
async function readAndRelease(
  reads: readonly Promise<ApiResponse>[],
): Promise<{ readonly early: number; readonly responses: readonly ApiResponse[] }> {
  let early = 0;
  const all = reads.map(async (read) => {
    const response = await read;
    early += 1;
    return response;
  });
  for (const api of apis) await api.call('GET', '/api/ads/counts');
  const before = early;
  await release();
  return { early: before, responses: await Promise.all(all) };
}

const dataOf = ({ body }: ApiResponse) => body['data'] as Readonly<Record<string, unknown>>;
const idsOf = ({ body }: ApiResponse) => (body['data'] as { id: string }[]).map(({ id }) => id);

describe('a request with a session', () => {
  let provider: Person;
  let id: string;

  beforeEach(async () => {
    provider = await apis[0].signUp('provider');
    const posted = await apis[0].postAd(provider.token);
    id = posted.id;
    for (const api of apis) await api.call('GET', `/api/ads/${id}`, { headers: after(posted.position) });
  });

  test('waits for the last write of the session, in every process', async () => {
    await holdBack('ad_cards');
    const { token } = provider;
    expect((await apis[0].call('PUT', `/api/ads/${id}`, { token, body: { title: 'A new title' } })).status).toBe(200);
    const { early, responses } = await readAndRelease(
      apis.flatMap((api) => [`/${id}`, '/user', ''].map((path) => api.call('GET', `/api/ads${path}`, { token }))),
    );
    expect(early).toBe(0);
    const titles = responses.map((response) =>
      Array.isArray(response.body['data'])
        ? (response.body['data'] as { id: string; title: string }[]).find((ad) => ad.id === id)?.title
        : dataOf(response)['title'],
    );
    expect(titles).toEqual(Array.from({ length: 6 }, () => 'A new title'));
  });

  test('waits for the later one of two writes that end in another order', async () => {
    await holdBack('ad_cards');
    const { token } = provider;
    const writes = await Promise.all(
      ['One', 'Two', 'Three', 'Four'].map(async (name, index) => {
        const { headers } = await apis[index % 2 === 0 ? 0 : 1].call('PUT', `/api/ads/${id}`, {
          token,
          body: { name },
        });
        return { name, revision: Number(headers.get('etag')?.replaceAll('"', '')) };
      }),
    );
    const last = writes.toSorted((one, other) => one.revision - other.revision).at(-1);
    const { early, responses } = await readAndRelease([apis[1].call('GET', '/api/ads/user', { token })]);
    expect(early).toBe(0);
    expect((responses[0]?.body['data'] as { name: string }[])[0]?.name).toBe(last?.name);
  });

  test(
    'reads the state of projections although no instruction for a projection followed the write',
    async () => {
      const admin = await getAdmin();
      for (const displayName of ['Ada', 'Adele', 'Anna']) {
        const settings = { token: admin.token, body: { displayName } };
        expect((await apis[0].call('PUT', '/api/auth/profile', settings)).status).toBe(200);
        // A read that waits for a later event ends after the time limit of this test.
        for (const api of apis)
          expect((await api.call('GET', '/api/admin/projections', { token: admin.token })).status).toBe(200);
      }
    },
    WAIT_POSITION_IN_TESTS_ms,
  );

  test('contains a favorite that the session has just added', async () => {
    const { token, email } = await apis[0].signUp('client');
    await holdBack('favorites');
    expect((await apis[0].call('POST', '/api/favorites', { token, body: { adId: id } })).status).toBe(201);
    const { early, responses } = await readAndRelease(
      apis.map((api) => api.call('GET', `/api/favorites/${email}`, { token })),
    );
    expect(early).toBe(0);
    expect(responses.map(idsOf)).toEqual([[id], [id]]);
  });

  test('does not wait for the writes of others', async () => {
    const other = await apis[0].signUp('client');
    // The sign-up is a write of this session, too, so the read model must contain it before it is held back.
    await apis[0].call('GET', '/api/ads', { token: other.token });
    await holdBack('ad_cards');
    const { token } = provider;
    await apis[0].call('PUT', `/api/ads/${id}`, { token, body: { title: 'Not visible yet' } });
    for (const options of [{}, { token: other.token }, { token: 'no-such-session' }])
      for (const api of apis) {
        const { status, body } = await api.call('GET', '/api/ads', options);
        expect(status).toBe(200);
        expect((body['data'] as { title: string }[]).map(({ title }) => title)).not.toContain('Not visible yet');
      }
  });

  test('keeps its write when the token is refreshed', async () => {
    await holdBack('ad_cards');
    const { token } = provider;
    await apis[0].call('PUT', `/api/ads/${id}`, { token, body: { title: 'After a refresh' } });
    const refreshed = await apis[0].call('POST', '/api/auth/refresh', { token });
    const next = refreshed.body['token'] as string;
    const { early, responses } = await readAndRelease([apis[1].call('GET', '/api/ads/user', { token: next })]);
    expect(early).toBe(0);
    expect((responses[0]?.body['data'] as { title: string }[])[0]?.title).toBe('After a refresh');
  });
});

test('a moderator finds an own decision in the moderation log', async () => {
  const [admin, target] = await Promise.all([getAdmin(), apis[0].signUp('client')]);
  await holder.query('begin');
  await holder.query('lock table audit.event_hashes in exclusive mode');
  const body = { reason: 'Asked by phone.' };
  const path = `/api/admin/users/${target.user.id}/verify`;
  expect((await apis[0].call('POST', path, { token: admin.token, body })).status).toBe(200);
  const { early, responses } = await readAndRelease([apis[1].call('GET', '/api/admin/log', { token: admin.token })]);
  expect(early).toBe(0);
  expect(JSON.stringify(responses[0]?.body)).toContain(target.user.id);
});

describe('a read by id that finds nothing', () => {
  test('waits for the events that are already in the log', async () => {
    const { token } = await apis[0].signUp('provider');
    await holdBack('ad_cards', 'ad_details');
    const { id } = await apis[0].postAd(token);
    const { responses } = await readAndRelease(
      apis.flatMap((api) => [api.call('GET', `/api/ads/${id}`), api.call('GET', `/ad/${id}`)]),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('waits for a picture of a new ad, also outside the API', async () => {
    const { token } = await apis[0].signUp('provider');
    const file = { bytes: await pictures.jpeg(640, 480), name: 'a.jpg', type: 'image/jpeg' };
    const uploaded = await upload(products[0]?.url ?? '', 'photos', [file], token);
    const [photo] = uploaded.body['media'] as { id: string }[];
    const path = `/uploads/photos/${photo?.id}/320.jpg`;
    const load = async (url: string) => ({ status: (await fetch(url)).status }) as ApiResponse;
    await holdBack('ad_cards', 'ad_details');
    await apis[0].postAd(token, { photos: [`/uploads/photos/${photo?.id}`] });
    const { responses } = await readAndRelease(
      products.flatMap(({ url }) => [load(`${url}/api${path}`), load(`${url}${path}`)]),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('ends with 404 if a read model does not advance', async () => {
    const product = await startTestProduct({ waitUnknownId_ms: 1 }, place);
    try {
      const { token } = await apis[0].signUp('provider');
      await holdBack('ad_cards', 'ad_details');
      const { id } = await apis[0].postAd(token);
      expect((await apiClient(product.url).call('GET', `/api/ads/${id}`)).status).toBe(404);
    } finally {
      await product.stop();
    }
  });
});
