import { favorites } from '@alpenglow/domain';
import type { Authentication, CommandHandler } from '@alpenglow/infra';
import { beforeAll, describe, expect, test } from 'vitest';
import { favoriteRoutes } from '../../command-api/src/routes/favorites.ts';
import { after, apiClient, error, type ApiResponse, type Person } from '../support/api.ts';
import { serveRoutes } from '../support/served-routes.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let provider: Person;
let admin: Person;
/** The active ads in the order in which they were posted. */
let adIds: readonly string[];

beforeAll(async () => {
  const providers = await Promise.all([1, 2, 3].map(() => api.signUp('provider')));
  const ads = [];
  for (const { token } of providers) ads.push(await api.postAd(token));
  adIds = ads.map(({ id }) => id);
  [provider] = providers as [Person, Person, Person];
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

const add = (person: Person, adId: unknown) =>
  api.call('POST', '/api/favorites', { token: person.token, body: { adId } });
const remove = (person: Person, adId: string) => api.call('DELETE', `/api/favorites/${adId}`, { token: person.token });
const list = (person: Person, userId: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/api/favorites/${encodeURIComponent(userId)}`, { token: person.token, headers });

/** Adds all three ads to the favorites of a person. Returns the last response. */
async function addAll(person: Person): Promise<ApiResponse> {
  const responses = [];
  for (const adId of adIds) responses.push(await add(person, adId));
  return responses.at(-1) as ApiResponse;
}

describe('POST /favorites with {adId} and a bearer token', () => {
  test('adds the ad', async () => {
    const client = await api.signUp('client');
    const [adId = ''] = adIds;
    const added = await add(client, adId);
    expect(added).toMatchObject({ status: 201, body: { success: true, data: { id: adId, adId } } });
    expect(added.headers.get('etag')).toBe('"0"');
    expect(await list(client, client.user.id, after(added))).toMatchObject({
      status: 200,
      body: { success: true, adIds: [adId], data: [{ id: adId, title: 'Good company' }] },
    });
  });
  test('adds an ad once for twenty concurrent requests', async () => {
    const client = await api.signUp('client');
    const [adId = ''] = adIds;
    const responses = await Promise.all(Array.from({ length: 20 }, () => add(client, adId)));
    expect(responses.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([201]);
    expect((await recording.commands.load(favorites, client.user.id)).state.adIds).toEqual([adId]);
  });
  test('requires no verified e-mail', async () => {
    const client = await api.signUp('client', { verify: false });
    expect((await add(client, adIds[0])).status).toBe(201);
  });
  test("returns 'Ad not found' for an unknown ad", async () => {
    const client = await api.signUp('client');
    expect(await add(client, 'no-such-ad')).toMatchObject({ status: 404, body: error('AD_NOT_FOUND', 'Ad not found') });
  });
  test('rejects an invalid ad id', async () => {
    const client = await api.signUp('client');
    for (const adId of [undefined, null, '', 5, ['ad'], 'a b', '../x', 'x'.repeat(65)]) {
      expect(await add(provider, adId)).toMatchObject({ status: 403 });
      expect(await add(client, adId)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
    }
  });
});

describe('DELETE /favorites/{id} with the id of an ad and a bearer token', () => {
  test('removes the favorite', async () => {
    const client = await api.signUp('client');
    await addAll(client);
    const [, second = ''] = adIds;
    const removed = await remove(client, second);
    expect(removed).toMatchObject({ status: 200, body: { success: true, data: { id: second, adId: second } } });
    expect((await list(client, client.user.id, after(removed))).body['adIds']).toEqual([adIds[2], adIds[0]]);
  });
  test('does not remove favorites of other accounts', async () => {
    const [client, other] = [await api.signUp('client'), await api.signUp('client')];
    const added = await addAll(other);
    await remove(client, adIds[0] ?? '');
    expect((await list(other, other.user.id, after(added))).body['adIds']).toHaveLength(3);
  });
  test('returns 404 for an invalid ad id', async () => {
    const client = await api.signUp('client');
    expect(await remove(client, 'a%20b')).toMatchObject({ status: 404, body: { code: 'AD_NOT_FOUND' } });
  });
});

describe('GET /favorites/{userId} with a bearer token', () => {
  test('lists favorites by last added, without private fields', async () => {
    const client = await api.signUp('client');
    const listed = await list(client, client.user.id, after(await addAll(client)));
    const newestFirst = [...adIds].reverse();
    expect(listed.body['adIds']).toEqual(newestFirst);
    expect((listed.body['data'] as { id: string }[]).map(({ id }) => id)).toEqual(newestFirst);
    expect(JSON.stringify(listed.body)).not.toMatch(/phone|@example\.com/u);
    expect(listed.headers.get('cache-control')).toBe('no-store');
  });
  test("accepts the user's own e-mail in any letter case", async () => {
    const client = await api.signUp('client');
    const added = await addAll(client);
    expect((await list(client, client.email.toUpperCase(), after(added))).body['adIds']).toHaveLength(3);
  });
  test('is empty for a new client and for a provider', async () => {
    const client = await api.signUp('client', { verify: false });
    expect(await list(client, client.user.id)).toMatchObject({ status: 200, body: { data: [], adIds: [] } });
    expect(await list(provider, provider.user.id)).toMatchObject({ status: 200, body: { data: [], adIds: [] } });
  });
  test('omits the card of a deleted ad, whose favorite can still be removed', async () => {
    const [client, other] = [await api.signUp('client'), await api.signUp('provider')];
    const { id } = await api.postAd(other.token);
    await add(client, id);
    await add(client, adIds[0]);
    const deleted = await api.call('DELETE', `/api/ads/${id}`, { token: other.token });
    expect((await list(client, client.user.id, after(deleted))).body).toMatchObject({
      data: [{ id: adIds[0] }],
      adIds: [adIds[0], id],
    });
    const removed = await remove(client, id);
    expect((await list(client, client.user.id, after(removed))).body['adIds']).toEqual([adIds[0]]);
  });
  test('returns the same error for other users and unknown users', async () => {
    const [client, other] = [await api.signUp('client'), await api.signUp('client')];
    await addAll(other);
    for (const userId of [other.user.id, other.email, 'unknown@example.com', 'unknown', 'a b', '\u0000']) {
      expect(await list(client, userId), userId).toMatchObject({
        status: 404,
        body: error('USER_NOT_FOUND', 'User not found'),
      });
    }
  });
  test('returns the favorites of any user to an admin, by id and by e-mail', async () => {
    const client = await api.signUp('client');
    const headers = after(await addAll(client));
    for (const userId of [client.user.id, client.email])
      expect((await list(admin, userId, headers)).body['adIds'], userId).toHaveLength(3);
    for (const userId of ['unknown@example.com', 'unknown', '\u0000', 'a/b'])
      expect((await list(admin, userId)).status, userId).toBe(404);
  });
});

// The operation responds to an internal error with its documented message.
test("returns 'Error adding to favorites' for an internal error", async () => {
  const authentication = {
    require: async () => ({ account: { accountId: 'ben' }, user: { isProvider: false } }),
  } as unknown as Authentication;
  const ads = { ownerOf: () => Promise.reject(new Error('internal details')) };
  const server = await serveRoutes(
    '/api/favorites',
    favoriteRoutes({ commands: {} as CommandHandler, authentication, ads }),
  );
  try {
    const response = await apiClient(server.url).call('POST', '/api/favorites', {
      token: 'any',
      body: { adId: 'ad-1' },
    });
    expect(response).toMatchObject({
      status: 500,
      body: { success: false, code: 'INTERNAL', message: 'Error adding to favorites', error: 'HTTP 500' },
    });
    expect(JSON.stringify(response.body)).not.toContain('internal details');
  } finally {
    await server.stop();
  }
});
