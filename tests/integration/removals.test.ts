import { createDecipheriv, pbkdf2Sync, randomUUID } from 'node:crypto';
import {
  findPost,
  moderationCase,
  removal,
  thread,
  toCaseId,
  type CaseView,
  type PhotoView,
  type ResponseOf,
  type RemovalView,
  type StaffRemovalView,
  type StatementView,
} from '@alpenglow/domain';
import { warnAboutRemoval } from '@alpenglow/domain/deciders';
import { createRemovalCopies, loadSecrets } from '@alpenglow/infra';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { photoOf } from '../support/picture-corpus.ts';
import { pictures } from '../support/pictures.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { upload } from '../support/uploads.ts';
import { testApi, testMailboxes, testPool, testProduct, testRecording } from '../support/fixtures.ts';

const coverage = watchResponseProperties('removals.test.ts');

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
const pool = testPool(product, 2);
const mailboxes = testMailboxes(product);
let moderator: Person;
let otherModerator: Person;
let admin: Person;

beforeAll(async () => {
  moderator = await recording.member({ role: 'moderator' });
  otherModerator = await recording.member({ role: 'moderator' });
  admin = await recording.member({ email: 'admin@example.com' });
});
afterAll(async () => {
  coverage.stop();
});

interface Requested {
  readonly id: string;
  readonly reference: string;
  readonly token: string;
  readonly email: string;
  readonly contents: number;
  readonly hidden: number;
}

const bodyOf = (links: readonly string[], more: Record<string, unknown> = {}) => ({
  name: 'Anna Example',
  email: `${randomUUID()}@example.com`,
  relation: 'self',
  links,
  statement: true,
  signature: 'Anna Example',
  ...more,
});
async function ask(links: readonly string[], more: Record<string, unknown> = {}): Promise<Requested> {
  const body = bodyOf(links, more);
  const { status, body: response } = await api.call('POST', '/api/removal-requests', { body });
  expect(status, JSON.stringify(response)).toBe(201);
  const { id, reference, statusUrl, contents, hidden } = response['data'] as Omit<Requested, 'token' | 'email'> & {
    readonly statusUrl: string;
  };
  expect(reference).toMatch(/^T-[0-9A-Z]{15}$/u);
  const [page, token = ''] = statusUrl.split('#');
  expect(page).toBe(`${product.url}/removal/${id}`);
  return { id, reference, token, email: body.email, contents, hidden };
}
const own = ({ id, token }: Requested, action = '', body?: unknown) =>
  api.call(action === '' ? 'GET' : 'POST', `/api/removal-requests/${id}${action}`, {
    headers: { 'X-Removal-Token': token },
    ...(body !== undefined && { body }),
  });
const read = async (request: Requested) => (await own(request)).body['data'] as RemovalView;
const staff = (method: 'GET' | 'POST', path: string, person: Person, body?: unknown) =>
  api.call(method, `/api/admin/moderation/removals${path}`, {
    token: person.token,
    ...(body !== undefined && { body }),
  });
const decide = (request: Requested, outcome: 'valid' | 'rejected', by = moderator) =>
  staff('POST', `/${request.id}/decide`, by, { outcome, facts: 'The picture shows it.' });

interface PostedAd {
  readonly owner: Person;
  readonly adId: string;
  readonly photo: string;
  readonly photoUrl: string;
}
async function postAd(picture?: Buffer): Promise<PostedAd> {
  const owner = await recording.member({ userType: 'provider' });
  const bytes = picture ?? (await pictures.random());
  const { body } = await upload(product.url, 'photos', [{ bytes }], owner.token);
  const [uploaded] = body['media'] as PhotoView[];
  const photo = uploaded?.id ?? '';
  const photoUrl = `/uploads/photos/${photo}/1600.jpg`;
  const { id } = await api.postAd(owner.token, { photos: [photoUrl] });
  await expectStatus(photoUrl, 200);
  return { owner, adId: id, photo, photoUrl };
}
const expectStatus = (path: string, status: number) =>
  eventually(async () => expect((await fetch(`${product.url}${path}`)).status).toBe(status));
const expectAd = (adId: string, status: 200 | 404) => expectStatus(`/api/ads/${adId}`, status);

describe('POST /removal-requests', () => {
  test('rejects wrong fields with a message for the field', async () => {
    const fieldsOf = async (links: readonly string[], more: Record<string, unknown>) => {
      const { status, body } = await api.call('POST', '/api/removal-requests', { body: bodyOf(links, more) });
      expect(status).toBe(400);
      return body['fields'] as Record<string, string>;
    };
    expect(await fieldsOf(['https://other.example/ad/1'], {})).toMatchObject({
      links: 'This link does not lead to a page or picture of this site: https://other.example/ad/1',
    });
    expect(await fieldsOf([], {})).toEqual({ links: 'Please enter a link' });
    expect(
      await fieldsOf(
        Array.from({ length: 51 }, () => '/ad/1'),
        {},
      ),
    ).toHaveProperty('links');
    expect(await fieldsOf(['/ad/1'], { statement: undefined })).toEqual({ statement: 'Please confirm the statement' });
    expect(await fieldsOf(['/ad/1'], { signature: '' })).toHaveProperty('signature');
  });

  test('returns what it has found and hidden', async () => {
    expect(await ask(['/ad/unknown'])).toMatchObject({ contents: 0, hidden: 0 });
  });

  test('stores the personal data encrypted', async () => {
    const { id } = await ask([`${product.url}/ad/unknown`], { name: 'Quixotic Marmalade' });
    const { rows } = await pool.query<{ data: unknown }>('select data from es.events where stream = $1', [
      `removal-${id}`,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('Marmalade');
    expect((await recording.commands.load(removal, id)).state?.name).toBe('Quixotic Marmalade');
  });

  test('hides an ad at once, also one that a moderator has confirmed, and its owner can respond', async () => {
    const { owner, adId, photoUrl } = await postAd();
    const caseId = toCaseId({ kind: 'ad', id: adId });
    await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id: adId }, reason: 'spam', text: null } });
    await api.call('POST', `/api/admin/moderation/cases/${caseId}/claim`, { token: moderator.token });
    await api.call('POST', `/api/admin/moderation/cases/${caseId}/decide`, {
      token: moderator.token,
      body: { outcome: 'kept', rule: 'other', facts: 'Nothing is wrong.' },
    });

    const request = await ask([`${product.url}/ad/${adId}`]);
    expect(request).toMatchObject({ contents: 1, hidden: 1 });
    await expectAd(adId, 404);
    await expectStatus(photoUrl, 404);

    const statements = await eventually(async () => {
      const { body } = await api.call('GET', '/api/account/decisions', { token: owner.token });
      const [first] = body['data'] as StatementView[];
      expect(first).toMatchObject({ isAutomated: true, outcome: 'hidden', canRespond: true, response: null });
      return first;
    });
    const path = `/api/account/decisions/${statements?.id}/response`;
    const respond = () => api.call('POST', path, { token: owner.token, body: { text: 'The person is me.' } });
    expect(await respond()).toMatchObject({ status: 200 });
    expect(await respond()).toMatchObject({ status: 409, body: { code: 'ALREADY_RESPONDED' } });
    const { body } = await staff('GET', `/${request.id}`, moderator);
    expect((body['data'] as StaffRemovalView).contents).toMatchObject([
      {
        subject: { kind: 'ad', id: adId },
        path: `/admin/ads/${adId}`,
        isHidden: true,
        response: { text: 'The person is me.' },
      },
    ]);
    const found = await api.call('GET', `/api/admin/moderation/cases/${caseId}`, { token: moderator.token });
    expect((found.body['data'] as CaseView).response?.text).toBe('The person is me.');
    expect(await mailboxes.waitForMail(owner.email, 'hidden')).toBeTruthy();
  });

  test('hides a photo in all sizes, and the ad stays online', async () => {
    const { adId, photoUrl } = await postAd();
    await ask([photoUrl]);
    await expectStatus(photoUrl, 404);
    await expectAd(adId, 200);
  });

  test('finds a photo by its hash', async () => {
    const { photo, photoUrl } = await postAd();
    const { rows } = await pool.query<{ hash: string }>('select hash from rm.media_items where media_id = $1', [photo]);
    await ask([], { hashes: [rows[0]?.hash] });
    await expectStatus(photoUrl, 404);
  });

  test('hides a post of a thread', async () => {
    const author = await recording.member();
    const started = await api.call('POST', '/api/community/threads', {
      token: author.token,
      body: { state: 'NV', city: 'Reno', title: 'Quiet places to meet', body: `Where? ${randomUUID()}` },
    });
    const { id: threadId } = started.body['data'] as { id: string };
    await api.call('POST', `/api/community/threads/${threadId}/replies`, {
      token: author.token,
      body: { body: `Here. ${randomUUID()}` },
    });
    await ask([`${product.url}/community/${threadId}?post=1#post-1`]);
    const { state } = await recording.commands.load(thread, threadId);
    expect([0, 1].map((number) => state && findPost(state.posts, number)?.status)).toEqual(['visible', 'hidden']);
  });
});

describe('the private page', () => {
  test('needs the token of this request', async () => {
    const [one, other] = [await ask(['/ad/unknown']), await ask(['/ad/unknown'])];
    expect(await own({ ...one, token: other.token })).toMatchObject({
      status: 404,
      body: { code: 'REMOVAL_NOT_FOUND' },
    });
    expect(await api.call('GET', `/api/removal-requests/${one.id}`)).toMatchObject({ status: 404 });
  });

  test('shows the state, takes texts, and withdraws the request', async () => {
    const { adId, photoUrl } = await postAd();
    const request = await ask([`/ad/${adId}`]);
    expect(await read(request)).toMatchObject({
      reference: request.reference,
      status: 'open',
      contents: [{ kind: 'ad', isHidden: true }],
      canAdd: true,
    });
    expect(await own(request, '/notes', { text: 'It is the second picture.' })).toMatchObject({ status: 200 });
    expect(await own(request, '/withdraw')).toMatchObject({ status: 200 });
    expect(await read(request)).toMatchObject({
      status: 'withdrawn',
      notes: [{ text: 'It is the second picture.' }],
      contents: [{ isHidden: false }],
      deadline: null,
    });
    await expectAd(adId, 200);
    await expectStatus(photoUrl, 200);
    expect(await own(request, '/notes', { text: 'Once again.' })).toMatchObject({ status: 409 });
    // A moderator still reads the case.
    const { state } = await recording.commands.load(moderationCase, toCaseId({ kind: 'ad', id: adId }));
    expect(state).toMatchObject({ isOpen: true, isHidingSubject: false });
  });

  test('is mailed to the person, and the operator receives a copy that recovers the request', async () => {
    const request = await ask(['/ad/unknown'], { name: 'Quixotic Marmalade' });
    const receipt = await mailboxes.waitForMail(request.email, request.reference);
    expect(receipt.text).toContain(`/removal/${request.id}#${request.token}`);
    const copy = await mailboxes.waitForMail('admin@example.com', request.reference);
    expect(copy.text).not.toContain('Marmalade');
    const { dataKeys } = await loadSecrets(product.dataDir);
    const { state } = await recording.commands.load(removal, request.id);
    // Mail programs quote and wrap lines.
    expect(createRemovalCopies(dataKeys).openAll(copy.text.replaceAll('\n', '\r\n> '))).toMatchObject([
      { requestId: request.id, name: 'Quixotic Marmalade', recoveredFrom: state?.requestedAt },
    ]);
    expect(createRemovalCopies('0'.repeat(64)).openAll(copy.text)).toEqual([null]);
  });
});

describe('a decision', () => {
  test('for a valid request removes the content and all known copies, and the owner can appeal', async () => {
    const picture = await pictures.random(640, 480);
    const [named, copied, other] = [await postAd(picture), await postAd(picture), await postAd()];
    const request = await ask([named.photoUrl]);
    expect(await decide(request, 'valid')).toMatchObject({ status: 200 });
    await expectStatus(named.photoUrl, 404);
    await expectStatus(copied.photoUrl, 404);
    await expectStatus(other.photoUrl, 200);
    expect(await read(request)).toMatchObject({
      status: 'completed',
      completed: { removed: 2, copies: 1, backupsUntil: expect.stringMatching(/Z$/u) as string },
      decision: { outcome: 'valid', facts: 'The picture shows it.' },
    });
    await mailboxes.waitForMail(request.email, request.reference);
    const statement = await eventually(async () => {
      const { body } = await api.call('GET', '/api/account/decisions', { token: copied.owner.token });
      const [first] = body['data'] as StatementView[];
      expect(first).toMatchObject({ outcome: 'removed', rule: { id: 'consent' } });
      return first;
    });
    expect(statement?.appealableUntil).not.toBeNull();
    expect(await decide(request, 'rejected', otherModerator)).toMatchObject({
      status: 409,
      body: { code: 'NOTHING_TO_DECIDE' },
    });
  });

  test('removes copies of the photos of an ad that its owner has deleted, also smaller ones', async () => {
    const picture = await photoOf(90_001, 640, 480);
    const smaller = await sharp(picture).resize(400).jpeg({ quality: 70 }).toBuffer();
    const [named, copied, other] = [await postAd(picture), await postAd(smaller), await postAd()];
    const request = await ask([`/ad/${named.adId}`]);
    expect(await api.call('DELETE', `/api/ads/${named.adId}`, { token: named.owner.token })).toMatchObject({
      status: 200,
    });
    expect(await decide(request, 'valid')).toMatchObject({ status: 200 });
    await expectStatus(copied.photoUrl, 404);
    await expectStatus(other.photoUrl, 200);
    expect(await read(request)).toMatchObject({ status: 'completed', completed: { removed: 3, copies: 2 } });
  });

  test('for a rejected request shows the content again, and another moderator decides the appeal', async () => {
    const { adId, photoUrl } = await postAd();
    const request = await ask([`/ad/${adId}`]);
    expect(await decide(request, 'rejected')).toMatchObject({ status: 200 });
    await expectAd(adId, 200);
    expect(await read(request)).toMatchObject({ status: 'rejected', decision: { facts: 'The picture shows it.' } });
    expect(await own(request, '/appeal', { text: 'I did not consent.' })).toMatchObject({ status: 200 });
    expect(await own(request, '/appeal', { text: 'Again.' })).toMatchObject({ status: 409 });
    const appeal = (by: Person) =>
      staff('POST', `/${request.id}/appeal`, by, { outcome: 'overturned', facts: 'That is right.' });
    expect(await appeal(moderator)).toMatchObject({ status: 403, body: { code: 'ANOTHER_MODERATOR' } });
    expect(await appeal(otherModerator)).toMatchObject({ status: 200 });
    await expectAd(adId, 404);
    await expectStatus(photoUrl, 404);
    expect(await read(request)).toMatchObject({ status: 'completed', appealDecision: { outcome: 'overturned' } });
    const { body } = await staff('GET', `/${request.id}`, moderator);
    expect(body['data']).toMatchObject({ status: 'completed', completed: { copies: 1 }, canDecide: false });
  });

  test('about the content alone is not possible while a request is undecided', async () => {
    const { adId } = await postAd();
    const request = await ask([`/ad/${adId}`]);
    const caseId = toCaseId({ kind: 'ad', id: adId });
    await api.call('POST', `/api/admin/moderation/cases/${caseId}/claim`, { token: moderator.token });
    const keep = () =>
      api.call('POST', `/api/admin/moderation/cases/${caseId}/decide`, {
        token: moderator.token,
        body: { outcome: 'kept', rule: 'other', facts: 'Nothing is wrong.' },
      });
    expect(await keep()).toMatchObject({ status: 409, body: { code: 'REMOVAL_UNDECIDED' } });
    const restored = await api.call('POST', '/api/admin/moderation/restore', {
      token: admin.token,
      body: { caseIds: [caseId], facts: 'An attack.' },
    });
    expect(restored.body['data']).toEqual({ restored: 0, unchanged: 1 });
    await own(request, '/withdraw');
    expect(await keep()).toMatchObject({ status: 200 });
  });

  test('does not show content that a second request names', async () => {
    const { adId } = await postAd();
    const [one, other] = [await ask([`/ad/${adId}`]), await ask([`/ad/${adId}`])];
    await decide(one, 'rejected');
    await expectAd(adId, 404);
    await decide(other, 'rejected');
    await expectAd(adId, 200);
  });
});

describe('the list of moderators', () => {
  const list = async (state: string) =>
    (await staff('GET', `?state=${state}&limit=50`, moderator)).body as unknown as ResponseOf<'listRemovals'>;

  test('is ordered by the deadline, with the time of the request and not of its record', async () => {
    const [late, early] = [await ask(['/ad/unknown']), await ask(['/ad/unknown'])];
    await recording.commands.execute(removal, early.id, warnAboutRemoval, {}, TEST_ORIGIN, {
      now: new Date(Date.now() + 25 * 60 * 60_000).toISOString(),
    });
    await eventually(async () => {
      const { data } = await list('waiting');
      const deadlines = data.map(({ deadline }) => deadline ?? '');
      expect(deadlines).toEqual(deadlines.toSorted());
      expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([late.id, early.id]));
      expect(data.find(({ id }) => id === early.id)).toMatchObject({ warnedAfter_h: 24, status: 'open' });
    });
    await own(early, '/notes', { text: 'Please hurry.' });
    await staff('GET', `/${early.id}`, moderator);
    expect((await staff('GET', '?limit=1', moderator)).body['nextCursor']).toEqual(expect.any(String));
    const warning = await mailboxes.waitForMail(moderator.email, early.reference);
    expect(warning.subject).toContain('24 hours');
    await own(early, '/withdraw');
    await eventually(async () => {
      expect((await list('closed')).data.map(({ id }) => id)).toContain(early.id);
      expect((await list('waiting')).data.map(({ id }) => id)).not.toContain(early.id);
    });
  });

  test('leaves to admins the e-mail address of the person, which moderators do not need (R-6.14)', async () => {
    const request = await ask(['/ad/unknown'], { name: 'Quixotic Marmalade' });
    const readAs = async (person: Person) => (await staff('GET', `/${request.id}`, person)).body;
    const response = await readAs(moderator);
    expect(response['data']).toMatchObject({ name: 'Quixotic Marmalade', signature: 'Anna Example', email: null });
    expect(JSON.stringify(response)).not.toContain(request.email);
    expect((await readAs(admin))['data']).toMatchObject({ email: request.email });
  });

  test('escalates to admins before the deadline', async () => {
    const request = await ask(['/ad/unknown']);
    await recording.commands.execute(removal, request.id, warnAboutRemoval, {}, TEST_ORIGIN, {
      now: new Date(Date.now() + 45 * 60 * 60_000).toISOString(),
    });
    expect(
      (await mailboxes.waitForMail('admin@example.com', `Urgent: removal request ${request.reference}`)).text,
    ).toContain(`/admin/removals/${request.id}`);
    const others = await mailboxes.mailsTo(moderator.email);
    expect(others.filter(({ subject }) => subject.includes(request.reference))).toEqual([]);
  });

  test('exports one request as a file that openssl decrypts, and records the access', async () => {
    const request = await ask(['/ad/unknown'], { name: 'Quixotic Marmalade' });
    const passphrase = 'twelve quiet words for counsel';
    const response = await fetch(`${product.url}/api/admin/moderation/removals/${request.id}/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ passphrase }),
    });
    expect(response.status).toBe(200);
    const file = Buffer.from(await response.arrayBuffer());
    expect(file.subarray(0, 8).toString()).toBe('Salted__');
    expect(file.toString('latin1')).not.toContain('Marmalade');
    const derived = pbkdf2Sync(passphrase, file.subarray(8, 16), 600_000, 48, 'sha256');
    const decipher = createDecipheriv('aes-256-cbc', derived.subarray(0, 32), derived.subarray(32));
    const text = Buffer.concat([decipher.update(file.subarray(16)), decipher.final()]).toString('utf8');
    expect(JSON.parse(text)).toMatchObject({
      requestId: request.id,
      reference: request.reference,
      events: [{ type: 'RemovalRequested', data: { name: 'Quixotic Marmalade' } }],
    });
    const { rows } = await pool.query('select from audit.staff_reads where what = $1 and subject_id = $2', [
      'exportRemoval',
      request.id,
    ]);
    expect(rows).toHaveLength(1);
  });
});

test('every documented property occurs in the responses of this file', () => {
  expect(coverage.missing()).toEqual([]);
});
