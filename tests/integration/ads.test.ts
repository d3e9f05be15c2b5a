import { listing } from '@alpenglow/domain';
import { postAd } from '@alpenglow/domain/deciders';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  after,
  apiClient,
  error,
  PASSWORD,
  validAd,
  type ApiResponse,
  type ApiClient,
  type Person,
} from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { TEST_ORIGIN, openRecording, type Recording } from '../support/recording.ts';
import { createTestPool } from '../support/database.ts';
import { pictures } from '../support/pictures.ts';
import { waitForReadModels } from '../support/threads.ts';
import { upload } from '../support/uploads.ts';

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
/** A provider who never has an ad. In the tests, all requests of this provider to post an ad must be rejected. */
let providerWithoutAd: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  providerWithoutAd = await api.signUp('provider');
  await api.signUp('client', { email: ADMIN_EMAIL });
});
afterAll(async () => {
  await recording.close();
  await product.stop();
});

const ADMIN_EMAIL = 'admin@example.com';
const FILL_IN = 'Please fill in all required fields';
const ONE_AD = 'You can only have one active ad. Please delete your existing ad first or edit it instead.';
const NOT_YOUR_PHOTO = 'Use the photo URL that the upload returned';
const NOT_YOUR_VIDEO = 'Use the video URL that the upload returned';
const DEMO_PHOTOS = [1, 2, 3].map((number) => `/uploads/photos/demo-0${number}/1600.jpg`);
const photoUrl = (mediaId: string) => `/uploads/photos/${mediaId}/1600.jpg`;
const videoUrl = (mediaId: string) => `/uploads/video/${mediaId}`;
const dataOf = ({ body }: ApiResponse) => body['data'] as Readonly<Record<string, unknown>>;
const listOf = ({ body }: ApiResponse) => body['data'] as readonly Readonly<Record<string, unknown>>[];

async function adminToken(): Promise<string> {
  const { body } = await api.call('POST', '/api/auth/login', { body: { email: ADMIN_EMAIL, password: PASSWORD } });
  return String(body['token']);
}

/** Posts an ad that appears to be `minutes` old. Returns its id. */
async function postAdInPast(poster: Person, minutes: number, isDemo = false): Promise<string> {
  const fields = { ...validAd, category: 'escort' as const, price: null, body: null, phone: null, socialMedia: null };
  const command = {
    poster: { accountId: poster.user.id, isProvider: true, emailVerified: true },
    clientId: null,
    fields,
    photos: [],
    video: null,
    isDemo,
  };
  const now = new Date(Date.now() - minutes * 60_000).toISOString();
  const { state } = await recording.commands.execute(listing, poster.user.id, postAd, command, TEST_ORIGIN, { now });
  return state.ad?.adId ?? '';
}

/** Validation of an ad. */
describe('validation of an ad', () => {
  test('rejects a blank required field, and names it', async () => {
    expect(
      await api.call('POST', '/api/ads', { token: providerWithoutAd.token, body: { ...validAd, title: '  \n ' } }),
    ).toMatchObject({ status: 400, body: { ...error('REQUIRED_FIELDS', FILL_IN), fields: { title: FILL_IN } } });
  });
  test.each([
    ['an unknown category', { category: 'other' }, 'Please choose a category'],
    ['a photo that was not uploaded', { photos: [photoUrl('unknown')] }, NOT_YOUR_PHOTO],
    ['a video that was not uploaded', { video: videoUrl('unknown') }, NOT_YOUR_VIDEO],
    ['a stock picture as video', { video: videoUrl('demo-01') }, NOT_YOUR_VIDEO],
  ])('rejects %s', async (_what, changes, message) => {
    expect(
      await api.call('POST', '/api/ads', { token: providerWithoutAd.token, body: { ...validAd, ...changes } }),
    ).toMatchObject({ status: 400, body: { success: false, message } });
  });
  test('stores nothing of a rejected ad', async () => {
    const { state, revision } = await recording.commands.load(listing, providerWithoutAd.user.id);
    expect({ ad: state.ad, revision }).toEqual({ ad: null, revision: -1 });
  });

  test('accepts one of twenty concurrent ads of the same provider', async () => {
    const { token } = await api.signUp('provider');
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => api.call('POST', '/api/ads', { token, body: validAd })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const rejected of responses.filter(({ status }) => status !== 201))
      expect(rejected).toMatchObject({ status: 409, body: error('ONE_ACTIVE_AD', ONE_AD) });
  });
  test('replaces a demo ad with the first ad of its provider', async () => {
    const poster = await api.signUp('provider');
    const demoId = await postAdInPast(poster, 60, true);
    const posted = await api.call('POST', '/api/ads', { token: poster.token, body: validAd });
    expect(posted.status).toBe(201);
    expect(
      listOf(await api.call('GET', '/api/ads/user', { token: poster.token, headers: after(posted) })),
    ).toMatchObject([{ isDemo: false }]);
    expect((await api.call('GET', `/api/ads/${demoId}`)).status).toBe(404);
  });

  test.each([
    ['without photos', []],
    ['with the demo photos that a client may send instead', DEMO_PHOTOS],
  ])('shows three demo photos for a new ad %s', async (_name, photos) => {
    const { token, user } = await api.signUp('provider');
    const { id, position } = await api.postAd(token, { photos });
    const { state } = await recording.commands.load(listing, user.id);
    expect(state.ad?.photos).toEqual([]);
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { headers: after(position) }))).toMatchObject({
      media: [],
      photos: DEMO_PHOTOS,
      images: DEMO_PHOTOS,
      image: DEMO_PHOTOS[0],
      video: null,
    });
  });
});

describe('photos and video of an ad', () => {
  test('must be uploads of the provider', async () => {
    const [poster, other] = await Promise.all([api.signUp('provider'), api.signUp('provider')]);
    const [photo, video, otherPhoto, otherVideo, rejectedPhoto, rejectedVideo] = await Promise.all([
      recording.media(poster.user.id, 'photo'),
      recording.media(poster.user.id, 'video'),
      recording.media(other.user.id, 'photo'),
      recording.media(other.user.id, 'video'),
      recording.media(poster.user.id, 'photo', 'rejected'),
      recording.media(poster.user.id, 'video', 'rejected'),
    ]);
    const post = (changes: Record<string, unknown>) =>
      api.call('POST', '/api/ads', { token: poster.token, body: { ...validAd, ...changes } });
    for (const wrong of [otherPhoto, rejectedPhoto, video])
      expect(await post({ photos: [photoUrl(wrong)] })).toMatchObject({
        status: 400,
        body: error('PHOTO_NOT_YOURS', NOT_YOUR_PHOTO),
      });
    for (const wrong of [otherVideo, rejectedVideo, photo])
      expect(await post({ video: videoUrl(wrong) })).toMatchObject({
        status: 400,
        body: error('VIDEO_NOT_YOURS', NOT_YOUR_VIDEO),
      });
    const posted = await post({ photos: [photoUrl(photo)], video: videoUrl(video) });
    expect(posted.status).toBe(201);
    const edit = (body: Record<string, unknown>) =>
      api.call('PUT', `/api/ads/${(posted.body['ad'] as { id: string }).id}`, { token: poster.token, body });
    expect(await edit({ photos: [photoUrl(otherPhoto)] })).toMatchObject({
      status: 400,
      body: error('PHOTO_NOT_YOURS', NOT_YOUR_PHOTO),
    });
    expect(await edit({ video: videoUrl(otherVideo) })).toMatchObject({
      status: 400,
      body: error('VIDEO_NOT_YOURS', NOT_YOUR_VIDEO),
    });
    expect(
      dataOf(await api.call('GET', `/api/ads/${(posted.body['ad'] as { id: string }).id}`, { headers: after(posted) })),
    ).toMatchObject({
      image: photoUrl(photo),
      photos: [photoUrl(photo)],
      video: videoUrl(video),
      videoMedia: { id: video, status: 'ready', duration: 12, width: 1280, height: 720 },
    });
  });
  test('are unchanged when an update omits them, and video: null removes the video', async () => {
    const poster = await api.signUp('provider');
    const [photo, video] = await Promise.all([
      recording.media(poster.user.id, 'photo'),
      recording.media(poster.user.id, 'video'),
    ]);
    const { id } = await api.postAd(poster.token, { photos: [photoUrl(photo)], video: videoUrl(video) });
    const updateAndRead = async (changes: Record<string, unknown>) => {
      const updated = await api.call('PUT', `/api/ads/${id}`, { token: poster.token, body: changes });
      expect(updated.status).toBe(200);
      return dataOf(await api.call('GET', `/api/ads/${id}`, { headers: after(updated) }));
    };
    expect(await updateAndRead({ title: 'Changed' })).toMatchObject({
      title: 'Changed',
      photos: [photoUrl(photo)],
      video: videoUrl(video),
    });
    expect(await updateAndRead({ video: null })).toMatchObject({
      title: 'Changed',
      photos: [photoUrl(photo)],
      video: null,
      videoMedia: null,
    });
  });
});

// Tests the operations on ads.
describe('POST /ads', () => {
  test('returns success, message, ad with id and data with id', async () => {
    const { token } = await api.signUp('provider');
    const response = await api.call('POST', '/api/ads', { token, body: validAd });
    const { id } = response.body['ad'] as { id: string };
    expect(response).toMatchObject({
      status: 201,
      body: { success: true, message: 'Ad posted successfully!', ad: { id }, data: { id } },
    });
    expect(response.headers.get('location')).toBe(`/api/ads/${id}`);
    expect(response.headers.get('etag')).toBe('"0"');
    expect(response.headers.get('x-position')).toMatch(/^\S+$/u);
  });
  test('adds the ad to every list with the values that the server sets', async () => {
    const { token, email } = await api.signUp('provider');
    const ignoredFields = {
      verified: true,
      views: 999,
      isFeatured: true,
      isPremium: true,
      isDemo: true,
      isActive: false,
      status: 'deleted',
      isOnline: false,
      bumpCount: 7,
      rating: 5,
      averageRating: 5,
      email: 'x@example.com',
      id: 'my-own-id',
    };
    const times = {
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      lastBumpedAt: '2099-01-01T00:00:00.000Z',
    };
    const { id, position } = await api.postAd(token, { ...ignoredFields, ...times });
    expect(id).not.toBe('my-own-id');
    const headers = after(position);
    const lists = await Promise.all(
      [
        '/api/ads',
        '/api/ads?state=NV&city=Las%20Vegas&category=escort',
        '/api/ads?state=nevada&city=las-vegas',
        '/api/ads?state=NV&city=Vegas',
        '/api/ads?city=vegas',
        '/api/ads/location/NV/Las%20Vegas',
        '/api/ads?q=good+company',
      ].map((path) => api.call('GET', path, { headers })),
    );
    for (const list of lists) {
      const listed = listOf(list).find((ad) => ad['id'] === id);
      expect(listed).toMatchObject({
        title: 'Good company',
        location: 'Las Vegas, NV',
        ...{
          verified: false,
          views: 0,
          isFeatured: false,
          isPremium: false,
          isDemo: false,
          isActive: true,
          status: 'active',
          isOnline: true,
          bumpCount: 0,
          rating: 0,
          averageRating: 0,
          reviewCount: 0,
        },
      });
      for (const time of Object.keys(times))
        expect(Math.abs(Date.now() - Date.parse(String(listed?.[time])))).toBeLessThan(60_000);
      expect(listed).not.toHaveProperty('phone');
      expect(JSON.stringify(list.body)).not.toContain(email);
    }
  });
  test('accepts snake_case names and ignores fields that only the server sets', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token, {
      phone_number: '+17025550100',
      social_media: { instagram: '@anna' },
      ...{
        is_active: false,
        is_featured: true,
        created_at: '2001-01-01',
        updated_at: 'yesterday',
        last_bumped_at: 5,
        is_demo: 'yes',
        user_id: 7,
      },
    });
    const headers = after(position);
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { token, headers }))).toMatchObject({
      phone: '+17025550100',
      socialMedia: { instagram: '@anna', website: null },
      isActive: true,
      isFeatured: false,
      isDemo: false,
      createdAt: expect.stringMatching(/^20[2-9]/u) as string,
    });
  });
  test('accepts images instead of photos and a numeric price', async () => {
    const { token } = await api.signUp('provider');
    const uploaded = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(300, 400) }], token);
    const images = uploaded.body['urls'];
    const { id, position } = await api.postAd(token, { images, price: 200 });
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { token, headers: after(position) }))).toMatchObject({
      photos: images,
      price: '200',
    });
  });
  test('uses the id of the client as idempotency key for five concurrent requests', async () => {
    const { token } = await api.signUp('provider');
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => api.call('POST', '/api/ads', { token, body: { ...validAd, id: '1767-abc' } })),
    );
    expect(
      new Set(responses.map(({ status, body }) => JSON.stringify([status, (body['ad'] as { id: string }).id]))).size,
    ).toBe(1);
    expect(await api.call('POST', '/api/ads', { token, body: { ...validAd, id: '1767-other' } })).toMatchObject({
      status: 409,
      body: { code: 'ONE_ACTIVE_AD' },
    });
  });
});

describe('GET /ads/{id}', () => {
  test('returns phone, links and e-mail only to the owner and admins', async () => {
    const [owner, other] = await Promise.all([api.signUp('provider'), api.signUp('client')]);
    const { id, position } = await api.postAd(owner.token, {
      phone: '+17025550100',
      socialMedia: { instagram: '@anna' },
    });
    const shown = await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
    expect(dataOf(shown)).toMatchObject({
      phone: null,
      phoneDisplay: null,
      socialMedia: { instagram: null, website: null },
      contactToken: expect.stringMatching(/^\d{13}\./u) as string,
      email: null,
      isOwner: false,
      reviews: [],
    });
    expect(JSON.stringify(shown.body)).not.toContain(owner.email);
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { token: owner.token }))).toMatchObject({
      phone: '+17025550100',
      phoneDisplay: '(702) 555-0100',
      email: owner.email,
      isOwner: true,
    });
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { token: other.token }))).toMatchObject({
      email: null,
      isOwner: false,
    });
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { token: await adminToken() }))).toMatchObject({
      email: owner.email,
      isOwner: false,
    });
  });
  test('returns a phone number as people of its country write it', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token, { phone: '0041 79-123-45-67' });
    const shown = await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
    const details = await api.call('POST', `/api/ads/${id}/contact`, {
      body: { token: dataOf(shown)['contactToken'] },
    });
    expect(dataOf(details)).toMatchObject({ phone: '+41791234567', phoneDisplay: '+41 79 123 45 67' });
  });
  test('has the number of views, also in lists', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token, { city: 'Fallon' });
    await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
    for (const userAgent of ['A', 'B', 'C'])
      await api.call('POST', `/api/ads/${id}/views`, { headers: { 'user-agent': userAgent } });
    await eventually(
      async () => {
        expect(dataOf(await api.call('GET', `/api/ads/${id}`, { token }))).toMatchObject({ views: 3 });
        expect(listOf(await api.call('GET', '/api/ads?city=Fallon'))).toMatchObject([{ id, views: 3 }]);
      },
      { interval_ms: 100 },
    );
  });
});

describe('GET /ads/{id} of a missing ad (R-2.85)', () => {
  const read = (id: string, position?: string) =>
    api.call('GET', `/api/ads/${id}`, { headers: position === undefined ? {} : after(position) });
  const positionOf = (response: Awaited<ReturnType<typeof read>>) => response.headers.get('x-position') ?? undefined;

  test('says that an ad was online before, with its last place and category', async () => {
    const { token } = await api.signUp('provider');
    const { id } = await api.postAd(token, { state: 'NV', city: 'Elko', category: 'massage' });
    await api.call('PUT', `/api/ads/${id}`, { token, body: { city: 'Fallon' } });
    const deleted = await api.call('DELETE', `/api/ads/${id}`, { token });
    expect(await read(id, positionOf(deleted))).toMatchObject({
      status: 404,
      body: { code: 'AD_NOT_FOUND', formerAd: { state: 'NV', city: 'Fallon', category: 'massage' } },
    });
  });
  test('does not say so for an id that was never one of an ad, nor after the account was erased', async () => {
    const { token, email } = await api.signUp('provider');
    const { id, position } = await api.postAd(token);
    expect(await read(id, position)).toMatchObject({ status: 200 });
    const wrong = await read(id.replace(/.$/u, (last) => (last === '0' ? '1' : '0')));
    expect([wrong.status, wrong.body['code'], 'formerAd' in wrong.body]).toEqual([404, 'AD_NOT_FOUND', false]);
    const erased = await api.call('POST', '/api/account/erasure', { token, body: { password: PASSWORD } });
    expect(erased.status).toBeLessThan(300);
    await eventually(async () => {
      const gone = await read(id);
      expect([gone.status, 'formerAd' in gone.body]).toEqual([404, false]);
    });
    // A new account with this address has the same id.
    await eventually(() => api.signUp('client', { email }));
    await waitForReadModels(product.url);
    expect('formerAd' in (await read(id)).body).toBe(false);
  });
});

describe('the responses about ads', () => {
  /** An ad with all texts, and with a review. */
  async function postFullAd(city: string) {
    const owner = await api.signUp('provider');
    const texts = { description: 'A calm evening.', body: 'Tall.' };
    const { id } = await api.postAd(owner.token, { city, ...texts, phone: '+1 702 555 0142' });
    const client = await api.signUp('client');
    const review = { comment: 'Kind and on time.', rating: 5, name: 'Carl' };
    const written = await api.call('POST', `/api/ads/${id}/reviews`, { token: client.token, body: review });
    for (const { token } of [owner, client])
      await api.call('GET', `/api/ads/${id}`, { token, headers: after(written) });
    return { owner, client, id, entry: { id, ...texts, reviews: [review] } };
  }

  test('have a message (R-7.2)', async () => {
    const { owner, id } = await postFullAd('Yerington');
    const { body: favorites } = await api.call('GET', `/api/favorites/${owner.user.id}`, { token: owner.token });
    expect(favorites['message']).toBe('Ads loaded');
    const paths = ['', '/featured', '/location/NV/Yerington', '/nearby?state=NV', '/counts', `/${id}`, '/user'];
    for (const path of paths) {
      const { status, body } = await api.call('GET', `/api/ads${path}`, { token: owner.token });
      expect([status, body['success'], typeof body['message']], path).toEqual([200, true, 'string']);
      expect(body['message'], path).not.toBe('');
    }
  });

  test('have every public field of each ad in a list, but no contact details (R-7.98)', async () => {
    const { owner, client, id, entry } = await postFullAd('Ely');
    await api.call('POST', '/api/favorites', { token: client.token, body: { adId: id } });
    const one = dataOf(await api.call('GET', `/api/ads/${id}`)) as Record<string, unknown>;
    const contact = ['phone', 'phoneDisplay', 'socialMedia', 'email', 'contactToken', 'hasContact'];
    const fields = Object.keys(one).filter((name) => ![...contact, 'ownReview', 'isOwner'].includes(name));
    const lists: readonly [string, string?][] = [
      ['/ads?city=Ely'],
      ['/ads/location/NV/Ely'],
      ['/ads/nearby?state=NV&city=Ely&limit=1'],
      ['/ads/user', owner.token],
      [`/favorites/${client.user.id}`, client.token],
    ];
    for (const [path, token] of lists) {
      const response = await api.call('GET', `/api${path}`, { ...(token !== undefined && { token }) });
      const ads = listOf(response) as Record<string, unknown>[];
      expect(ads, path).toMatchObject([entry]);
      expect(Object.keys(ads[0] ?? {}).toSorted(), path).toEqual(fields.toSorted());
      expect(JSON.stringify(response.body), path).not.toContain('555');
    }
  });

  test('have no long texts with details=false, and reject other values', async () => {
    const { id, client } = await postFullAd('Winnemucca');
    await api.call('POST', '/api/favorites', { token: client.token, body: { adId: id } });
    const paths = [
      '/ads?city=Winnemucca&details=false',
      '/ads/nearby?state=NV&city=Winnemucca&limit=1&details=false',
      `/favorites/${client.user.id}?details=false`,
    ];
    for (const path of paths) {
      const { token } = client;
      const [ad = {}] = listOf(await api.call('GET', `/api${path}`, { token })) as Record<string, unknown>[];
      expect(Object.keys(ad)).toContain('title');
      for (const name of ['description', 'body', 'reviews']) expect(Object.keys(ad)).not.toContain(name);
    }
    expect((await api.call('GET', '/api/ads?details=none')).status).toBe(400);
  });
});

test('GET /ads/user returns the ad of the current user', async () => {
  const { token } = await api.signUp('provider');
  const { id, position } = await api.postAd(token);
  expect(listOf(await api.call('GET', '/api/ads/user', { token, headers: after(position) }))).toMatchObject([{ id }]);
  expect(await api.call('GET', '/api/ads/user')).toMatchObject({
    status: 401,
    body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
  });
});

test('GET /ads/featured returns featured ads by newest bump until they are unfeatured or deleted', async () => {
  const admin = await adminToken();
  const [older, newer, plain] = [
    await api.signUp('provider'),
    await api.signUp('provider'),
    await api.signUp('provider'),
  ];
  const posted = {
    older: await api.postAd(older.token),
    newer: await api.postAd(newer.token),
    plain: await api.postAd(plain.token),
  };
  const feature = (id: string, featured: boolean) =>
    api.call('PUT', `/api/admin/ads/${id}/featured`, { token: admin, body: { featured } });
  const featured = async (headers: Record<string, string>) =>
    listOf(await api.call('GET', '/api/ads/featured', { headers })).map(({ id, isFeatured }) => [id, isFeatured]);
  await feature(posted.newer.id, true);
  const last = await feature(posted.older.id, true);
  expect(last).toMatchObject({ status: 200, body: { success: true } });
  expect(await featured(after(last))).toEqual([
    [posted.newer.id, true],
    [posted.older.id, true],
  ]);
  expect(dataOf(await api.call('GET', `/api/ads/${posted.older.id}`))).toMatchObject({
    isFeatured: true,
    isPremium: false,
  });
  expect(await featured(after(await feature(posted.newer.id, false)))).toEqual([[posted.older.id, true]]);
  expect(
    await featured(after(await api.call('DELETE', `/api/ads/${posted.older.id}`, { token: older.token }))),
  ).toEqual([]);
});

describe('PUT /ads/{id}', () => {
  test('changes only the submitted fields of R-7.24 and returns success and message', async () => {
    const { token } = await api.signUp('provider');
    const { id } = await api.postAd(token, { phone: '+17025550100', price: '200', body: 'Tall' });
    const changes = {
      title: 'New title',
      name: 'Annika',
      category: 'massage',
      city: 'Reno',
      state: 'NV',
      description: 'New text.',
      socialMedia: { website: 'https://anna.example' },
    };
    const updated = await api.call('PUT', `/api/ads/${id}`, { token, body: changes });
    expect(updated).toMatchObject({
      status: 200,
      body: { success: true, message: 'Ad updated successfully!', ad: { id }, data: { id } },
    });
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { token, headers: after(updated) }))).toMatchObject({
      ...changes,
      phone: '+17025550100',
      price: '200',
      body: 'Tall',
      photos: DEMO_PHOTOS,
    });
  });
  test('removes an optional field with null and rejects null for a required field', async () => {
    const { token } = await api.signUp('provider');
    const { id } = await api.postAd(token, { phone: '+17025550100' });
    const updated = await api.call('PUT', `/api/ads/${id}`, { token, body: { phone: null } });
    const shown = dataOf(await api.call('GET', `/api/ads/${id}`, { token, headers: after(updated) }));
    expect(shown).toMatchObject({ phone: null, isOwner: true });
    expect(await api.call('PUT', `/api/ads/${id}`, { token, body: { title: '' } })).toMatchObject({
      status: 400,
      body: error('REQUIRED_FIELDS', FILL_IN),
    });
    expect(await api.call('PUT', `/api/ads/${id}`, { token, body: { city: 'Chicago' } })).toMatchObject({
      status: 400,
      body: { message: 'Please choose a state and one of its cities' },
    });
  });
  test('ignores fields that only the server sets', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token);
    const options = { headers: after(position) };
    const before = dataOf(await api.call('GET', `/api/ads/${id}`, { ...options, token }));
    const body = {
      id: 'other',
      email: 'x@example.com',
      verified: true,
      isFeatured: true,
      is_featured: true,
      views: 99,
      bumpCount: 9,
      lastBumpedAt: '2099-01-01',
      status: 'deleted',
      isActive: false,
      reviews: [{ name: 'Me', comment: 'Great', rating: 5 }],
    };
    expect((await api.call('PUT', `/api/ads/${id}`, { token, body })).status).toBe(200);
    expect(dataOf(await api.call('GET', `/api/ads/${id}`, { ...options, token }))).toEqual(before);
  });
  test('returns 412 for an outdated If-Match header', async () => {
    const { token } = await api.signUp('provider');
    const { id, revision } = await api.postAd(token);
    const updated = await api.call('PUT', `/api/ads/${id}`, {
      token,
      body: { title: 'Changed' },
      headers: { 'if-match': revision },
    });
    expect(updated.status).toBe(200);
    expect(updated.headers.get('etag')).not.toBe(revision);
    expect((await api.call('GET', `/api/ads/${id}`, { headers: after(updated) })).headers.get('etag')).toBe(
      updated.headers.get('etag'),
    );
    const stale = error('STALE', 'This has changed since you opened it. Reload the page and try again.');
    for (const [method, path] of [
      ['PUT', ''],
      ['POST', '/bump'],
      ['DELETE', ''],
    ] as const) {
      const headers = { 'if-match': revision };
      expect(
        await api.call(method, `/api/ads/${id}${path}`, {
          token,
          headers,
          ...(method === 'PUT' && { body: { title: 'Late' } }),
        }),
      ).toMatchObject({ status: 412, body: stale });
    }
    expect(
      await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'Odd' }, headers: { 'if-match': 'nonsense' } }),
    ).toMatchObject({ status: 412, body: stale });
    expect(
      (await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'Any' }, headers: { 'if-match': '*' } })).status,
    ).toBe(200);
  });
});

describe('POST /ads/{id}/bump', () => {
  test('moves the ad to the top after 30 minutes', async () => {
    const poster = await api.signUp('provider');
    const id = await postAdInPast(poster, 31);
    const newer = await api.postAd((await api.signUp('provider')).token);
    const inCity = (headers: Record<string, string>) => api.call('GET', '/api/ads?city=Las%20Vegas', { headers });
    const ranks = async (headers: Record<string, string>) =>
      listOf(await inCity(headers))
        .map((ad) => ad['id'])
        .filter((adId) => adId === id || adId === newer.id);
    expect(await ranks(after(newer.position))).toEqual([newer.id, id]);
    const bumped = await api.call('POST', `/api/ads/${id}/bump`, { token: poster.token });
    expect(bumped).toMatchObject({
      status: 200,
      body: { success: true, message: 'Ad bumped to top!', ad: { id }, data: { id } },
    });
    expect(await ranks(after(bumped))).toEqual([id, newer.id]);
    expect(dataOf(await api.call('GET', `/api/ads/${id}`))).toMatchObject({ bumpCount: 1 });
  });
  test('rejects a second bump within 30 minutes and returns the remaining time', async () => {
    const poster = await api.signUp('provider');
    const id = await postAdInPast(poster, 10);
    const rejected = await api.call('POST', `/api/ads/${id}/bump`, { token: poster.token });
    expect(rejected).toMatchObject({
      status: 429,
      body: {
        code: 'BUMP_COOLDOWN',
        message: expect.stringMatching(/^You can bump your ad again in (19 min \d+ s|20 min)$/u) as string,
      },
    });
    const left_s = Number(rejected.headers.get('retry-after'));
    expect(left_s).toBeGreaterThan(1_150);
    expect(left_s).toBeLessThanOrEqual(1_200);
    expect(rejected.body['retryAfter_s']).toBe(left_s);
  });
  test('bumps once for twenty concurrent requests', async () => {
    const poster = await api.signUp('provider');
    const id = await postAdInPast(poster, 31);
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await api.call('POST', `/api/ads/${id}/bump`, { token: poster.token })).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 429, 409].includes(status))).toBe(true);
  });
});

describe('DELETE /ads/{id}', () => {
  test('removes the ad from every list and allows a new ad', async () => {
    const { token } = await api.signUp('provider');
    const { id } = await api.postAd(token);
    const deleted = await api.call('DELETE', `/api/ads/${id}`, { token });
    expect(deleted).toMatchObject({ status: 200, body: { success: true, ad: { id } } });
    expect(await api.call('GET', `/api/ads/${id}`, { headers: after(deleted) })).toMatchObject({
      status: 404,
      body: error('AD_NOT_FOUND', 'Ad not found'),
    });
    expect(listOf(await api.call('GET', '/api/ads/user', { token }))).toEqual([]);
    for (const [method, path] of [
      ['PUT', ''],
      ['POST', '/bump'],
      ['DELETE', ''],
    ] as const) {
      expect(
        await api.call(method, `/api/ads/${id}${path}`, { token, ...(method === 'PUT' && { body: { title: 'x' } }) }),
      ).toMatchObject({ status: 404, body: error('AD_NOT_FOUND', 'Ad not found') });
    }
    expect((await api.postAd(token)).id).not.toBe(id);
  });
});

describe('an ad of another provider', () => {
  test('cannot be changed, bumped or deleted, even immediately after it was posted', async () => {
    const other = await api.signUp('provider');
    for (const [method, path] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/bump'],
    ] as const) {
      const { id, position } = await api.postAd((await api.signUp('provider')).token);
      const rejected = await api.call(method, `/api/ads/${id}${path}`, {
        token: other.token,
        ...(method === 'PUT' && { body: { title: 'Mine' } }),
      });
      expect(rejected).toMatchObject({ status: 403, body: error('ONLY_OWNER', 'Only the owner can change this ad') });
      expect(dataOf(await api.call('GET', `/api/ads/${id}`, { headers: after(position) }))).toMatchObject({
        title: 'Good company',
      });
    }
  });
  test('cannot be changed by an admin', async () => {
    const { id } = await api.postAd((await api.signUp('provider')).token);
    expect(
      await api.call('PUT', `/api/ads/${id}`, { token: await adminToken(), body: { title: 'Mine' } }),
    ).toMatchObject({ status: 403, body: { code: 'ONLY_OWNER' } });
  });
});

// An operation on an unknown ad responds with `Ad not found`.
describe('Ad not found', () => {
  test.each(['6', 'nothing', '%00', '..%2f..%2fetc', 'a'.repeat(300), "'; drop table rm.ad_cards; --"])(
    'is returned for the id %s',
    async (id) => {
      const { token } = providerWithoutAd;
      const path = `/api/ads/${id.startsWith('%') || id.includes('%2f') ? id : encodeURIComponent(id)}`;
      const notFound = { status: 404, body: error('AD_NOT_FOUND', 'Ad not found') };
      expect(await api.call('GET', path)).toMatchObject(notFound);
      expect(await api.call('DELETE', path, { token })).toMatchObject(notFound);
      expect(await api.call('PUT', path, { token, body: { title: 'x' } })).toMatchObject(notFound);
      expect(await api.call('POST', `${path}/bump`, { token })).toMatchObject(notFound);
    },
  );
});

/**
 * A failed operation responds with its documented message. The response contains no details of the
 * cause.
 */
describe('an internal error', () => {
  let pool: Pool;
  let poster: Person;
  beforeAll(async () => {
    poster = await api.signUp('provider');
    pool = createTestPool(product.databaseUrl, 1);
    await pool.query('alter table es.events rename to events_away; alter table rm.ad_cards rename to ad_cards_away');
  });
  afterAll(async () => {
    await pool.query('alter table es.events_away rename to events; alter table rm.ad_cards_away rename to ad_cards');
    await pool.end();
  });
  test.each([
    ['GET', '/ads', 'Failed to load ads'],
    ['GET', '/ads/some-ad', 'Error loading ads'],
    ['GET', '/ads/user', 'Failed to load user ads'],
    ['POST', '/ads', 'Failed to create ad'],
    ['PUT', '/ads/some-ad', 'Failed to update ad'],
    ['DELETE', '/ads/some-ad', 'Failed to delete ad'],
    ['POST', '/ads/some-ad/bump', 'Error bumping ad'],
  ])('on %s %s returns "%s"', async (method, path, message) => {
    const hasBody = (method === 'POST' && path === '/ads') || method === 'PUT';
    const isPublic = method === 'GET' && path !== '/ads/user';
    const response = await api.call(method, `/api${path}`, {
      ...(!isPublic && { token: poster.token }),
      ...(hasBody && { body: validAd }),
    });
    expect(response).toMatchObject({ status: 500, body: { success: false, code: 'INTERNAL', message } });
    expect(JSON.stringify(response.body)).not.toMatch(/events|ad_cards|relation/u);
  });
});
