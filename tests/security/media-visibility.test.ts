import { PHOTO_VARIANT_NAMES } from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type ApiResponse, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { query } from '../support/installation.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { upload } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';

/**
 * Photos and videos must not be loadable by their addresses after a decision, or before an ad shows them (R-4.31 to
 *
 */

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let moderator: Person;
let otherProvider: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  moderator = await recording.member({ role: 'moderator' });
  otherProvider = await recording.member({ userType: 'provider' });
});
afterAll(async () => {
  await recording?.close();
  await product?.stop();
});

const load = (path: string, init: RequestInit = {}) => fetch(`${product.url}${path}`, init);
const waitFor = (response: ApiResponse) => ({ 'x-wait-position': response.headers.get('x-position') ?? '' });

async function uploadPhoto(owner: Person): Promise<string> {
  const { status, body } = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], owner.token);
  expect(status).toBe(201);
  return (body['media'] as { id: string }[])[0]?.id ?? '';
}
async function uploadVideo(owner: Person): Promise<string> {
  const { status, body } = await upload(product.url, 'video', [{ bytes: await mp4({ seconds: 3 }) }], owner.token);
  expect(status).toBe(201);
  return (body['media'] as { id: string }).id;
}

const urlOfPhoto = (mediaId: string) => `/uploads/photos/${mediaId}/1600.jpg`;
const urlOfVideo = (mediaId: string) => `/uploads/video/${mediaId}`;
const urlsOfPhoto = (mediaId: string) =>
  PHOTO_VARIANT_NAMES.flatMap((name) => [
    `/uploads/photos/${mediaId}/${name}`,
    `/api/uploads/photos/${mediaId}/${name}`,
  ]);
const urlsOfVideo = (mediaId: string) => [urlOfVideo(mediaId), `/api${urlOfVideo(mediaId)}`];

interface PostedAd {
  readonly owner: Person;
  readonly adId: string;
  readonly photo: string;
  readonly video: string;
  readonly urls: readonly string[];
}

async function postAd(): Promise<PostedAd> {
  const owner = await recording.member({ userType: 'provider' });
  const [photo, video] = [await uploadPhoto(owner), await uploadVideo(owner)];
  const { id } = await api.postAd(owner.token, { photos: [urlOfPhoto(photo)], video: urlOfVideo(video) });
  const ad = { owner, adId: id, photo, video, urls: [...urlsOfPhoto(photo), ...urlsOfVideo(video)] };
  await expectPublic(ad.urls);
  return ad;
}

/** Checks that a visitor receives every file, and that no cache may keep a file for long. */
async function expectPublic(urls: readonly string[]): Promise<void> {
  await eventually(async () => expect(await statusesOf(urls)).toEqual(urls.map(() => 200)));
  for (const url of urls) {
    const cacheControl = (await load(url)).headers.get('cache-control') ?? '';
    expect(cacheControl, url).not.toContain('immutable');
    expect(Number(/s-maxage=(\d+)/u.exec(cacheControl)?.[1]), url).toBeLessThanOrEqual(3);
    expect(Number(/max-age=(\d+)/u.exec(cacheControl)?.[1]), url).toBeLessThanOrEqual(60);
  }
}

/** Checks that no request of a visitor returns one of the files, nor reveals that it exists. */
async function expectHidden(urls: readonly string[]): Promise<void> {
  await eventually(async () => expect(await statusesOf(urls)).toEqual(urls.map(() => 404)));
  for (const url of urls) {
    expect((await load(url, { method: 'HEAD' })).status, url).toBe(404);
    const partial = await load(url, { headers: { range: 'bytes=0-9', 'if-none-match': '*' } });
    expect(partial.status, url).toBe(404);
    expect(partial.headers.get('cache-control'), url).toBe('no-store');
  }
}
const statusesOf = (urls: readonly string[]) => Promise.all(urls.map(async (url) => (await load(url)).status));

async function report(kind: string, id: string, reason: string): Promise<ApiResponse> {
  const filed = await api.call('POST', '/api/reports', { body: { subject: { kind, id }, reason, text: null } });
  expect(filed.status, JSON.stringify(filed.body)).toBe(201);
  return filed;
}
const postToCase = (caseId: string, action: string, body?: unknown) =>
  api.call('POST', `/api/admin/moderation/cases/${caseId}/${action}`, {
    token: moderator.token,
    ...(body !== undefined && { body }),
  });
async function decide(caseId: string, outcome: string): Promise<ApiResponse> {
  expect((await postToCase(caseId, 'claim')).status).toBe(200);
  const response = await postToCase(caseId, 'decide', { outcome, rule: 'contact', facts: 'The picture says so.' });
  expect(response.status).toBe(200);
  return response;
}

const getAccess = (mediaId: string, person?: Person) =>
  api.call('GET', `/api/media/${mediaId}/access`, person ? { token: person.token } : {});
async function signedUrl(url: string, mediaId: string, person: Person): Promise<string> {
  const { status, body } = await getAccess(mediaId, person);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body['access']).toEqual(expect.any(String));
  expect(Date.parse(body['expiresAt'] as string) - Date.now()).toBeLessThanOrEqual(10 * 60_000);
  return `${url}?access=${encodeURIComponent(body['access'] as string)}`;
}

describe('files of an ad', () => {
  test('are hidden while a report hides the ad, and public again after the decision to keep it', async () => {
    const { adId, urls } = await postAd();
    await report('ad', adId, 'my_content');
    await expectHidden(urls);
    await decide(`ad-${adId}`, 'kept');
    await expectPublic(urls);
  });

  test('are hidden after a moderator has removed the ad, also for its owner without a token', async () => {
    const { owner, adId, urls } = await postAd();
    await report('ad', adId, 'spam');
    await decide(`ad-${adId}`, 'removed');
    await expectHidden(urls);
    const own = await load(urls[0] ?? '', { headers: { authorization: `Bearer ${owner.token}` } });
    expect(own.status).toBe(404);
  });

  test('are hidden after the owner has deleted the ad', async () => {
    const { owner, adId, urls } = await postAd();
    expect((await api.call('DELETE', `/api/ads/${adId}`, { token: owner.token })).status).toBe(200);
    await expectHidden(urls);
  });

  test('are hidden after the owner has replaced them', async () => {
    const { owner, adId, urls } = await postAd();
    const replacement = await uploadPhoto(owner);
    const body = { photos: [urlOfPhoto(replacement)], video: null };
    expect((await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body })).status).toBe(200);
    await expectHidden(urls);
    await expectPublic(urlsOfPhoto(replacement));
  });

  test('are hidden after the account was erased', async () => {
    const { owner, urls } = await postAd();
    const body = { password: 'correct horse' };
    const erased = await api.call('POST', '/api/account/erasure', { token: owner.token, body });
    expect(erased.status, JSON.stringify(erased.body)).toBeLessThan(300);
    await expectHidden(urls);
  });

  test('are in no page of the shell while a report hides the ad', async () => {
    const { adId, photo } = await postAd();
    const filed = await report('ad', adId, 'under_age');
    await eventually(async () => {
      const page = await (await load(`/ad/${adId}`, { headers: waitFor(filed) })).text();
      expect(page).not.toContain(photo);
    });
  });
});

describe('a photo about which there is a moderation case', () => {
  test('is hidden after it was reported as under age, and after the decision to remove it', async () => {
    const { photo, urls } = await postAd();
    await report('media', photo, 'under_age');
    await expectHidden(urls);
    await decide(`media-${photo}`, 'removed');
    await expectHidden(urls);
  });

  test('stays accessible to its owner after a moderator has hidden it', async () => {
    const { owner, photo, urls } = await postAd();
    await report('media', photo, 'under_age');
    await decide(`media-${photo}`, 'hidden');
    await expectHidden(urls);
    expect((await load(await signedUrl(urlOfPhoto(photo), photo, owner))).status).toBe(200);
  });

  test('is no longer accessible to its owner after it was removed, not even by an earlier token', async () => {
    const { owner, photo } = await postAd();
    await report('media', photo, 'under_age');
    await expectHidden([urlOfPhoto(photo)]);
    const held = await signedUrl(urlOfPhoto(photo), photo, owner);
    expect((await load(held)).status).toBe(200);
    await decide(`media-${photo}`, 'removed');
    await eventually(async () => {
      expect((await load(held)).status).toBe(404);
      expect((await getAccess(photo, owner)).status).toBe(404);
    });
    expect((await load(await signedUrl(urlOfPhoto(photo), photo, moderator))).status).toBe(200);
  });
});

describe('an upload that no ad shows', () => {
  test('is visible to its owner only', async () => {
    const owner = await recording.member({ userType: 'provider' });
    const [photo, video] = [await uploadPhoto(owner), await uploadVideo(owner)];
    await expectHidden([...urlsOfPhoto(photo), ...urlsOfVideo(video)]);
    for (const [url, id] of [
      [urlOfPhoto(photo), photo],
      [urlOfVideo(video), video],
    ] as const) {
      const response = await load(await signedUrl(url, id, owner));
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect((await getAccess(id, otherProvider)).status).toBe(404);
      expect((await getAccess(id)).status).toBe(401);
    }
  });

  test('of an unverified account is visible to its owner only', async () => {
    const owner = await recording.member({ userType: 'provider', verify: false });
    const photo = await uploadPhoto(owner);
    await expectHidden(urlsOfPhoto(photo));
    expect((await load(await signedUrl(urlOfPhoto(photo), photo, owner))).status).toBe(200);
  });

  test('is not accessible with the token of another file, or with a changed one', async () => {
    const [one, other] = [await uploadPhoto(otherProvider), await uploadPhoto(otherProvider)];
    const signed = await signedUrl(urlOfPhoto(one), one, otherProvider);
    expect((await load(signed)).status).toBe(200);
    for (const changed of [
      signed.replace(one, other),
      signed.replace('access=owner', 'access=staff'),
      signed.replace(
        /(\d)\.([\w-]{43})$/u,
        (_all, digit: string, rest: string) => `${(Number(digit) + 1) % 10}.${rest}`,
      ),
      `${urlOfPhoto(one)}?access=`,
      `${signed}&access=x`,
    ])
      expect((await load(changed)).status, changed).toBe(404);
  });
});

test('an access of a moderator to a hidden file is logged for its owner', async () => {
  const { owner, photo } = await postAd();
  await report('media', photo, 'under_age');
  await expectHidden([urlOfPhoto(photo)]);
  expect((await load(await signedUrl(urlOfPhoto(photo), photo, moderator))).status).toBe(200);
  const rows = await query(product.databaseUrl, 'select what, staff_id from audit.staff_reads where subject_id = $1', [
    owner.user.id,
  ]);
  expect(rows).toContainEqual({ what: 'getMediaAccess', staff_id: moderator.user.id });
});

test('a public file needs no token', async () => {
  const { owner, photo } = await postAd();
  expect((await getAccess(photo, owner)).body).toEqual({ success: true, access: null, expiresAt: null });
});

test('the cover of an article is visible while the article is published', async () => {
  const admin = await recording.member({ email: 'admin@example.com' });
  const photo = await uploadPhoto(admin);
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/admin/blog/articles${path}`, { token: admin.token, ...(body !== undefined && { body }) });
  const created = await call('POST', '', {
    title: 'A walk',
    summary: 'By the lake.',
    body: 'It is quiet there.',
    cover: urlOfPhoto(photo),
  });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const { slug } = created.body['data'] as { slug: string };
  await expectHidden(urlsOfPhoto(photo));
  expect((await call('POST', `/${slug}/publish`)).status).toBe(200);
  await expectPublic(urlsOfPhoto(photo));
  expect((await call('POST', `/${slug}/withdraw`, { reason: 'A mistake' })).status).toBe(200);
  await expectHidden(urlsOfPhoto(photo));
});

test('stock pictures are public for ever', async () => {
  const response = await load('/uploads/photos/demo-01/640.webp');
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toContain('immutable');
});
