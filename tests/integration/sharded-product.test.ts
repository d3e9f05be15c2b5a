import { afterEach, beforeEach, expect, test } from 'vitest';
import { after, apiClient, type ApiClient } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

const SHARDS = 3;
let product: TestProduct;
let api: ApiClient;

beforeEach(async () => {
  product = await startTestProduct({ projectionShards: new Map([['ad_cards', SHARDS]]) });
  api = apiClient(product.url);
});
afterEach(() => product.stop());

test('a product with shards lists an ad at the position of its write, and reports only read models', async () => {
  const ads = [];
  for (let n = 0; n < 4; n += 1) {
    const { token } = await api.signUp('provider');
    ads.push({ token, ...(await api.postAd(token)) });
  }
  const last = ads.at(-1);
  const list = async (position: string) => {
    const { body } = await api.call('GET', '/api/ads?limit=50', { headers: after(position) });
    return (body['data'] as readonly { id: string }[]).map(({ id }) => id);
  };
  expect(await list(last?.position ?? '')).toEqual(expect.arrayContaining(ads.map(({ id }) => id)));
  const [first] = ads;
  const removal = await api.call('DELETE', `/api/ads/${first?.id}`, { token: first?.token ?? '' });
  expect(removal.status).toBe(200);
  const admin = await api.signUp('client', { email: 'admin@example.com' });
  await api.call('POST', '/api/sync/force', { token: admin.token });
  expect(await list('')).not.toContain(first?.id);
  const { body } = await api.call('GET', '/api/sync/status', { token: admin.token });
  const { projections } = body['data'] as { projections: readonly { name: string }[] };
  expect(projections.filter(({ name }) => name.startsWith('ad_cards')).map(({ name }) => name)).toEqual(['ad_cards']);
  const pool = createTestPool(product.databaseUrl, 1);
  const { rows } = await pool.query(`select from rm.checkpoints where name like 'ad_cards%#%'`);
  await pool.end();
  expect(rows).toHaveLength(SHARDS);
});
