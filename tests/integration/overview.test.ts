import type { OverviewView } from '@alpenglow/domain';
import { beforeAll, expect, test } from 'vitest';
import type { Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { connectLive } from '../support/live.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct({ hiddenAdIds: [] });
const api = testApi(product);
let admin: Person;

beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

const readOverview = async () =>
  (await api.call('GET', '/api/admin/overview', { token: admin.token })).body['data'] as OverviewView;
/** Polls slowly, because the server caches its response for two seconds. */
const pollSlowly = (expected: () => Promise<void>) => eventually(expected, { interval_ms: 300 });

test('counts people, ads, queues, read models and days, including deleted ads', async () => {
  const poster = await api.signUp('provider');
  const { id } = await api.postAd(poster.token);
  await pollSlowly(async () =>
    expect(await readOverview()).toMatchObject({
      users: { total: 2, clients: 1, providers: 1, newToday: 2 },
      ads: { live: 1, hidden: 0, newToday: 1 },
      reports: { today: 0 },
    }),
  );
  // If reading the queues takes too long, the response omits the queues. The test therefore polls.
  await pollSlowly(async () =>
    expect((await readOverview()).queues?.map(({ kind }) => kind)).toContain('account-mail'),
  );
  const { days, projections } = await readOverview();
  expect(days).toHaveLength(30);
  expect(days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), signUps: 2, ads: 1 });
  expect(days.slice(0, -1).every(({ signUps, ads }) => signUps === 0 && ads === 0)).toBe(true);
  expect(projections.map(({ name }) => name)).toContain('daily_counts');
  await api.call('DELETE', `/api/ads/${id}`, { token: poster.token });
  await pollSlowly(async () => expect(await readOverview()).toMatchObject({ ads: { live: 0, newToday: 1 } }));
});

test('counts live clients of this process and of other processes with recent reports', async () => {
  const pool = createTestPool(product.databaseUrl);
  await pool.query(
    `insert into ops.live_clients (process_id, clients, at)
     values ('another', 40, now() + interval '1 minute'), ('gone', 7, now() - interval '20 seconds')`,
  );
  const before = await connectLive(product.url);
  await pollSlowly(async () => expect((await readOverview()).liveClients).toBe(41));
  before.close();
  await pool.query(`delete from ops.live_clients where process_id = 'another'`);
  await pool.end();
  await pollSlowly(async () => expect((await readOverview()).liveClients).toBe(0));
});
