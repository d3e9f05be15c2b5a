import { CARD_TEXTS, PAGE_TEXTS, type AdView, type ContactDetails } from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { waitForReadModels } from '../support/threads.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** A client collects phone numbers and addresses that providers have written into the texts of their ads. */

const NUMBER = /555.?01(?:47|48|49|50|51|52|53)|alpenglow\.mail/u;
/** All texts of an ad that visitors read, also those that are not named below. */
const VISIBLE_TEXTS = [...CARD_TEXTS, ...PAGE_TEXTS];
const TEXTS = {
  ...Object.fromEntries(VISIBLE_TEXTS.map((field) => [field, 'Write to 702 555 0147'])),
  name: 'Anna 702 555 0147',
  title: 'Calm evenings, call 702-555-0148',
  price: '300 or 7025550149',
  description: 'A lantern by the lake. Write to anna@alpenglow.mail.example or 702 555 0150.',
  body: 'Tall, 702.555.0151',
};
const REVIEW = { name: 'Ben 702 555 0152', comment: 'Kind. I am 702 555 0153.', rating: 5 };

const product = testProduct();
const api = testApi(product);
let provider: Person;
let client: Person;
let admin: Person;
let adId: string;
let spelledAdId: string;

beforeAll(async () => {
  [provider, client, admin] = await Promise.all([
    api.signUp('provider'),
    api.signUp('client'),
    api.signUp('client', { email: 'admin@example.com' }),
  ]);
  adId = (await api.postAd(provider.token, TEXTS)).id;
  const spelled = { name: 'Bea', title: 'A walk, seven oh two five five five oh one four eight' };
  spelledAdId = (await api.postAd((await api.signUp('provider')).token, spelled)).id;
  await api.call('POST', `/api/ads/${adId}/reviews`, { token: client.token, body: REVIEW });
  await api.call('POST', '/api/favorites', { token: client.token, body: { adId } });
  await waitForReadModels(product.url);
});

const getAd = async (token?: string) =>
  (await api.call('GET', `/api/ads/${adId}`, token === undefined ? {} : { token })).body['data'] as AdView;

describe('no public response contains them:', () => {
  const paths = [
    ...['', '/featured', '/nearby?state=NV&city=Las%20Vegas', '/location/NV/Las%20Vegas', '?q=lantern', '?q=calm'].map(
      (path) => `/api/ads${path}`,
    ),
    '/api/search?q=lantern',
    '/listings',
    '/listings?q=lantern',
    '/city/nv/las-vegas',
    '/sitemap.xml',
  ];
  test.each(paths)('%s', async (path) => {
    const response = await fetch(`${product.url}${path}`, { headers: { accept: '*/*' } });
    expect(response.status).toBeLessThan(400);
    expect(await response.text()).not.toMatch(NUMBER);
  });
  test('the ad and its page', async () => {
    expect(JSON.stringify(await getAd())).not.toMatch(NUMBER);
    expect(JSON.stringify(await getAd((await api.signUp('client')).token))).not.toMatch(NUMBER);
    expect(await (await fetch(`${product.url}/ad/${adId}`)).text()).not.toMatch(NUMBER);
  });
  test('the addresses in the sitemap', async () => {
    const sitemap = await (await fetch(`${product.url}/sitemaps/ads-1.xml`)).text();
    expect(sitemap).not.toMatch(NUMBER);
    expect(sitemap).toContain(`/calm-evenings-call/${adId}<`);
    expect(sitemap).toContain(`/a-walk/${spelledAdId}<`);
  });
  test('the favorites of a client', async () => {
    const { body } = await api.call('GET', `/api/favorites/${client.user.id}`, { token: client.token });
    expect(body['data']).toHaveLength(1);
    expect(JSON.stringify(body)).not.toMatch(NUMBER);
  });
});

test('no search finds an ad by a part of a number or an address', async () => {
  for (const q of ['702', '0147', '0150', '7025550149', 'alpenglow', 'anna@alpenglow.mail.example'])
    expect((await api.call('GET', `/api/ads?q=${encodeURIComponent(q)}`)).body, q).toMatchObject({ total: 0 });
  expect((await api.call('GET', '/api/ads?q=lantern')).body).toMatchObject({ total: 1 });
  expect((await api.call('GET', '/api/ads?q=anna')).body).toMatchObject({ total: 1 });
});

test('the complete texts are in the response with the contact details, and nowhere else for visitors', async () => {
  const { hasContact, contactToken: token } = await getAd();
  expect(hasContact).toBe(true);
  const { body } = await api.call('POST', `/api/ads/${adId}/contact`, { body: { token } });
  const { texts } = body['data'] as ContactDetails;
  expect(texts).toMatchObject({ ...TEXTS, reviews: [REVIEW] });
});

test('the owner, an admin and the author of a review receive their complete texts', async () => {
  expect(await getAd(provider.token)).toMatchObject({ ...TEXTS, reviews: [REVIEW] });
  expect(await getAd(admin.token)).toMatchObject({ ...TEXTS, reviews: [REVIEW] });
  expect((await getAd(client.token)).reviews).toMatchObject([REVIEW]);
  // An owner shares the address of the ad, so it is the same for everybody.
  for (const token of [provider.token, admin.token, client.token, undefined])
    expect(await getAd(token)).toMatchObject({ slug: 'calm-evenings-call' });
  const spelled = await api.call('GET', `/api/ads/${spelledAdId}`, { token: admin.token });
  expect(spelled.body['data']).toMatchObject({ slug: 'a-walk' });
  const own = await api.call('GET', '/api/ads/user', { token: provider.token });
  expect(own.body['data']).toMatchObject([{ title: TEXTS.title }]);
});

test('the owner sees before posting what visitors will see', async () => {
  const { body } = await api.call('POST', '/api/ads/preview', { token: provider.token, body: TEXTS });
  expect(body['data']).toMatchObject({
    hidden: VISIBLE_TEXTS.length + 1,
    texts: { title: 'Calm evenings, call [•••]', body: 'Tall, [•••]' },
  });
  expect(JSON.stringify(body)).not.toMatch(NUMBER);
  const plain = { title: 'Only 150/200/300 today', body: ' ' };
  expect((await api.call('POST', '/api/ads/preview', { token: provider.token, body: plain })).body['data']).toEqual({
    hidden: 0,
    texts: { ...Object.fromEntries(VISIBLE_TEXTS.map((field) => [field, null])), title: plain.title },
  });
  expect((await api.call('POST', '/api/ads/preview', { body: TEXTS })).status).toBe(401);
});

test('texts without contact details stay as they are', async () => {
  const other = await api.signUp('provider');
  const texts = {
    name: 'Berta',
    title: 'Only 150/200/300 today',
    price: '200/350/500',
    description: 'Available 11/30/2026 - 12/04/2026.\nHours 09.00 - 18.00, 10:30-22:00.',
    body: '34C-26-36, 170cm, 55kg',
  };
  const { id, position } = await api.postAd(other.token, texts);
  const { body } = await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
  expect(body['data']).toMatchObject({ ...texts, hasContact: false, contactToken: null });
});
