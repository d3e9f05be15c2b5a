import type { LiveMessage } from '@alpenglow/domain';
import { LIVE_CLOSE, listing, postAd } from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, validAd, type ApiClient, type Person } from '../support/api.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive } from '../support/live.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording } from '../support/recording.ts';

let product: TestProduct;
let api: ApiClient;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
});
afterAll(() => product.stop());

const about = (adId: string, type: LiveMessage['type']) => (message: LiveMessage) =>
  message.type === type && adIdOf(message) === adId;

/** An ad that may be bumped. */
async function postedAnHourAgo(poster: Person): Promise<string> {
  const recording = await openRecording(product);
  const fields = { ...validAd, category: 'escort' as const, price: null, body: null, phone: null, socialMedia: null };
  const command = {
    poster: { accountId: poster.user.id, isProvider: true, emailVerified: true },
    clientId: null,
    fields,
    photos: [],
    video: null,
    isDemo: false,
  };
  const now = new Date(Date.now() - 60 * 60_000).toISOString();
  const { state } = await recording.commands.handle(
    listing,
    poster.user.id,
    (before, context) => postAd(command, before, context),
    BY_TEST,
    { now },
  );
  await recording.close();
  return state.ad?.adId ?? '';
}

/** Specification, sections 4 and 7, "Live channel". */
describe('the live channel', () => {
  test('tells everybody of an ad posted, updated and deleted, visitors too, with public data only', async () => {
    const provider = await api.signUp('provider');
    const clients = [await connectLive(product.url), await connectLive(product.url, { token: provider.token })];
    const { id } = await api.postAd(provider.token, { phone: '+1 555 0100' });
    await api.call('PUT', `/api/ads/${id}`, { token: provider.token, body: { title: 'Changed' } });
    await api.call('DELETE', `/api/ads/${id}`, { token: provider.token });
    for (const client of clients) {
      expect(await client.next(about(id, 'ad_created'))).toEqual({
        seq: expect.any(String) as string,
        type: 'ad_created',
        adId: id,
        place: { state: 'NV', city: 'Las Vegas', category: 'escort' },
        at: expect.any(String) as string,
      });
      await client.next(about(id, 'ad_updated'));
      await client.next(about(id, 'ad_deleted'));
      const own = client.messages.filter((message) => adIdOf(message) === id);
      expect(own.map(({ type }) => type)).toEqual(['ad_created', 'ad_updated', 'ad_deleted']);
      expect(own.map(({ seq }) => seq)).toEqual(own.map(({ seq }) => seq).sort());
      expect(JSON.stringify(client.messages)).not.toMatch(/555|@example\.com/u);
      client.close();
    }
  });

  test('tells of an ad bumped, and an admin’s removal as any other', async () => {
    const [provider, admin] = [
      await api.signUp('provider'),
      await api.signUp('client', { email: 'admin@example.com' }),
    ];
    const id = await postedAnHourAgo(provider);
    const client = await connectLive(product.url);
    expect((await api.call('POST', `/api/ads/${id}/bump`, { token: provider.token })).status).toBe(200);
    expect(await client.next(about(id, 'ad_bumped'))).toMatchObject({ type: 'ad_bumped', adId: id });
    expect((await api.call('DELETE', `/api/admin/ads/${id}`, { token: admin.token })).status).toBe(200);
    await client.next(about(id, 'ad_deleted'));
    client.close();
  });

  test('tells of a change only once the list shows it', async () => {
    const client = await connectLive(product.url);
    for (let n = 0; n < 10; n += 1) {
      const told = client.messages.length;
      const { token } = await api.signUp('provider');
      const posting = api.postAd(token, { city: 'Mesquite' });
      const adId = adIdOf(
        await client.next((message) => message.type === 'ad_created' && client.messages.indexOf(message) >= told),
      );
      const list = await api.call('GET', '/api/ads?city=Mesquite&limit=100');
      expect((await posting).id).toBe(adId);
      expect((list.body['data'] as { id: string }[]).map(({ id }) => id)).toContain(adId);
    }
    client.close();
  });

  test('resumes after `since` without a gap or a repeat, while new ads keep coming', async () => {
    const before = await connectLive(product.url);
    const first = await api.postAd((await api.signUp('provider')).token);
    const { seq } = await before.next(about(first.id, 'ad_created'));
    before.close();
    const providers = await Promise.all(Array.from({ length: 20 }, () => api.signUp('provider')));
    const missed = await Promise.all(providers.slice(0, 10).map(({ token }) => api.postAd(token)));
    const posting = providers.slice(10).map(({ token }) => api.postAd(token));
    const after = await connectLive(product.url, { since: seq });
    const expected = [...missed, ...(await Promise.all(posting))]
      .sort((a, b) => (a.position < b.position ? -1 : 1))
      .map(({ id }) => id);
    const last = expected.at(-1) ?? '';
    await after.next(about(last, 'ad_created'));
    expect(after.messages.map(adIdOf)).toEqual(expected);
    after.close();
  });

  test('closes on a token that is none, with a code of its own', async () => {
    const client = await connectLive(product.url, { token: 'a'.repeat(43) });
    expect(await client.closed).toBe(LIVE_CLOSE.badToken);
  });

  test('is at its path alone', async () => {
    await expect(connectLive(`${product.url}/elsewhere`)).rejects.toThrow(/404/u);
  });
});
