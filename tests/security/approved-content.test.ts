import { listing, moderationCase, toCaseId, type CaseView, type Subject } from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, type ApiClient, type Person } from '../support/api.ts';
import { pictures } from '../support/pictures.ts';
import { upload } from '../support/uploads.ts';
import { uniqueWord } from '../support/unique-word.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

/**
 * A report cannot hide content that a moderator has confirmed. A provider must not get this protection for
 * content that no moderator has judged.
 */

const product = testProduct({ trustedProxies: 1 });
const api = testApi(product);
const recording = testRecording(product);
let admin: Person;
beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

const CHANGED = { status: 409, body: { code: 'CONTENT_CHANGED' } };
const NEW_TEXT = { title: 'A text that nobody has read', description: 'No moderator has judged these words.' };

/** The position of the last write of this file. A read of a case waits for it. */
let position = '';
async function call(...request: Parameters<ApiClient['call']>) {
  const response = await api.call(...request);
  position = response.headers.get('x-position') ?? position;
  return response;
}
async function postFor(owner: Person, fields: Record<string, unknown>) {
  const posted = await api.postAd(owner.token, fields);
  ({ position } = posted);
  return posted;
}

async function postAd(fields: Record<string, unknown> = {}) {
  const owner = await recording.member({ userType: 'provider' });
  const { id } = await postFor(owner, { title: `Calm company ${uniqueWord()}`, ...fields });
  return { owner, id };
}
let reports = 0;
/** Files a report from another network than all earlier ones, so that it has its full weight. */
async function report(subject: { kind: string; id: string }, reason = 'under_age'): Promise<void> {
  reports += 1;
  const headers = { 'x-forwarded-for': `203.0.113.${reports}` };
  expect((await call('POST', '/api/reports', { body: { subject, reason }, headers })).status).toBe(201);
}
const reportAd = (id: string, reason?: string) => report({ kind: 'ad', id }, reason);
const post = (caseId: string, action: string, body: unknown = {}) =>
  call('POST', `/api/admin/moderation/cases/${caseId}/${action}`, { token: admin.token, body });
async function claim(caseId: string): Promise<void> {
  expect((await post(caseId, 'claim')).status).toBe(200);
}
const keep = (caseId: string, revision?: number) =>
  post(caseId, 'decide', {
    outcome: 'kept',
    rule: 'other',
    facts: 'This is allowed.',
    ...(revision !== undefined && { revision }),
  });
async function readCase(caseId: string): Promise<CaseView> {
  const headers = after(position);
  const { body } = await call('GET', `/api/admin/moderation/cases/${caseId}`, { token: admin.token, headers });
  return body['data'] as CaseView;
}
const adOf = async (owner: Person) => (await recording.commands.load(listing, owner.user.id)).state.ad;
const isUp = async (owner: Person) => (await adOf(owner))?.holdingCaseIds.length === 0;
const isHeld = async (subject: Subject) =>
  (await recording.commands.load(moderationCase, toCaseId(subject))).state?.isHidingSubject;

describe('a decision to keep an ad', () => {
  test('protects the judged ad from reports until it is changed', async () => {
    const { owner, id } = await postAd();
    await reportAd(id);
    await claim(`ad-${id}`);
    expect((await keep(`ad-${id}`)).status).toBe(200);
    await reportAd(id, 'forced');
    await report({ kind: 'account', id }, 'forced');
    expect(await isUp(owner)).toBe(true);
    await call('PUT', `/api/ads/${id}`, { token: owner.token, body: NEW_TEXT });
    await reportAd(id, 'my_content');
    expect(await isUp(owner)).toBe(false);
  });

  test('protects an ad that no report has hidden', async () => {
    const { owner, id } = await postAd();
    await reportAd(id, 'spam');
    await claim(`ad-${id}`);
    expect((await keep(`ad-${id}`)).status).toBe(200);
    await reportAd(id);
    expect(await isUp(owner)).toBe(true);
  });

  test('is rejected if the owner has edited the ad, until the moderator has read the new version', async () => {
    const { owner, id } = await postAd();
    await reportAd(id);
    await claim(`ad-${id}`);
    const readRevision = (await readCase(`ad-${id}`)).now.revision;
    await call('PUT', `/api/ads/${id}`, { token: owner.token, body: NEW_TEXT });
    expect(await keep(`ad-${id}`)).toMatchObject(CHANGED);
    expect(await keep(`ad-${id}`, readRevision)).toMatchObject(CHANGED);
    // A revision that does not exist yet would also confirm later edits.
    expect(await keep(`ad-${id}`, 1_000_000)).toMatchObject(CHANGED);
    expect(await isUp(owner)).toBe(false);

    const { now } = await readCase(`ad-${id}`);
    expect(now.title).toBe(NEW_TEXT.title);
    expect((await keep(`ad-${id}`, now.revision)).status).toBe(200);
    expect(await isUp(owner)).toBe(true);
    await reportAd(id, 'forced');
    expect(await isUp(owner)).toBe(true);
  });

  test('is not needed to keep an edited ad hidden', async () => {
    const { owner, id } = await postAd();
    await reportAd(id);
    await claim(`ad-${id}`);
    await call('PUT', `/api/ads/${id}`, { token: owner.token, body: NEW_TEXT });
    const body = { outcome: 'hidden', rule: 'other', facts: 'This is forbidden.' };
    expect((await post(`ad-${id}`, 'decide', body)).status).toBe(200);
    expect(await isUp(owner)).toBe(false);
  });

  test('is rejected while the case holds another ad that was not read, and never protects it', async () => {
    const { owner, id } = await postAd();
    await reportAd(id);
    await claim(`ad-${id}`);
    await call('DELETE', `/api/ads/${id}`, { token: owner.token });
    const next = await postFor(owner, NEW_TEXT);
    expect(await keep(`ad-${id}`)).toMatchObject(CHANGED);
    expect(await isUp(owner)).toBe(false);

    const { judged, now } = await readCase(`ad-${id}`);
    expect(judged.title).not.toBe(NEW_TEXT.title);
    expect(now).toMatchObject({ title: NEW_TEXT.title, isGone: false });
    expect((await keep(`ad-${id}`, now.revision)).status).toBe(200);
    expect(await isUp(owner)).toBe(true);
    await reportAd(next.id);
    expect(await isUp(owner)).toBe(false);
  });

  test('is possible after the owner has deleted the ad', async () => {
    const { owner, id } = await postAd();
    await reportAd(id);
    await claim(`ad-${id}`);
    await call('DELETE', `/api/ads/${id}`, { token: owner.token });
    expect((await readCase(`ad-${id}`)).now.isGone).toBe(true);
    expect((await keep(`ad-${id}`)).status).toBe(200);
  });
});

test('a decision about a photo does not protect the text of the ad', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(300, 200) }], owner.token);
  const [{ id: mediaId } = { id: '' }] = photo.body['media'] as { id: string }[];
  const { id } = await postFor(owner, { photos: photo.body['urls'] });
  await report({ kind: 'media', id: mediaId });
  expect(await isUp(owner)).toBe(false);
  await claim(`media-${mediaId}`);
  expect((await keep(`media-${mediaId}`)).status).toBe(200);
  expect(await isUp(owner)).toBe(true);
  await report({ kind: 'media', id: mediaId }, 'forced');
  expect(await isUp(owner)).toBe(true);
  await reportAd(id);
  expect(await isUp(owner)).toBe(false);
});

test('a decision about a profile protects the profile, but not the ad', async () => {
  const { owner, id } = await postAd();
  await report({ kind: 'account', id });
  expect(await isUp(owner)).toBe(false);
  await claim(`account-${owner.user.id}`);
  expect((await keep(`account-${owner.user.id}`)).status).toBe(200);
  await report({ kind: 'account', id }, 'forced');
  expect(await isUp(owner)).toBe(true);
  await reportAd(id);
  expect(await isUp(owner)).toBe(false);
});

test('a decision about a profile is rejected until the moderator has read the new name', async () => {
  const { owner, id } = await postAd();
  const caseId = `account-${owner.user.id}`;
  await report({ kind: 'account', id });
  await claim(caseId);
  await call('PUT', '/api/auth/profile', { token: owner.token, body: { displayName: 'Unread name' } });
  expect(await keep(caseId)).toMatchObject(CHANGED);
  expect(await isUp(owner)).toBe(false);
  const { now } = await readCase(caseId);
  expect(now.title).toBe('Unread name');
  expect((await keep(caseId, now.revision)).status).toBe(200);
  expect(await isUp(owner)).toBe(true);
});

test('a restoration in one step does not protect the content, and a later decision does', async () => {
  const { owner, id } = await postAd();
  await reportAd(id);
  expect(await isUp(owner)).toBe(false);
  const body = { caseIds: [`ad-${id}`], facts: 'A wave of false reports.' };
  expect((await call('POST', '/api/admin/moderation/restore', { token: admin.token, body })).status).toBe(200);
  expect(await isUp(owner)).toBe(true);
  await reportAd(id, 'forced');
  expect(await isUp(owner)).toBe(false);
  await call('POST', '/api/admin/moderation/restore', { token: admin.token, body });
  await claim(`ad-${id}`);
  expect((await keep(`ad-${id}`)).status).toBe(200);
  await reportAd(id, 'my_content');
  expect(await isUp(owner)).toBe(true);
});

test('a restoration in one step does not protect a thread, and a later decision does', async () => {
  const author = await recording.member();
  const title = 'Quiet evenings in winter';
  const fields = { state: 'NV', city: 'Las Vegas', title, body: 'Who knows more about this?' };
  const started = await call('POST', '/api/community/threads', { token: author.token, body: fields });
  const subject: Subject = { kind: 'thread', id: (started.body['data'] as { id: string }).id };
  const caseId = toCaseId(subject);
  await report(subject);
  expect(await isHeld(subject)).toBe(true);
  const body = { caseIds: [caseId], facts: 'A wave of false reports.' };
  await call('POST', '/api/admin/moderation/restore', { token: admin.token, body });
  expect(await isHeld(subject)).toBe(false);
  await report(subject, 'forced');
  expect(await isHeld(subject)).toBe(true);
  await claim(caseId);
  expect((await keep(caseId)).status).toBe(200);
  await report(subject, 'my_content');
  expect(await isHeld(subject)).toBe(false);
});

test('a successful appeal does not show an edited ad that the moderator has not read', async () => {
  const { owner, id } = await postAd();
  const caseId = `ad-${id}`;
  const moderator = await recording.member({ role: 'moderator' });
  await reportAd(id);
  await claim(caseId);
  const decided = await post(caseId, 'decide', { outcome: 'hidden', rule: 'other', facts: 'This is forbidden.' });
  const { decisionId } = decided.body['data'] as { decisionId: string };
  await call('POST', `/api/account/decisions/${decisionId}/appeal`, {
    token: owner.token,
    headers: after(decided),
    body: { text: 'It is allowed.' },
  });
  await call('PUT', `/api/ads/${id}`, { token: owner.token, body: NEW_TEXT });
  const act = (action: string, body: unknown = {}) =>
    call('POST', `/api/admin/moderation/cases/${caseId}/${action}`, { token: moderator.token, body });
  expect((await act('claim')).status).toBe(200);
  const verdict = { outcome: 'overturned', facts: 'It is allowed.' };
  expect(await act('appeal', verdict)).toMatchObject(CHANGED);
  expect(await isUp(owner)).toBe(false);
  const { now } = await readCase(caseId);
  expect((await act('appeal', { ...verdict, revision: now.revision })).status).toBe(200);
  expect(await isUp(owner)).toBe(true);
  // The appeal confirms the version that was judged, so reports can hide this one.
  await reportAd(id, 'forced');
  expect(await isUp(owner)).toBe(false);
});
