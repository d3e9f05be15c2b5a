import { toStreamId, listing } from '@alpenglow/domain';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, error, type ApiResponse, type Person } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
let owner: Person;
let client: Person;

beforeAll(async () => {
  [owner, client] = await Promise.all([api.signUp('provider'), api.signUp('client')]);
});

const review = (adId: string, token: string, body: Record<string, unknown> = {}) =>
  api.call('POST', `/api/ads/${adId}/reviews`, { body: { comment: 'Kind.', rating: 5, ...body }, token });
const NEW_REVIEW = {
  id: expect.any(String) as string,
  createdAt: expect.stringMatching(/^\d{4}-/u) as string,
  editedAt: null,
  isOfEarlierAd: false,
};
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
    const { body } = await api.call('GET', `/api/ads/${adId}`, { headers: after(second) });
    expect(body['data']).toMatchObject({ averageRating: 3.5, rating: 3.5, reviewCount: 2 });
    expect((body['data'] as { reviews: unknown }).reviews).toEqual([
      { ...NEW_REVIEW, name: 'Ben', comment: 'Kind and on time.', rating: 5 },
      { ...NEW_REVIEW, name: 'Carl', comment: 'Kind.', rating: 2 },
    ]);
    expect((await api.call('GET', '/api/ads?city=Ely')).body['data']).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: adId, averageRating: 3.5, reviewCount: 2 })]),
    );
    for (const { email, user } of [ben, carl])
      for (const secret of [email, user.id]) expect(JSON.stringify(body)).not.toContain(secret);
  });
  test('without a name has the display name of the client', async () => {
    const { token } = await api.signUp('client');
    expect((await review(await newAd(), token)).body['data']).toMatchObject({ name: 'Test' });
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
    expect((await api.call('GET', `/api/ads/${adId}`, { headers: after(written) })).body['data']).toMatchObject({
      reviewCount: 1,
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
  test('by a client with an unverified e-mail address is rejected', async () => {
    const { token } = await api.signUp('client', { verify: false });
    expect(await review(await newAd(), token)).toMatchObject({ status: 403, body: { code: 'ONLY_CLIENTS_REVIEW' } });
  });
});

describe('the author of a review', () => {
  interface ReviewedAd {
    readonly adId: string;
    readonly author: Person;
    readonly reviewId: string;
    readonly path: string;
    readonly sent: ApiResponse;
  }
  async function reviewedAd(): Promise<ReviewedAd> {
    const [adId, author, carl] = await Promise.all([newAd(), api.signUp('client'), api.signUp('client')]);
    await review(adId, carl.token, { name: 'Carl', rating: 2 });
    const sent = await review(adId, author.token, { name: 'Ben', comment: 'Kind.', rating: 5 });
    const reviewId = (sent.body['data'] as { id: string }).id;
    return { adId, author, reviewId, path: `/api/ads/${adId}/reviews/${reviewId}`, sent };
  }
  const readAd = async (adId: string, response: ApiResponse, token?: string) => {
    const { body } = await api.call('GET', `/api/ads/${adId}`, {
      headers: after(response),
      ...(token !== undefined && { token }),
    });
    return body['data'] as { reviews: { id: string }[]; ownReview: unknown };
  };

  test('edits it, and the average changes', async () => {
    const { adId, author, reviewId, path } = await reviewedAd();
    const edited = await api.call('PUT', path, { token: author.token, body: { comment: 'Late.', rating: 3 } });
    expect(edited).toMatchObject({
      status: 200,
      body: {
        data: { id: reviewId, name: 'Ben', comment: 'Late.', rating: 3, editedAt: expect.any(String) as string },
      },
    });
    expect(await readAd(adId, edited)).toMatchObject({
      averageRating: 2.5,
      reviewCount: 2,
      reviews: [{ name: 'Carl' }, { id: reviewId, comment: 'Late.', editedAt: expect.any(String) as string }],
    });
    const invalid = await api.call('PUT', path, { token: author.token, body: { comment: ' ', rating: 3 } });
    expect(invalid.status).toBe(400);
  });
  test('learns from the ad which review is their own', async () => {
    const { adId, author, reviewId, sent } = await reviewedAd();
    expect((await readAd(adId, sent, author.token)).ownReview).toEqual({
      id: reviewId,
      isRemoved: false,
      hasContactDetails: false,
    });
    expect((await readAd(adId, sent, client.token)).ownReview).toBeNull();
    expect((await readAd(adId, sent)).ownReview).toBeNull();
  });
  test('learns that others see marks instead of contact details in it', async () => {
    const { adId, author, path } = await reviewedAd();
    const edited = await api.call('PUT', path, {
      token: author.token,
      body: { comment: 'Call me: (702) 555-0142', rating: 5 },
    });
    expect((await readAd(adId, edited, author.token)).ownReview).toMatchObject({ hasContactDetails: true });
    expect(JSON.stringify(await readAd(adId, edited))).not.toContain('555');
  });
  test('deletes it, which removes it from the page, the average and the structured data', async () => {
    const { adId, author, reviewId, path } = await reviewedAd();
    const page = async () => (await fetch(`${product.url}/ad/${adId}`)).text();
    await expect.poll(page).toContain('"ratingValue":3.5,"reviewCount":2');
    const deleted = await api.call('DELETE', path, { token: author.token });
    expect(deleted).toMatchObject({ status: 200, body: { data: { id: reviewId } } });
    const shown = await readAd(adId, deleted, author.token);
    expect(shown).toMatchObject({ averageRating: 2, reviewCount: 1, reviews: [{ name: 'Carl' }], ownReview: null });
    await expect.poll(page).toContain('"ratingValue":2,"reviewCount":1');
    expect((await api.call('DELETE', path, { token: author.token })).body).toMatchObject({ code: 'REVIEW_NOT_FOUND' });
    expect((await review(adId, author.token)).status).toBe(201);
  });
  test('is the only one who can change or delete it', async () => {
    const { path } = await reviewedAd();
    for (const token of [client.token, owner.token]) {
      const body = { comment: 'Never.', rating: 1 };
      expect((await api.call('PUT', path, { token, body })).body).toMatchObject({ code: 'ONLY_REVIEWER' });
      expect((await api.call('DELETE', path, { token })).body).toMatchObject({ code: 'ONLY_REVIEWER' });
    }
  });
  test('cannot change or replace a review that a moderator has removed', async () => {
    const { adId, author, reviewId, path } = await reviewedAd();
    const admin = await api.signUp('client', { email: 'admin@example.com' });
    await api.call('PUT', path, { token: author.token, body: { comment: 'She lives at the station.', rating: 1 } });
    await api.call('DELETE', path, { token: author.token });
    const again = await review(adId, author.token, { comment: 'She lives at the station.', rating: 1 });
    const remove = (id: string) =>
      api.call('DELETE', `/api/admin/moderation/ads/${adId}/reviews/${id}`, {
        token: admin.token,
        body: { reason: 'It says where somebody lives.' },
      });
    expect((await remove(reviewId)).status).toBe(200);
    const removed = await remove((again.body['data'] as { id: string }).id);
    expect(await readAd(adId, removed, author.token)).toMatchObject({
      averageRating: 2,
      reviewCount: 1,
      reviews: [{ name: 'Carl' }],
      ownReview: { isRemoved: true },
    });
    expect((await review(adId, author.token)).body).toMatchObject({ code: 'REVIEW_REMOVED' });
    const log = async () =>
      (await api.call('GET', '/api/admin/log?type=AdReviewRemoved', { token: admin.token })).body['data'] as unknown[];
    await expect.poll(async () => (await log()).length).toBe(2);
    const history = await api.call('GET', `/api/admin/ads/${adId}/history`, {
      token: admin.token,
      headers: after(removed),
    });
    for (const type of ['AdReviewEdited', 'AdReviewDeleted', 'AdReviewRemoved'])
      expect(JSON.stringify(history.body)).toContain(type);
  });
});

test('the text of a review is sealed in the event store, and empty after its erasure', async () => {
  const ben = await api.signUp('client');
  const adId = await newAd();
  const written = await review(adId, ben.token, { name: 'Zacharias', comment: 'Quixotic marmalade.' });
  // The test reads the owner of the ad from the read model.
  expect((await api.call('GET', `/api/ads/${adId}`, { headers: after(written) })).status).toBe(200);
  const pool = createTestPool(product.databaseUrl, 2);
  const { rows } = await pool.query<{ everything: string }>(
    'select string_agg(e::text, chr(10)) as everything from es.events e',
  );
  for (const words of ['Zacharias', 'marmalade']) expect(rows[0]?.everything).not.toContain(words);

  await pool.query('update auth.data_keys set wrapped_key = null where starts_with(account_id, $1)', [ben.user.id]);
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
