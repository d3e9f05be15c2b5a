import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { media, PHOTO_VARIANT_NAMES, toCaseId, type AdCard, type PhotoView, settleCase } from '@alpenglow/domain';
import { removeMedia } from '@alpenglow/domain/deciders';
import { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, type ApiResponse, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { query } from '../support/installation.ts';
import { pictures } from '../support/pictures.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { blobFiles, signedUrl, upload } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

/**
 * Photos and videos must not be loadable by their addresses after a decision, or before an ad shows them (R-4.31 to
 *
 */

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let admin: Person;
let moderator: Person;
let otherModerator: Person;
let otherProvider: Person;

beforeAll(async () => {
  admin = await recording.member({ email: 'admin@example.com' });
  moderator = await recording.member({ role: 'moderator' });
  otherModerator = await recording.member({ role: 'moderator' });
  otherProvider = await recording.member({ userType: 'provider' });
});

const loadOnce = (path: string, init: RequestInit = {}) => fetch(`${product.url}${path}`, init);
const load = (path: string, init: RequestInit = {}) => whenAvailable(() => loadOnce(path, init));

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
const statusesOf = (urls: readonly string[]) => Promise.all(urls.map(async (url) => (await loadOnce(url)).status));

/**
 * Stops read models until the returned function is called. The projectors cannot move their checkpoints meanwhile, as
 * if they did not run.
 */
async function stopReadModels(...names: readonly string[]): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: product.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select from rm.checkpoints where name = any($1) for update', [names]);
  return () => client.end();
}

/** Files a report by a new member, because only a few reports of one network hide content at once. */
async function report(kind: string, id: string, reason: string): Promise<ApiResponse> {
  const { token } = await recording.member();
  const filed = await api.call('POST', '/api/reports', { token, body: { subject: { kind, id }, reason, text: null } });
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
  whenAvailable(() => api.call('GET', `/api/media/${mediaId}/access`, person ? { token: person.token } : {}));
/** Returns a URL with a token, with which the person can load a file that is not public. */
async function privateUrl(url: string, { token }: Person): Promise<string> {
  const signed = await signedUrl(product.url, url, token);
  expect(signed).toContain('?access=');
  return signed;
}

interface PostedArticle {
  readonly slug: string;
  readonly cover: string;
  readonly inline: string;
  readonly urls: readonly string[];
}

const callBlog = (method: string, path: string, body?: unknown) =>
  api.call(method, `/api/admin/blog/articles${path}`, { token: admin.token, ...(body !== undefined && { body }) });

/** Drafts an article with a cover and a photo in its text. */
async function draftArticle(): Promise<PostedArticle> {
  const [cover, inline] = [await uploadPhoto(admin), await uploadPhoto(admin)];
  const created = await callBlog('POST', '', {
    title: `A walk ${cover}`,
    summary: 'By the lake.',
    body: `It is quiet there.\n\n![The lake](${urlOfPhoto(inline)})`,
    cover: urlOfPhoto(cover),
  });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const { slug } = created.body['data'] as { slug: string };
  return { slug, cover, inline, urls: [...urlsOfPhoto(cover), ...urlsOfPhoto(inline)] };
}
async function publishArticle(): Promise<PostedArticle> {
  const article = await draftArticle();
  expect((await callBlog('POST', `/${article.slug}/publish`)).status).toBe(200);
  await expectPublic(article.urls);
  return article;
}

/** Returns the text of all public responses that may show a photo of an article. */
async function readPublicTexts({ slug }: PostedArticle): Promise<string> {
  const paths = [
    `/api/blog/articles/${slug}`,
    '/api/blog/articles',
    '/api/search?q=walk',
    `/blog/${slug}`,
    '/blog',
    '/blog/rss.xml',
    '/blog/atom.xml',
  ];
  const texts = await Promise.all(
    paths.map(async (path) => {
      const response = await load(path);
      expect(response.status, path).toBe(200);
      return response.text();
    }),
  );
  return texts.join('\n');
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
      const page = await (await load(`/ad/${adId}`, { headers: after(filed) })).text();
      expect(page).not.toContain(photo);
    });
  });
});

describe('a photo about which there is a moderation case', () => {
  test('is hidden after it was reported as under age, and after the decision to remove it', async () => {
    const { photo, video, urls } = await postAd();
    await report('media', photo, 'under_age');
    await expectHidden(urls);
    await decide(`media-${photo}`, 'removed');
    await expectPublic(urlsOfVideo(video));
    await expectHidden(urlsOfPhoto(photo));
  });

  test('stays accessible to its owner after a moderator has hidden it', async () => {
    const { owner, photo } = await postAd();
    await report('media', photo, 'under_age');
    await decide(`media-${photo}`, 'hidden');
    await expectHidden(urlsOfPhoto(photo));
    expect((await load(await privateUrl(urlOfPhoto(photo), owner))).status).toBe(200);
  });

  test('is no longer accessible to its owner after it was removed, not even by an earlier token', async () => {
    const { owner, photo } = await postAd();
    await report('media', photo, 'under_age');
    await expectHidden([urlOfPhoto(photo)]);
    const held = await privateUrl(urlOfPhoto(photo), owner);
    expect((await load(held)).status).toBe(200);
    await decide(`media-${photo}`, 'removed');
    await eventually(async () => {
      expect((await load(held)).status).toBe(404);
      expect((await getAccess(photo, owner)).status).toBe(404);
    });
    expect((await load(await privateUrl(urlOfPhoto(photo), moderator))).status).toBe(200);
  });
});

describe('an ad with several photos', () => {
  test.each(['hidden', 'removed'])('stays online without the one that a moderator decides is %s', async (outcome) => {
    const owner = await recording.member({ userType: 'provider' });
    const [cover, other] = [await uploadPhoto(owner), await uploadPhoto(owner)];
    const { id } = await api.postAd(owner.token, { photos: [cover, other].map(urlOfPhoto) });
    await expectPublic([urlOfPhoto(cover)]);
    await report('media', cover, 'under_age');
    await eventually(async () => expect((await loadOnce(`/api/ads/${id}`)).status).toBe(404));
    const headers = after(await decide(`media-${cover}`, outcome));

    const { status, body } = await api.call('GET', `/api/ads/${id}`, { headers });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({ status: 'active', photos: [urlOfPhoto(other)] });
    const list = await api.call('GET', '/api/ads?limit=100', { headers });
    const card = (list.body['data'] as AdCard[]).find((ad) => ad.id === id);
    expect(card?.photos).toEqual([urlOfPhoto(other)]);
    await expectHidden([urlOfPhoto(cover)]);
    // Only the owner receives the photo, with the reason why it is not shown.
    expect(card?.media.map((photo) => photo.id)).toEqual([other]);
    const own = await api.call('GET', '/api/ads/user', { token: owner.token, headers });
    expect(own.body['data']).toMatchObject([
      {
        status: 'active',
        media: [
          { id: cover, status: outcome === 'hidden' ? 'ready' : 'rejected', hold: outcome },
          { id: other, hold: null },
        ],
      },
    ]);
    const decisions = await api.call('GET', '/api/account/decisions', { token: owner.token, headers });
    expect(decisions.body['data']).toMatchObject([
      { outcome, isAutomated: false, file: { kind: 'photo', number: 1 } },
      { outcome: 'hidden', isAutomated: true, file: { kind: 'photo', number: 1 } },
    ]);
  });

  test('stays online without the one that a report names as the picture of another person', async () => {
    const { adId, photo } = await postAd();
    const headers = after(await report('media', photo, 'my_content'));
    await expectHidden([urlOfPhoto(photo)]);
    expect((await api.call('GET', `/api/ads/${adId}`, { headers })).body['data']).toMatchObject({ status: 'active' });
  });
});

describe('the files of a photo or video that a moderator has removed', () => {
  async function listFiles(mediaId: string): Promise<readonly string[]> {
    const root = path.join(product.dataDir, 'blobs');
    return (await blobFiles(product.dataDir))
      .map((file) => path.relative(root, file))
      .filter((file) => file.includes(mediaId))
      .sort();
  }
  const read = async (url: string, person: Person) =>
    Buffer.from(await (await load(await privateUrl(url, person))).arrayBuffer());

  test('are sealed as evidence, shown to staff only, and restored after an appeal', async () => {
    const { owner, photo, video, urls } = await postAd();
    const [clearFiles, before] = [await listFiles(photo), await (await load(urls[0] ?? '')).arrayBuffer()];
    expect(clearFiles).toHaveLength(PHOTO_VARIANT_NAMES.length);
    await report('media', photo, 'under_age');
    await report('media', video, 'under_age');
    const [photoDecision, videoDecision] = [
      await decide(`media-${photo}`, 'removed'),
      await decide(`media-${video}`, 'removed'),
    ];
    const clearBytes = Buffer.from(before);
    await eventually(async () => {
      expect(await listFiles(photo)).toEqual(clearFiles.map((file) => `evidence/${file}`));
      expect(await listFiles(video)).toEqual([`evidence/videos/${video}`]);
    });
    const sealedFiles = (await blobFiles(product.dataDir)).filter((file) => file.includes(photo));
    for (const file of sealedFiles) expect((await readFile(file)).includes(clearBytes.subarray(0, 64))).toBe(false);
    await expectHidden([
      ...urls,
      `/uploads/evidence/photos/${photo}/1600.jpg`,
      `/uploads/photos/..%2Fevidence/${photo}`,
    ]);

    expect(await read(urls[0] ?? '', moderator)).toEqual(clearBytes);
    const ofVideo = await privateUrl(urlOfVideo(video), moderator);
    const partial = await load(ofVideo, { headers: { range: 'bytes=4-7' } });
    expect([partial.status, await partial.text()]).toEqual([206, 'ftyp']);
    expect((await load(ofVideo, { method: 'HEAD' })).status).toBe(200);

    await overturn(photo, owner, photoDecision);
    await overturn(video, owner, videoDecision);
    await expectPublic(urls);
    await eventually(async () => expect(await listFiles(photo)).toEqual(clearFiles));
    expect(Buffer.from(await (await load(urls[0] ?? '')).arrayBuffer())).toEqual(clearBytes);
  });

  /** Appeals against the decision about a file. Another moderator then reverses it. */
  async function overturn(mediaId: string, owner: Person, decided: ApiResponse): Promise<void> {
    const headers = after(decided);
    const { body } = await api.call('GET', '/api/account/decisions', { token: owner.token, headers });
    const decision = (body['data'] as { id: string; subject: { id: string } }[]).find(
      ({ subject }) => subject.id === mediaId,
    );
    const appeal = await api.call('POST', `/api/account/decisions/${decision?.id}/appeal`, {
      token: owner.token,
      body: { text: 'I am 30.' },
    });
    expect(appeal.status, JSON.stringify(appeal.body)).toBe(200);
    const { token } = otherModerator;
    const caseUrl = `/api/admin/moderation/cases/media-${mediaId}`;
    await api.call('POST', `${caseUrl}/claim`, { token });
    const verdict = { outcome: 'overturned', facts: 'They are.' };
    const reversed = await api.call('POST', `${caseUrl}/appeal`, { token, body: verdict });
    expect(reversed.status, JSON.stringify(reversed.body)).toBe(200);
  }

  test('leave nothing behind when the account is erased', async () => {
    const { owner, photo, video } = await postAd();
    await report('media', photo, 'under_age');
    await decide(`media-${photo}`, 'removed');
    await eventually(async () => expect((await listFiles(photo))[0]).toContain('evidence/'));
    const body = { password: 'correct horse' };
    expect((await api.call('POST', '/api/account/erasure', { token: owner.token, body })).status).toBeLessThan(300);
    await eventually(async () => expect([...(await listFiles(photo)), ...(await listFiles(video))]).toEqual([]));
  });
});

describe('a photo that was reported while no visible ad showed it', () => {
  /** Posts an ad that shows a photo about which there is already a moderation case. */
  async function postHeldPhoto() {
    const owner = await recording.member({ userType: 'provider' });
    const [held, other] = [await uploadPhoto(owner), await uploadPhoto(owner)];
    await report('media', held, 'under_age');
    const { id: adId, position } = await api.postAd(owner.token, { photos: [urlOfPhoto(held), urlOfPhoto(other)] });
    await expectPublic(urlsOfPhoto(other));
    // The job that applies the report may run only after the ad was posted.
    await settleCase(recording.commands, toCaseId({ kind: 'media', id: held }), TEST_ORIGIN);
    const headers = after(position);
    return { owner, held, other, adId, headers };
  }

  test('is in no response for visitors although its ad is visible', async () => {
    const { held, other, adId, headers } = await postHeldPhoto();
    await expectHidden(urlsOfPhoto(held));
    for (const path of [`/api/ads/${adId}`, '/api/ads', `/ad/${adId}`])
      await eventually(async () => {
        const text = await (await load(path, { headers })).text();
        expect(text, path).toContain(other);
        expect(text, path).not.toContain(held);
      });
  });

  test('is neither the share image nor in the structured data of the page of its ad', async () => {
    const { held, other, adId, headers } = await postHeldPhoto();
    await expectHidden(urlsOfPhoto(held));
    await eventually(async () => {
      const page = await (await load(`/ad/${adId}`, { headers })).text();
      const shareImage = /<meta property="og:image" content="([^"]+)"/u.exec(page)?.[1];
      expect(shareImage).toContain(other);
      const structured = [...page.matchAll(/<script type="application\/ld\+json"[^>]*>(.+?)<\/script>/gsu)];
      const texts = structured.map(([, text]) => JSON.stringify(JSON.parse(text ?? '')));
      expect(texts.join()).toContain(other);
      expect([shareImage, ...texts].join()).not.toContain(held);
    });
  });

  test('is shown to its owner until a moderator removes it', async () => {
    const { owner, held, adId, headers } = await postHeldPhoto();
    const readOwn = async () => {
      const { body } = await api.call('GET', '/api/ads/user', { token: owner.token, headers });
      return (body['data'] as AdCard[])[0]?.media.find(({ id }: PhotoView) => id === held);
    };
    expect(await readOwn()).toMatchObject({ status: 'ready', blur: expect.stringContaining('data:') as string });
    await decide(`media-${held}`, 'removed');
    await eventually(async () =>
      expect(await readOwn()).toMatchObject({ status: 'rejected', reason: 'This photo was removed', blur: null }),
    );
    await eventually(async () => expect(await (await load(`/api/ads/${adId}`)).text()).not.toContain(held));
  });

  test('stays hidden after the ad that was hidden at the time of the report was approved', async () => {
    const { adId, photo, urls } = await postAd();
    await report('ad', adId, 'my_content');
    await expectHidden(urls);
    await report('media', photo, 'under_age');
    await decide(`ad-${adId}`, 'kept');
    await expectHidden(urls);
    await decide(`media-${photo}`, 'kept');
    await expectPublic(urls);
  });

  test('is not hidden by another report after a moderator has approved it', async () => {
    const { photo, urls } = await postAd();
    await report('media', photo, 'under_age');
    await expectHidden(urls);
    await decide(`media-${photo}`, 'kept');
    await expectPublic(urls);
    const filed = await report('media', photo, 'forced');
    const headers = after(filed);
    await api.call('GET', `/api/media/${photo}/access`, { token: otherProvider.token, headers });
    await expectPublic(urls);
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
      const response = await load(await privateUrl(url, owner));
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      const { expiresAt } = (await getAccess(id, owner)).body;
      expect(Date.parse(expiresAt as string) - Date.now()).toBeLessThanOrEqual(10 * 60_000);
      expect((await getAccess(id, otherProvider)).status).toBe(404);
      expect((await getAccess(id)).status).toBe(401);
    }
  });

  test('of an unverified account is visible to its owner only', async () => {
    const owner = await recording.member({ userType: 'provider', verify: false });
    const photo = await uploadPhoto(owner);
    await expectHidden(urlsOfPhoto(photo));
    expect((await load(await privateUrl(urlOfPhoto(photo), owner))).status).toBe(200);
  });

  test('is not accessible with the token of another file, or with a changed one', async () => {
    const [one, other] = [await uploadPhoto(otherProvider), await uploadPhoto(otherProvider)];
    const signed = await privateUrl(urlOfPhoto(one), otherProvider);
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

test('no file is public while the read models lack recent decisions, except for stock pictures', async () => {
  const { photo, urls } = await postAd();
  const resume = await stopReadModels('moderation_cases', 'ad_cards');
  try {
    await report('media', photo, 'under_age');
    await eventually(async () => expect(await statusesOf(urls)).toEqual(urls.map(() => 503)));
    const late = await loadOnce(urls[0] ?? '');
    expect([late.status, late.headers.get('cache-control')]).toEqual([503, 'no-store']);
    expect(late.headers.get('retry-after')).toBe('1');
    expect((await load('/uploads/photos/demo-01/640.webp')).status).toBe(200);
  } finally {
    await resume();
  }
  await expectHidden(urls);
});

test('an access of a moderator to a hidden file is logged for its owner', async () => {
  const { owner, photo } = await postAd();
  await report('media', photo, 'under_age');
  await expectHidden([urlOfPhoto(photo)]);
  expect((await load(await privateUrl(urlOfPhoto(photo), moderator))).status).toBe(200);
  const rows = await query(
    product.databaseUrl,
    'select what, staff_id, media_id from audit.staff_reads where subject_id = $1',
    [owner.user.id],
  );
  expect(rows).toContainEqual({ what: 'getMediaAccess', staff_id: moderator.user.id, media_id: photo });
});

test('a public file needs no token', async () => {
  const { owner, photo } = await postAd();
  expect((await getAccess(photo, owner)).body).toEqual({ success: true, access: null, expiresAt: null });
});

describe('photos of an article', () => {
  test('are visible while the article is published', async () => {
    const { slug, urls } = await draftArticle();
    await expectHidden(urls);
    expect((await callBlog('POST', `/${slug}/publish`)).status).toBe(200);
    await expectPublic(urls);
    expect((await callBlog('POST', `/${slug}/withdraw`, { reason: 'A mistake' })).status).toBe(200);
    await expectHidden(urls);
  });

  test.each(['cover', 'inline'] as const)(
    'are in no public response after the %s was reported as under age, and are back after the decision to keep it',
    async (place) => {
      const article = await publishArticle();
      const photo = article[place];
      await eventually(async () => expect(await readPublicTexts(article)).toContain(photo));
      await report('media', photo, 'under_age');
      await expectHidden(urlsOfPhoto(photo));
      await eventually(async () => expect(await readPublicTexts(article)).not.toContain(`photos/${photo}`));
      await expectPublic(urlsOfPhoto(place === 'cover' ? article.inline : article.cover));
      await decide(`media-${photo}`, 'kept');
      await expectPublic(urlsOfPhoto(photo));
      await eventually(async () => expect(await readPublicTexts(article)).toContain(`photos/${photo}`));
    },
  );
});

describe('a file that was removed although an ad or an article still names it', () => {
  const remove = (mediaId: string) => recording.commands.execute(media, mediaId, removeMedia, {}, TEST_ORIGIN);

  test('is in no response for visitors that shows the ad', async () => {
    const { owner, adId, photo, video, urls } = await postAd();
    await remove(photo);
    await remove(video);
    await expectHidden(urls);
    for (const path of [`/api/ads/${adId}`, '/api/ads', '/api/search?q=quiet', `/ad/${adId}`])
      await eventually(async () => {
        const text = await (await load(path)).text();
        for (const id of [photo, video]) expect(text, path).not.toContain(id);
      });
    const { body } = await api.call('GET', '/api/ads/user', { token: owner.token });
    expect((body['data'] as AdCard[])[0]).toMatchObject({
      media: [{ id: photo, status: 'rejected', reason: 'This photo was removed', blur: null }],
      videoMedia: { id: video, status: 'rejected', reason: 'This video was removed' },
      video: null,
    });
  });

  test.each(['cover', 'inline'] as const)('is in no public response that shows the article (%s)', async (place) => {
    const article = await publishArticle();
    await remove(article[place]);
    await expectHidden(urlsOfPhoto(article[place]));
    await eventually(async () => expect(await readPublicTexts(article)).not.toContain(`photos/${article[place]}`));
    const other = place === 'cover' ? article.inline : article.cover;
    await eventually(async () => expect(await readPublicTexts(article)).toContain(`photos/${other}`));
  });
});

test('stock pictures are public for ever', async () => {
  const response = await load('/uploads/photos/demo-01/640.webp');
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toContain('immutable');
});
