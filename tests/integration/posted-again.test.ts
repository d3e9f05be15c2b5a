import { photoUrl, type AdCard, type AdView, type ContentView } from '@alpenglow/domain';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { waitForReadModels } from '../support/threads.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

/**
 * A provider deletes the ad and posts it again, to avoid the cooldown of bumps, bad reviews or an open case.
 */

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let admin: Person;
let client: Person;
let provider: Person;
let firstId: string;

beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
  client = await api.signUp('client');
});
beforeEach(async () => {
  provider = await api.signUp('provider');
  firstId = (await api.postAd(provider.token, { title: 'The first evening' })).id;
  await review(firstId, { comment: 'Not kind.', rating: 1 });
});

const review = (adId: string, body: unknown) =>
  api.call('POST', `/api/ads/${adId}/reviews`, { token: client.token, body });

async function getAd(adId: string): Promise<AdView> {
  await waitForReadModels(product.url);
  return (await api.call('GET', `/api/ads/${adId}`)).body['data'] as AdView;
}

async function postAgain(): Promise<string> {
  expect((await api.call('DELETE', `/api/ads/${firstId}`, { token: provider.token })).status).toBe(200);
  return (await api.postAd(provider.token, { title: 'Another evening' })).id;
}

test('keeps the creation time and the last bump, so it stays at its place and waits for the next bump', async () => {
  const { createdAt, lastBumpedAt } = await getAd(firstId);
  const other = await api.postAd((await api.signUp('provider')).token);
  const secondId = await postAgain();
  expect(await getAd(secondId)).toMatchObject({ createdAt, lastBumpedAt });
  for (const sort of ['', '&sort=newest']) {
    const { body } = await api.call('GET', `/api/ads?limit=100${sort}`);
    const listedIds = (body['data'] as AdCard[]).map(({ id }) => id);
    expect(listedIds.indexOf(secondId)).toBeGreaterThan(listedIds.indexOf(other.id));
  }
  expect(await api.call('POST', `/api/ads/${secondId}/bump`, { token: provider.token })).toMatchObject({
    status: 429,
    body: { code: 'BUMP_COOLDOWN' },
  });
});

test('shows the earlier reviews and their rating, which their author can still change', async () => {
  const [earlier] = (await getAd(firstId)).reviews;
  const secondId = await postAgain();
  expect(await getAd(secondId)).toMatchObject({
    averageRating: 1,
    reviewCount: 1,
    reviews: [{ ...earlier, isOfEarlierAd: true }],
  });
  expect(await review(secondId, { comment: 'Again.', rating: 1 })).toMatchObject({
    body: { code: 'ALREADY_REVIEWED' },
  });
  const path = `/api/ads/${secondId}/reviews/${earlier?.id}`;
  await api.call('PUT', path, { token: client.token, body: { comment: 'Kind today.', rating: 5 } });
  expect(await getAd(secondId)).toMatchObject({ averageRating: 5, reviews: [{ comment: 'Kind today.' }] });
  expect((await api.call('DELETE', path, { token: client.token })).status).toBe(200);
  expect(await getAd(secondId)).toMatchObject({ averageRating: 0, reviewCount: 0, reviews: [] });
});

test('lets moderators read and remove the earlier reviews, also in a new case', async () => {
  await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: firstId }, reason: 'spam' } });
  const secondId = await postAgain();
  await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: secondId }, reason: 'spam' } });
  const [earlier] = (await getAd(secondId)).reviews;
  const readCase = async (adId: string) => {
    const { body } = await api.call('GET', `/api/admin/moderation/cases/ad-${adId}`, { token: admin.token });
    return body['data'] as { readonly judged: ContentView; readonly now: ContentView };
  };
  const reviews = [{ id: earlier?.id, name: earlier?.name, comment: 'Not kind.', rating: 1 }];
  expect(await readCase(firstId)).toMatchObject({ judged: { reviews }, now: { adId: secondId, reviews } });
  expect(await readCase(secondId)).toMatchObject({ judged: { reviews }, now: { adId: secondId, reviews } });
  const path = `/api/admin/moderation/ads/${secondId}/reviews/${earlier?.id}`;
  expect((await api.call('DELETE', path, { token: admin.token, body: { reason: 'Insult.' } })).status).toBe(200);
  expect((await readCase(firstId)).now.reviews).toEqual([]);
  expect((await readCase(secondId)).now.reviews).toEqual([]);
  expect((await getAd(secondId)).reviews).toEqual([]);
});

test('stays in the open case of the earlier ad, whose decision hides it', async () => {
  await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: firstId }, reason: 'spam' } });
  const secondId = await postAgain();
  await waitForReadModels(product.url);
  const path = `/api/admin/moderation/cases/ad-${firstId}`;
  const { body } = await api.call('GET', path, { token: admin.token });
  const { now } = body['data'] as { readonly now: ContentView };
  expect(now).toMatchObject({ isGone: false, title: 'Another evening' });
  await api.call('POST', `${path}/claim`, { token: admin.token, body: {} });
  const decision = { outcome: 'hidden', rule: 'spam', facts: 'The same text in many ads.' };
  const decided = await api.call('POST', `${path}/decide`, { token: admin.token, body: decision });
  expect(decided.status).toBe(200);
  const headers = after(decided);
  expect(await api.call('GET', `/api/ads/${secondId}`, { headers })).toMatchObject({ status: 404 });
});

/** Claims and decides the case of the first ad. */
async function decide(body: Readonly<Record<string, unknown>>) {
  const path = `/api/admin/moderation/cases/ad-${firstId}`;
  await waitForReadModels(product.url);
  await api.call('POST', `${path}/claim`, { token: admin.token, body: {} });
  return api.call('POST', `${path}/decide`, { token: admin.token, body });
}

test('loses a photo by a decision in the open case of the earlier ad', async () => {
  await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: firstId }, reason: 'spam' } });
  await api.call('DELETE', `/api/ads/${firstId}`, { token: provider.token });
  const photos = [await recording.media(provider.user.id, 'photo'), await recording.media(provider.user.id, 'photo')];
  const [photoId = '', otherId = ''] = photos;
  const { id } = await api.postAd(provider.token, { photos: photos.map((photo) => photoUrl(photo)) });
  const decision = { outcome: 'photo_removed', rule: 'consent', facts: 'Another person.', photoId };
  expect(await decide(decision)).toMatchObject({ status: 200 });
  expect((await getAd(id)).photos).toEqual([photoUrl(otherId)]);
});

test('receives a report about the earlier ad that was not in a case yet', async () => {
  const secondId = await postAgain();
  const body = { subject: { kind: 'ad', id: firstId }, reason: 'spam' };
  expect(await api.call('POST', '/api/reports', { body })).toMatchObject({ status: 201 });
  await waitForReadModels(product.url);
  const { body: found } = await api.call('GET', `/api/admin/moderation/cases/ad-${firstId}`, { token: admin.token });
  expect(found['data']).toMatchObject({ state: 'open', now: { adId: secondId } });
});

test('is hidden if a moderator has decided while no ad was up, and the content is the same', async () => {
  await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: firstId }, reason: 'spam' } });
  await api.call('DELETE', `/api/ads/${firstId}`, { token: provider.token });
  const decision = { outcome: 'hidden', rule: 'spam', facts: 'The same text in many ads.' };
  expect((await decide(decision)).status).toBe(200);
  const { id } = await api.postAd(provider.token, { title: 'The first evening' });
  await waitForReadModels(product.url);
  expect(await api.call('GET', `/api/ads/${id}`)).toMatchObject({ status: 404 });
});

test('continues nothing of a closed account with the same address', async () => {
  await api.call('DELETE', `/api/admin/users/${provider.user.id}`, { token: admin.token, body: { reason: 'Asked.' } });
  const later = await api.signUp('provider', { email: provider.email });
  expect(later.user.id).toBe(provider.user.id);
  const { id } = await api.postAd(later.token);
  expect(await getAd(id)).toMatchObject({ reviewCount: 0, reviews: [] });
});
