import { favorites, MAX_FAVORITES } from '@alpenglow/domain';
import type { Authentication, CommandHandler } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { favoriteRoutes } from '../../command-api/src/routes/favorites.ts';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { serveRoutes } from '../support/served-routes.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let provider: Person;
let admin: Person;
/** Ads that are up, in the order in which they were posted. */
let adIds: readonly string[];
let position: string;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  const providers = await Promise.all([1, 2, 3].map(() => api.signUp('provider')));
  const ads = [];
  for (const { token } of providers) ads.push(await api.postAd(token));
  adIds = ads.map(({ id }) => id);
  position = ads.at(-1)?.position ?? '';
  [provider] = providers as [Person, Person, Person];
  admin = await api.signUp('client', { email: 'admin@example.com' });
});
afterAll(async () => {
  await recording.close();
  await product.stop();
});

const error = (code: string, message: string) => ({
  success: false,
  code,
  message,
  error: message,
  requestId: expect.any(String) as string,
});
/** Headers that make a read wait for what an answer has written. */
const after = ({ headers }: Answer) => ({ 'x-wait-position': headers.get('x-position') ?? '' });
const add = (person: Person, adId: unknown) =>
  api.call('POST', '/api/favorites', { token: person.token, body: { adId } });
const remove = (person: Person, adId: string) => api.call('DELETE', `/api/favorites/${adId}`, { token: person.token });
const list = (person: Person, userId: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/api/favorites/${encodeURIComponent(userId)}`, { token: person.token, headers });

/** Adds all three ads; answers what a read has to wait for. */
async function addAll(person: Person): Promise<Answer> {
  const answers = [];
  for (const adId of adIds) answers.push(await add(person, adId));
  return answers.at(-1) as Answer;
}

describe('POST /favorites with {adId} (bearer)', () => {
  test('keeps the ad', async () => {
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
  test('twice keeps it once', async () => {
    const client = await api.signUp('client');
    const [adId = ''] = adIds;
    await add(client, adId);
    const again = await add(client, adId);
    expect(again).toMatchObject({ status: 200, body: { success: true } });
    expect((await list(client, client.user.id, after(again))).body['adIds']).toEqual([adId]);
  });
  test('twenty times at once keeps it once', async () => {
    const client = await api.signUp('client');
    const [adId = ''] = adIds;
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(client, adId)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([201]);
    expect((await recording.commands.load(favorites, client.user.id)).state.adIds).toEqual([adId]);
  });
  test('needs no verified e-mail', async () => {
    const client = await api.signUp('client', { verify: false });
    expect((await add(client, adIds[0])).status).toBe(201);
  });
  test("'Only clients can add favorites'", async () => {
    expect(await add(provider, adIds[1])).toMatchObject({
      status: 403,
      body: error('ONLY_CLIENTS_FAVORITE', 'Only clients can add favorites'),
    });
  });
  test("an ad that is not there: 'Ad not found'", async () => {
    const client = await api.signUp('client');
    expect(await add(client, 'no-such-ad')).toMatchObject({ status: 404, body: error('AD_NOT_FOUND', 'Ad not found') });
  });
  test.each([undefined, null, '', 5, ['ad'], 'a b', '../x', 'x'.repeat(65)])(
    'an ad named %j is refused',
    async (adId) => {
      expect(await add(provider, adId)).toMatchObject({ status: 403 });
      const client = await api.signUp('client');
      expect(await add(client, adId)).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
    },
  );
  test(`at most ${MAX_FAVORITES}`, async () => {
    const client = await api.signUp('client');
    const accountId = client.user.id;
    const many = Array.from(
      { length: MAX_FAVORITES },
      (_, index) => ({ type: 'AdFavorited', data: { accountId, adId: `ad-${index}` } }) as const,
    );
    await recording.commands.handle(favorites, accountId, () => many, BY_TEST);
    expect(await add(client, adIds[0])).toMatchObject({
      status: 409,
      body: error('TOO_MANY_FAVORITES', `You can keep at most ${MAX_FAVORITES} favorites`),
    });
  });
  test("without a token: 'Authentication required'", async () => {
    expect(await api.call('POST', '/api/favorites', { body: { adId: adIds[0] } })).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
});

describe('DELETE /favorites/{id} (bearer; the id is the ad id)', () => {
  test('takes it off', async () => {
    const client = await api.signUp('client');
    await addAll(client);
    const [, second = ''] = adIds;
    const removed = await remove(client, second);
    expect(removed).toMatchObject({ status: 200, body: { success: true, data: { id: second, adId: second } } });
    expect((await list(client, client.user.id, after(removed))).body['adIds']).toEqual([adIds[2], adIds[0]]);
  });
  test('twice, or of an ad that never was one, changes nothing', async () => {
    const client = await api.signUp('client');
    const [adId = ''] = adIds;
    expect(await remove(client, adId)).toMatchObject({ status: 200, body: { success: true } });
    await add(client, adId);
    const first = await remove(client, adId);
    const second = await remove(client, adId);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  });
  test('takes it off nobody else', async () => {
    const [one, other] = [await api.signUp('client'), await api.signUp('client')];
    const added = await addAll(other);
    await remove(one, adIds[0] ?? '');
    expect((await list(other, other.user.id, after(added))).body['adIds']).toHaveLength(3);
  });
  test('what cannot be an ad: 404', async () => {
    const client = await api.signUp('client');
    expect(await remove(client, 'a%20b')).toMatchObject({ status: 404, body: { code: 'AD_NOT_FOUND' } });
  });
  test('without a token: 401', async () => {
    expect((await api.call('DELETE', `/api/favorites/${adIds[0]}`)).status).toBe(401);
  });
});

describe('GET /favorites/{userId} (bearer)', () => {
  test('the favorite added last comes first, as cards without anything private', async () => {
    const client = await api.signUp('client');
    const listed = await list(client, client.user.id, after(await addAll(client)));
    const newestFirst = [...adIds].reverse();
    expect(listed.body['adIds']).toEqual(newestFirst);
    expect((listed.body['data'] as { id: string }[]).map(({ id }) => id)).toEqual(newestFirst);
    expect(JSON.stringify(listed.body)).not.toMatch(/phone|@example\.com/u);
    expect(listed.headers.get('cache-control')).toBe('no-store');
  });
  test('the user may be named by their own e-mail, whatever its case', async () => {
    const client = await api.signUp('client');
    const added = await addAll(client);
    expect((await list(client, client.email.toUpperCase(), after(added))).body['adIds']).toHaveLength(3);
  });
  test('has none at first, and a provider never has any', async () => {
    const client = await api.signUp('client', { verify: false });
    expect(await list(client, client.user.id)).toMatchObject({ status: 200, body: { data: [], adIds: [] } });
    expect(await list(provider, provider.user.id)).toMatchObject({ status: 200, body: { data: [], adIds: [] } });
  });
  test('an ad taken down is no card any more, and its favorite can still be taken off', async () => {
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
  test('whose they are not is not told whether there is such a user', async () => {
    const [client, other] = [await api.signUp('client'), await api.signUp('client')];
    await addAll(other);
    for (const userId of [other.user.id, other.email, 'nobody@example.com', 'unknown', 'a b', '\u0000']) {
      expect(await list(client, userId), userId).toMatchObject({
        status: 404,
        body: error('USER_NOT_FOUND', 'User not found'),
      });
    }
  });
  test('an admin sees everybody’s, by id and by e-mail', async () => {
    const client = await api.signUp('client');
    const headers = after(await addAll(client));
    for (const userId of [client.user.id, client.email])
      expect((await list(admin, userId, headers)).body['adIds'], userId).toHaveLength(3);
    for (const userId of ['nobody@example.com', 'unknown', '\u0000', 'a/b'])
      expect((await list(admin, userId)).status, userId).toBe(404);
  });
  test('without a token: 401', async () => {
    expect((await api.call('GET', `/api/favorites/${provider.user.id}`)).status).toBe(401);
  });
  test('waits for the position of the ads, too', async () => {
    expect((await list(provider, provider.user.id, { 'x-wait-position': position })).status).toBe(200);
  });
});

/** Specification, section 8, "Favorites". */
test("'Error adding to favorites' where it is no fault of the asker's", async () => {
  const authentication = {
    require: async () => ({ account: { accountId: 'ben' }, user: { isProvider: false } }),
  } as unknown as Authentication;
  const ads = { ownerOf: () => Promise.reject(new Error('a fault of ours')) };
  const broken = await serveRoutes(
    '/api/favorites',
    favoriteRoutes({ commands: {} as CommandHandler, authentication, ads }),
  );
  try {
    const answer = await apiClient(broken.url).call('POST', '/api/favorites', { token: 'any', body: { adId: 'ad-1' } });
    expect(answer).toMatchObject({
      status: 500,
      body: { success: false, code: 'INTERNAL', message: 'Error adding to favorites', error: 'HTTP 500' },
    });
    expect(JSON.stringify(answer.body)).not.toContain('a fault of ours');
  } finally {
    await broken.stop();
  }
});
