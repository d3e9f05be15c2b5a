import { account, endAccount, follows, listing } from '@alpenglow/domain';
import { followThread, postAd } from '@alpenglow/domain/deciders';
import { createPool, createSessions, type CommandHandler } from '@alpenglow/infra';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { after, validAd, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { readExport } from '../support/export-archive.ts';
import { pictures } from '../support/pictures.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { upload } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

// The id of an account is derived from its e-mail address. After an account is closed, a new account with this address
// has the same id, but it may belong to another person. This person must get nothing of the closed account.

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let admin: Person;
let moderator: Person;

beforeAll(async () => {
  admin = await recording.member({ email: 'admin@example.com' });
  moderator = await recording.member({ role: 'moderator' });
});

async function close({ user }: Person): Promise<void> {
  const { status, body } = await api.call('DELETE', `/api/admin/users/${user.id}`, {
    token: admin.token,
    body: { reason: 'Requested by mail' },
  });
  expect(status, JSON.stringify(body)).toBe(200);
}

/** Closes an account and registers a new account with the same address. */
async function replace(person: Person, userType: 'client' | 'provider' = 'provider'): Promise<Person> {
  const { email, user } = person;
  await close(person);
  const successor = await recording.member({ email, userType, age_ms: 0 });
  expect(successor.user.id).toBe(user.id);
  return successor;
}

interface Files {
  readonly photo: string;
  readonly video: string;
}

async function uploadFiles({ token }: Person): Promise<Files> {
  const photos = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], token);
  const video = await upload(product.url, 'video', [{ bytes: await mp4({ seconds: 3 }) }], token);
  expect([photos.status, video.status]).toEqual([201, 201]);
  const [photo] = photos.body['media'] as { id: string }[];
  return { photo: photo?.id ?? '', video: (video.body['media'] as { id: string }).id };
}
const photoUrl = (id: string) => `/uploads/photos/${id}/1600.jpg`;
const videoUrl = (id: string) => `/uploads/video/${id}`;
const statusOf = async (url: string) => (await fetch(`${product.url}${url}`)).status;

test('a new account with the address of a closed one gets no access to its files', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const { photo, video } = await uploadFiles(anna);
  const getAccess = async (id: string, { token }: Person) =>
    (await whenAvailable(() => api.call('GET', `/api/media/${id}/access`, { token }))).status;
  expect([await getAccess(photo, anna), await getAccess(video, anna)]).toEqual([200, 200]);
  const successor = await replace(anna);
  expect([await getAccess(photo, successor), await getAccess(video, successor)]).toEqual([404, 404]);
});

test('a new account with the address of a closed one cannot post its files', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const { photo, video } = await uploadFiles(anna);
  const { token } = await replace(anna);
  const post = (fields: Record<string, unknown>) =>
    api.call('POST', '/api/ads', { token, body: { ...validAd, ...fields } });
  expect((await post({ photos: [photoUrl(photo)] })).body).toMatchObject({ code: 'PHOTO_NOT_YOURS' });
  expect((await post({ video: videoUrl(video) })).body).toMatchObject({ code: 'VIDEO_NOT_YOURS' });
});

test('an ad of a new account does not publish the files of a closed one', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const { photo, video } = await uploadFiles(anna);
  await api.postAd(anna.token, { photos: [photoUrl(photo)], video: videoUrl(video) });
  const statuses = async () => [await statusOf(photoUrl(photo)), await statusOf(videoUrl(video))];
  await eventually(async () => expect(await statuses()).toEqual([200, 200]));
  const successor = await replace(anna);
  // The API rejects such an ad, but earlier versions accepted it.
  const { state } = await recording.commands.execute(
    listing,
    successor.user.id,
    postAd,
    {
      poster: { accountId: successor.user.id, isProvider: true, emailVerified: true },
      clientId: null,
      fields: { ...validAd, category: 'escort', body: null, price: null, phone: null, socialMedia: null },
      photos: [photo],
      video,
      isDemo: false,
    },
    TEST_ORIGIN,
  );
  await eventually(async () =>
    expect((await api.call('GET', `/api/ads/${state.ad?.adId}`)).body).toMatchObject({ success: true }),
  );
  await eventually(async () => expect(await statuses()).toEqual([404, 404]));
  for (const path of [`/api/ads/${state.ad?.adId}`, '/api/ads', `/ad/${state.ad?.adId}`]) {
    const text = await eventually(async () => {
      const page = await (await fetch(`${product.url}${path}`)).text();
      expect(page, path).toContain(state.ad?.adId);
      return page;
    });
    for (const id of [photo, video]) expect(text, path).not.toContain(id);
  }
});

test('a closing that a job repeats has no effect on a new account', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
  onTestFinished(() => pool.end());
  await close(anna);
  const registeredBy = new Date().toISOString();
  let successor: Person | undefined;
  // The new account is registered after the job has found the old one closed, and before its first command.
  const commands: CommandHandler = {
    ...recording.commands,
    async handle(...command) {
      successor ??= await recording.member({ email: anna.email, userType: 'provider', age_ms: -1 });
      return recording.commands.handle(...command);
    },
  };
  const end = () =>
    endAccount({ commands, sessions: createSessions(pool) }, anna.user.id, TEST_ORIGIN, { registeredBy });
  await end();
  const token = successor?.token ?? '';
  const { id: adId } = await api.postAd(token);
  await end();
  expect((await recording.commands.load(listing, anna.user.id)).state.ad?.adId).toBe(adId);
  expect((await api.call('GET', '/api/account/decisions', { token })).status).toBe(200);
});

test('a closing that is repeated spares what a new account adds while it runs', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
  onTestFinished(() => pool.end());
  await close(anna);
  const registeredBy = new Date().toISOString();
  let adId = '';
  let successor: Person | undefined;
  // The new account is registered and posts its ad directly before each command of the job: the first one finds it.
  const commands: CommandHandler = {
    ...recording.commands,
    async handle(...command) {
      if (!successor) {
        successor = await recording.member({ email: anna.email, userType: 'provider', age_ms: -1 });
        adId = (await api.postAd(successor.token)).id;
        await recording.commands.execute(
          follows,
          anna.user.id,
          followThread,
          { accountId: anna.user.id, threadId: 'thread-1', mail: 'off' },
          TEST_ORIGIN,
        );
      }
      return recording.commands.handle(...command);
    },
  };
  await endAccount({ commands, sessions: createSessions(pool) }, anna.user.id, TEST_ORIGIN, { registeredBy });
  expect((await recording.commands.load(listing, anna.user.id)).state.ad?.adId).toBe(adId);
  expect((await recording.commands.load(follows, anna.user.id)).state.threads).toEqual({ 'thread-1': 'off' });
});

test('an ad that is posted while its account is closed is removed', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
  onTestFinished(() => pool.end());
  const ad = {
    poster: { accountId: anna.user.id, isProvider: true, emailVerified: true },
    clientId: null,
    fields: { ...validAd, category: 'escort' as const, body: null, price: null, phone: null, socialMedia: null },
    ...{ photos: [], video: null, isDemo: false },
  };
  // The ad is posted directly before the account is closed, and after the removal of its ads.
  const commands: CommandHandler = {
    ...recording.commands,
    async handle(aggregate, ...command) {
      if (aggregate.name === 'account')
        await recording.commands.execute(listing, anna.user.id, postAd, ad, TEST_ORIGIN);
      return recording.commands.handle(aggregate, ...command);
    },
  };
  await endAccount({ commands, sessions: createSessions(pool) }, anna.user.id, TEST_ORIGIN);
  expect((await recording.commands.load(listing, anna.user.id)).state.ad).toBeNull();
  expect((await recording.commands.load(account, anna.user.id)).state).toBeNull();
});

test('a new account with the address of a closed one cannot read or appeal decisions about it', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const { id: adId } = await api.postAd(anna.token);
  const filed = await api.call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id: adId }, reason: 'spam', text: null },
  });
  expect(filed.status).toBe(201);
  const act = (action: string, body?: unknown) =>
    api.call('POST', `/api/admin/moderation/cases/ad-${adId}/${action}`, {
      token: moderator.token,
      ...(body !== undefined && { body }),
    });
  expect((await act('claim')).status).toBe(200);
  const decided = await act('decide', { outcome: 'removed', rule: 'contact', facts: 'It names the street of Anna.' });
  const { decisionId } = decided.body['data'] as { decisionId: string };
  const headers = after(decided);
  const read = ({ token }: Person) => api.call('GET', `/api/account/decisions/${decisionId}`, { token, headers });
  const list = async ({ token }: Person) => {
    const { status, body } = await api.call('GET', '/api/account/decisions', { token, headers });
    expect(status, JSON.stringify(body)).toBe(200);
    return body['data'];
  };
  expect((await read(anna)).status).toBe(200);
  expect(await list(anna)).toHaveLength(1);

  const successor = await replace(anna);
  expect((await read(successor)).body).toMatchObject({ code: 'DECISION_NOT_FOUND' });
  expect(await list(successor)).toEqual([]);
  const appeal = await api.call('POST', `/api/account/decisions/${decisionId}/appeal`, {
    token: successor.token,
    body: { text: 'It was mine.' },
  });
  expect(appeal.body).toMatchObject({ code: 'DECISION_NOT_FOUND' });
});

test('the export of a new account does not contain accesses of staff to the data of a closed one', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const view = async () => {
    const viewed = await api.call('GET', `/api/admin/users/${anna.user.id}`, { token: admin.token });
    expect(viewed.status, JSON.stringify(viewed.body)).toBe(200);
  };
  const readsOf = async ({ token }: Person) => {
    const files = await readExport(`${product.url}/api/account/export`, token);
    return JSON.parse(files.get('staff-reads.json')?.toString() ?? '') as unknown;
  };
  await eventually(view);
  expect(await readsOf(anna)).toContainEqual(expect.objectContaining({ what: 'getUser' }));
  const successor = await replace(anna);
  expect(await readsOf(successor)).toEqual([]);

  await eventually(view);
  await view();
  await view();
  const reads = (await readsOf(successor)) as { readonly at: string; readonly lastAt: string }[];
  expect(reads).toEqual([
    { what: 'getUser', reads: 3, at: expect.any(String) as string, lastAt: expect.any(String) as string },
  ]);

  // An entry of an earlier build, which began before the sign-up and was continued after it.
  const pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
  onTestFinished(() => pool.end());
  await pool.query(
    `update audit.staff_reads set at = at - interval '1 hour', reads = 9 where subject_id = $1 and reads = 3`,
    [anna.user.id],
  );
  const [{ lastAt } = { lastAt: '' }] = reads;
  expect(await readsOf(successor)).toEqual([{ what: 'getUser', reads: 1, at: lastAt, lastAt }]);
});

test('a new account with the address of a closed one does not have its reviews', async () => {
  const anna = await recording.member({ userType: 'provider' });
  const { id: adId } = await api.postAd(anna.token);
  const ben = await recording.member();
  const body = { comment: 'Kind.', rating: 5 };
  const sent = await api.call('POST', `/api/ads/${adId}/reviews`, { token: ben.token, body });
  const path = `/api/ads/${adId}/reviews/${(sent.body['data'] as { id: string }).id}`;
  const successor = await replace(ben, 'client');
  const { token } = successor;
  expect((await api.call('PUT', path, { token, body })).body).toMatchObject({ code: 'ONLY_REVIEWER' });
  expect((await api.call('DELETE', path, { token })).body).toMatchObject({ code: 'ONLY_REVIEWER' });
  const headers = after(sent);
  const read = async () => (await api.call('GET', `/api/ads/${adId}`, { token, headers })).body['data'];
  expect(await read()).toMatchObject({ ownReview: null, reviews: [{ comment: 'Kind.' }] });
  expect((await api.call('POST', `/api/ads/${adId}/reviews`, { token, body })).status).toBe(201);
});

test('a new account with the address of a closed one does not have its helpful marks', async () => {
  const [author, ben] = [await recording.member(), await recording.member()];
  const started = await api.call('POST', '/api/community/threads', {
    token: author.token,
    body: { state: 'NV', city: 'Reno', title: 'Quiet places', body: 'Where do you meet first?' },
  });
  const { id: threadId } = started.body['data'] as { id: string };
  const path = `/api/community/threads/${threadId}/posts/0/helpful`;
  expect((await api.call('POST', path, { token: ben.token })).status).toBe(200);
  const { token } = await replace(ben, 'client');
  const readAfter = async (response: { readonly headers: Headers }) => {
    const headers = after(response);
    const { body } = await api.call('GET', `/api/community/threads/${threadId}`, { token, headers });
    return (body['data'] as { opening: unknown }).opening;
  };
  const unmarked = await api.call('DELETE', path, { token });
  expect(await readAfter(unmarked)).toMatchObject({ helpfulCount: 1, isHelpful: false });
  const marked = await api.call('POST', path, { token });
  expect(await readAfter(marked)).toMatchObject({ helpfulCount: 2, isHelpful: true });
});
