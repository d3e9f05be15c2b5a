import type { LiveMessage, LiveTopic } from '@alpenglow/domain';
import { LIVE_CLOSE_CODES, listing } from '@alpenglow/domain';
import { postAd } from '@alpenglow/domain/deciders';
import { beforeAll, describe, expect, test } from 'vitest';
import { validAd, type Person } from '../support/api.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive, type LiveClient } from '../support/live.ts';
import { TEST_ORIGIN, openRecording } from '../support/recording.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
let admin: Person;

beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

const about = (adId: string, type: LiveMessage['type']) => (message: LiveMessage) =>
  message.type === type && adIdOf(message) === adId;

/** Posts an ad that appears to be an hour old, because a newer ad cannot be bumped yet. */
async function postAdAnHourAgo(poster: Person): Promise<string> {
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
  const { state } = await recording.commands.execute(listing, poster.user.id, postAd, command, TEST_ORIGIN, { now });
  await recording.close();
  return state.ad?.adId ?? '';
}

// Tests the live channel.
describe('the live channel', () => {
  test('sends posted, updated and deleted ads to all clients and visitors, with public data only', async () => {
    const provider = await api.signUp('provider');
    const clients = [await connectLive(product.url), await connectLive(product.url, { token: provider.token })];
    const { id } = await api.postAd(provider.token, { phone: '+17025550100' });
    await api.call('PUT', `/api/ads/${id}`, { token: provider.token, body: { title: 'Changed' } });
    await api.call('DELETE', `/api/ads/${id}`, { token: provider.token });
    for (const client of clients) {
      expect(await client.next(about(id, 'ad_created'))).toEqual({
        seq: expect.any(String) as string,
        type: 'ad_created',
        adId: id,
        place: { state: 'NV', city: 'Las Vegas', category: 'escort' },
        isRestored: false,
        at: expect.any(String) as string,
      });
      await client.next(about(id, 'ad_updated'));
      await client.next(about(id, 'ad_deleted'));
      const own = client.messages.filter((message) => adIdOf(message) === id);
      expect(own.map(({ type }) => type)).toEqual(['ad_created', 'ad_updated', 'ad_deleted']);
      expect(JSON.stringify(client.messages)).not.toMatch(/555.?0100|@example\.com/u);
      client.close();
    }
  });

  test('sends bumped ads, and deletions by an admin like any other deletion', async () => {
    const provider = await api.signUp('provider');
    const id = await postAdAnHourAgo(provider);
    const client = await connectLive(product.url);
    expect((await api.call('POST', `/api/ads/${id}/bump`, { token: provider.token })).status).toBe(200);
    expect(await client.next(about(id, 'ad_bumped'))).toMatchObject({ type: 'ad_bumped', adId: id });
    expect(
      (await api.call('DELETE', `/api/admin/ads/${id}`, { token: admin.token, body: { reason: 'As asked.' } })).status,
    ).toBe(200);
    await client.next(about(id, 'ad_deleted'));
    client.close();
  });

  test('sends a change only after the list contains it', async () => {
    const client = await connectLive(product.url);
    for (let n = 0; n < 10; n += 1) {
      const received = client.messages.length;
      const { token } = await api.signUp('provider');
      const posting = api.postAd(token, { city: 'Mesquite' });
      const adId = adIdOf(
        await client.next((message) => message.type === 'ad_created' && client.messages.indexOf(message) >= received),
      );
      const list = await api.call('GET', '/api/ads?city=Mesquite&limit=100');
      expect((await posting).id).toBe(adId);
      expect((list.body['data'] as { id: string }[]).map(({ id }) => id)).toContain(adId);
    }
    client.close();
  });

  test('resumes after `since` without gaps or duplicates while new ads are posted', async () => {
    const before = await connectLive(product.url);
    const first = await api.postAd((await api.signUp('provider')).token);
    const { seq } = await before.next(about(first.id, 'ad_created'));
    const providers = await Promise.all(Array.from({ length: 20 }, () => api.signUp('provider')));
    const missed = await Promise.all(providers.slice(0, 10).map(({ token }) => api.postAd(token)));
    const posting = providers.slice(10).map(({ token }) => api.postAd(token));
    const after = await connectLive(product.url, { since: seq });
    const posted = [...missed, ...(await Promise.all(posting))].map(({ id }) => id);
    for (const id of posted) await Promise.all([before, after].map((client) => client.next(about(id, 'ad_created'))));
    // A client that was connected all the time has received the same messages in the same order.
    const all = before.messages.map(adIdOf);
    expect(after.messages.map(adIdOf)).toEqual(all.slice(all.indexOf(first.id) + 1));
    expect(after.messages.map(adIdOf).toSorted()).toEqual(posted.toSorted());
    before.close();
    after.close();
  });

  test('sends messages about an ad to the clients that display it, also when it is moved or deleted', async () => {
    const [provider, stranger] = [await api.signUp('provider'), await api.signUp('provider')];
    const connect = async (topics: readonly LiveTopic[], token?: string) => {
      const client = await connectLive(product.url, { topics: 'none', ...(token !== undefined && { token }) });
      expect(await client.ask({ type: 'subscribe', id: 1, topics })).toMatchObject({ type: 'subscribed', id: 1 });
      return client;
    };
    const vegas = await connect([{ kind: 'ads', state: 'NV', city: 'Las Vegas' }]);
    const escorts = await connect([{ kind: 'ads', category: 'escort' }]);
    const reno = await connect([{ kind: 'ads', state: 'NV', city: 'Reno' }]);
    const own = await connect([{ kind: 'own' }], provider.token);
    const unconcerned = await Promise.all([
      connect([{ kind: 'own' }], stranger.token),
      connect([{ kind: 'ads', state: 'CA' }, { kind: 'threads' }]),
      connect([]),
    ]);
    const everything = await connectLive(product.url);

    const { id } = await api.postAd(provider.token);
    await everything.next(about(id, 'ad_created'));
    const page = await connect([{ kind: 'ad', adId: id }]);
    for (const body of [{ title: 'Changed' }, { city: 'Reno' }, { title: 'In Reno' }]) {
      expect((await api.call('PUT', `/api/ads/${id}`, { token: provider.token, body })).status).toBe(200);
      // The first update is published before the ad is moved.
      await everything.next(about(id, 'ad_updated'));
    }
    await api.call('DELETE', `/api/ads/${id}`, { token: provider.token });
    const last = await api.postAd(stranger.token, { state: 'CA', city: 'Los Angeles' });
    await everything.next(about(last.id, 'ad_created'));
    const typesOf = (client: LiveClient) =>
      client.messages.filter((message) => adIdOf(message) === id).map(({ type }) => type);
    const changes = ['ad_updated', 'ad_updated', 'ad_updated', 'ad_deleted'];
    for (const client of [vegas, escorts, own]) {
      await client.next(about(id, 'ad_deleted'));
      expect(typesOf(client)).toEqual(['ad_created', ...changes]);
    }
    await page.next(about(id, 'ad_deleted'));
    expect(typesOf(page)).toEqual(changes);
    // The ad was moved to Reno by the second update.
    await reno.next(about(id, 'ad_deleted'));
    expect(typesOf(reno)).toEqual(changes.slice(1));
    for (const client of unconcerned) {
      expect(typesOf(client)).toEqual([]);
      client.close();
    }
    for (const client of [vegas, escorts, reno, own, page, everything]) client.close();
  });

  test('reports a hidden ad that is public again as an update and not as a new ad', async () => {
    const provider = await api.signUp('provider');
    const { id } = await api.postAd(provider.token);
    const client = await connectLive(product.url);
    await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id }, reason: 'under_age', text: null } });
    await client.next(about(id, 'ad_deleted'));
    const caseUrl = `/api/admin/moderation/cases/ad-${id}`;
    await api.call('POST', `${caseUrl}/claim`, { token: admin.token });
    const body = { outcome: 'kept', rule: 'illegal', facts: 'The ad is about an adult.' };
    expect(await api.call('POST', `${caseUrl}/decide`, { token: admin.token, body })).toMatchObject({ status: 200 });
    expect(await client.next(about(id, 'ad_updated'))).toMatchObject({ isRestored: true });
    const afterHiding = client.messages.slice(client.messages.findIndex(about(id, 'ad_deleted')));
    expect(afterHiding.filter(({ type }) => type === 'ad_created')).toEqual([]);
    client.close();
  });

  test('closes with a specific code for an invalid token', async () => {
    const client = await connectLive(product.url, { token: 'a'.repeat(43) });
    expect(await client.closed).toBe(LIVE_CLOSE_CODES.invalidToken);
  });

  test('is available at its path only', async () => {
    await expect(connectLive(`${product.url}/elsewhere`)).rejects.toThrow(/404/u);
  });
});
