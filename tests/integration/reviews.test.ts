import { toStreamId, listing } from '@alpenglow/domain';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiResponse, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { createTestPool } from '../support/database.ts';

let product: TestProduct;
let api: ApiClient;
let owner: Person;
let ownAd: string;
/** A client who never has a review. In the tests, all requests of this client to review an ad must be rejected. */
let client: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  [owner, client] = await Promise.all([api.signUp('provider'), api.signUp('client')]);
  ownAd = (await api.postAd(owner.token)).id;
});
afterAll(() => product.stop());

const error = (code: string, message: string) => ({
  success: false,
  code,
  message,
  error: message,
  requestId: expect.any(String) as string,
});
const waitHeaders = ({ headers }: ApiResponse) => ({ 'x-wait-position': headers.get('x-position') ?? '' });
const review = (adId: string, token: string | undefined, body: Record<string, unknown> = {}) =>
  api.call('POST', `/api/ads/${adId}/reviews`, {
    body: { comment: 'Kind.', rating: 5, ...body },
    ...(token !== undefined && { token }),
  });
const newAd = async () => (await api.postAd((await api.signUp('provider')).token, { city: 'Ely' })).id;

describe('a review', () => {
  test('by a verified client is shown with name, comment and rating, and changes the average', async () => {
    const adId = await newAd();
    const [ben, carl] = await Promise.all([api.signUp('client'), api.signUp('client')]);
    const first = await review(adId, ben.token, { name: 'Ben', comment: ' Kind and on time. ', rating: 5 });
    expect(first).toMatchObject({
      status: 201,
      body: {
        success: true,
        message: expect.any(String) as string,
        data: { id: expect.any(String) as string, name: 'Ben', comment: 'Kind and on time.', rating: 5 },
      },
    });
    const second = await review(adId, carl.token, { name: 'Carl', rating: 2 });
    const { body } = await api.call('GET', `/api/ads/${adId}`, { headers: waitHeaders(second) });
    expect(body['data']).toMatchObject({ averageRating: 3.5, rating: 3.5, reviewCount: 2 });
    expect((body['data'] as { reviews: unknown }).reviews).toEqual([
      { name: 'Ben', comment: 'Kind and on time.', rating: 5 },
      { name: 'Carl', comment: 'Kind.', rating: 2 },
    ]);
    expect((await api.call('GET', '/api/ads?city=Ely')).body['data']).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: adId, averageRating: 3.5, reviewCount: 2 })]),
    );
    for (const { email, user } of [ben, carl])
      for (const secret of [email, user.id]) expect(JSON.stringify(body)).not.toContain(secret);
  });
  test('without a name has the display name of the client', async () => {
    const { token } = await api.signUp('client');
    for (const name of [undefined, null, ' '])
      expect((await review(await newAd(), token, { name })).body['data']).toMatchObject({ name: 'Test' });
  });
  test('directly after the ad was posted is accepted', async () => {
    const { token } = await api.signUp('client');
    for (let n = 0; n < 5; n += 1) expect((await review(await newAd(), token)).status).toBe(201);
  });
  test('is possible once per ad and client: of twenty parallel reviews, one is stored', async () => {
    const adId = await newAd();
    const { token } = await api.signUp('client');
    const responses = await Promise.all(Array.from({ length: 20 }, () => review(adId, token)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const rejected of responses.filter(({ status }) => status !== 201))
      expect(rejected).toMatchObject({
        status: 409,
        body: error('ALREADY_REVIEWED', 'You have already reviewed this ad'),
      });
    const written = responses.find(({ status }) => status === 201)?.headers.get('x-position') ?? '';
    expect(
      (await api.call('GET', `/api/ads/${adId}`, { headers: { 'x-wait-position': written } })).body['data'],
    ).toMatchObject({ reviewCount: 1 });
  });
  test("of one's own ad is rejected", async () => {
    expect(await review(ownAd, owner.token)).toMatchObject({
      status: 403,
      body: error('OWN_AD_REVIEW', 'You cannot review your own ad'),
    });
  });
  test('by a provider is rejected', async () => {
    expect(await review(await newAd(), (await api.signUp('provider')).token)).toMatchObject({
      status: 403,
      body: error('ONLY_CLIENTS_REVIEW', 'Only clients with a verified e-mail can review ads'),
    });
  });
  test('by a client with an unverified e-mail address is rejected', async () => {
    const { token } = await api.signUp('client', { verify: false });
    expect(await review(await newAd(), token)).toMatchObject({ status: 403, body: { code: 'ONLY_CLIENTS_REVIEW' } });
  });
  test('without a login is rejected: Authentication required', async () => {
    expect(await review(await newAd(), undefined)).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
  test('of an unknown or deleted ad is rejected: Ad not found', async () => {
    const { token } = await api.signUp('client');
    const poster = await api.signUp('provider');
    const { id } = await api.postAd(poster.token);
    await api.call('DELETE', `/api/ads/${id}`, { token: poster.token });
    for (const adId of [id, 'nothing', '6', '%00', 'a'.repeat(300)])
      expect(await review(adId, token)).toMatchObject({ status: 404, body: error('AD_NOT_FOUND', 'Ad not found') });
  });
  test.each([
    ['no comment', { comment: undefined }, 'Please fill in all required fields'],
    ['a blank comment', { comment: '  ' }, 'Please fill in all required fields'],
    ['no rating', { rating: undefined }, 'Please fill in all required fields'],
    ['rating 0', { rating: 0 }, 'Rating must be a whole number from 1 to 5'],
    ['rating 6', { rating: 6 }, 'Rating must be a whole number from 1 to 5'],
    ['rating 4.5', { rating: 4.5 }, 'Rating must be a whole number from 1 to 5'],
    ['a rating in words', { rating: '5' }, 'Rating must be a whole number from 1 to 5'],
    ['a comment that is too long', { comment: 'x'.repeat(1001) }, 'Comment must be at most 1000 characters'],
    ['a name that is too long', { name: 'x'.repeat(61) }, 'Name must be at most 60 characters'],
    ['a null character', { comment: 'a\u0000b' }, 'Comment contains characters that cannot be displayed'],
  ])('with %s is rejected', async (_what, changes, message) => {
    expect(await review(ownAd, client.token, changes)).toMatchObject({
      status: 400,
      body: { success: false, message },
    });
  });
});

test('a rejected review is not counted', async () => {
  const { body } = await api.call('GET', `/api/ads/${ownAd}`);
  expect(body['data']).toMatchObject({ reviews: [], reviewCount: 0, averageRating: 0 });
});

test('the text of a review is sealed in the event store, and empty after its erasure', async () => {
  const ben = await api.signUp('client');
  const adId = await newAd();
  await review(adId, ben.token, { name: 'Zacharias', comment: 'Quixotic marmalade.' });
  const pool = createTestPool(product.databaseUrl, 2);
  const { rows } = await pool.query<{ everything: string }>(
    'select string_agg(e::text, chr(10)) as everything from es.events e',
  );
  for (const words of ['Zacharias', 'marmalade']) expect(rows[0]?.everything).not.toContain(words);

  await pool.query('update auth.data_keys set wrapped_key = null where account_id = $1', [ben.user.id]);
  const { rows: streams } = await pool.query<{ account_id: string }>(
    'select account_id from rm.ad_cards where ad_id = $1',
    [adId],
  );
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, (await loadSecrets(product.dataDir)).dataKeys),
  );
  const events = await store.readStream(toStreamId(listing, String(streams[0]?.account_id)));
  expect(events.find(({ type }) => type === 'AdReviewed')?.data).toMatchObject({ name: '', comment: '', rating: 5 });
  await store.close();
  await pool.end();
});
