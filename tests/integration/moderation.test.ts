import { randomUUID } from 'node:crypto';
import {
  toCaseId,
  moderationCase,
  photoUrl,
  videoUrl,
  type ResponseOf,
  type CaseView,
  type StatementView,
  type Subject,
  toStreamId,
  listing,
} from '@alpenglow/domain';
import { claimCase, decideCase, hideContentByRule } from '@alpenglow/domain/deciders';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after, type ApiResponse, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { openMailboxes } from '../support/inbox.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { uniqueWord } from '../support/unique-word.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

const coverage = watchResponseProperties('moderation.test.ts');

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let mona: Person;
let max: Person;
/**
 * An ad with a video. A hiding rule hid the ad yesterday, and this action is the first entry of the moderation log. The
 * granted roles are entries of today, so the log of yesterday is complete.
 */
let hiddenByRule: PostedAd;

beforeAll(async () => {
  hiddenByRule = await postAdAsNewOwner();
  const video = videoUrl(await recording.media(hiddenByRule.owner.user.id, 'video'));
  await api.call('PUT', `/api/ads/${hiddenByRule.adId}`, { token: hiddenByRule.owner.token, body: { video } });
  await hideYesterday(hiddenByRule);
  // A job hides the ad. The tests count the visible ads, so it must not run later.
  await eventually(async () => {
    const { body } = await api.call('GET', `/api/ads/${hiddenByRule.adId}`, { token: hiddenByRule.owner.token });
    expect(body['data']).toMatchObject({ status: 'hidden' });
  });
  [mona, max] = await Promise.all([
    recording.member({ role: 'moderator', displayName: 'Mona' }),
    recording.member({ role: 'moderator', displayName: 'Max' }),
  ]);
});
afterAll(async () => {
  coverage.stop();
});

const DAY_ms = 24 * 60 * 60_000;
const PHONE = '+17025550199';

interface PostedAd {
  readonly owner: Person;
  readonly adId: string;
  readonly title: string;
}

async function postAdAsNewOwner(fields: Record<string, unknown> = {}): Promise<PostedAd> {
  const owner = await recording.member({ userType: 'provider', displayName: 'Anna' });
  const title = `Calm company ${uniqueWord()}`;
  const { id } = await api.postAd(owner.token, { title, ...fields });
  return { owner, adId: id, title };
}
/** Records that a hiding rule hid an ad yesterday. */
async function hideYesterday({ owner, adId }: PostedAd): Promise<void> {
  const subject: Subject = { kind: 'ad', id: adId };
  const evidence = { stream: toStreamId(listing, owner.user.id), revision: 1 };
  const command = {
    subject,
    ownerId: owner.user.id,
    evidence,
    hidingRuleId: randomUUID(),
    rule: 'contact',
    facts: 'It names a number.',
  } as const;
  const now = new Date(Date.now() - DAY_ms).toISOString();
  await recording.commands.execute(moderationCase, toCaseId(subject), hideContentByRule, command, TEST_ORIGIN, { now });
}
const report = (subject: { kind: string; id: string }, reason: string, text: string | null = null, person?: Person) =>
  api.call('POST', '/api/reports', { body: { subject, reason, text }, ...(person && { token: person.token }) });
/** Reports as a new person. The anonymous reports of this file have a history, and some of them were unfounded. */
const reportAsNewPerson = async (subject: { kind: string; id: string }, reason: string) =>
  report(subject, reason, null, await recording.member());
const postToCase = (moderator: Person, caseId: string, action: string, body?: unknown) =>
  api.call('POST', `/api/admin/moderation/cases/${caseId}/${action}`, {
    token: moderator.token,
    ...(body !== undefined && { body }),
  });
const readCase = async (moderator: Person, caseId: string, write: ApiResponse): Promise<CaseView> =>
  (
    await api.call('GET', `/api/admin/moderation/cases/${caseId}`, {
      token: moderator.token,
      headers: after(write),
    })
  ).body['data'] as CaseView;
const readQueue = async (moderator: Person, state: string, write: ApiResponse): Promise<ResponseOf<'listCases'>> =>
  (
    await api.call('GET', `/api/admin/moderation/cases?state=${state}&limit=100`, {
      token: moderator.token,
      headers: after(write),
    })
  ).body as unknown as ResponseOf<'listCases'>;
const readStatements = async (person: Person, write: ApiResponse): Promise<readonly StatementView[]> =>
  (await api.call('GET', '/api/account/decisions', { token: person.token, headers: after(write) })).body[
    'data'
  ] as StatementView[];
const readAd = (adId: string, write: ApiResponse | string, person?: Person) =>
  api.call('GET', `/api/ads/${adId}`, { headers: after(write), ...(person && { token: person.token }) });
const idsOf = (response: ApiResponse) => (response.body['data'] as { id: string }[]).map(({ id }) => id);
async function claimAndDecide(
  moderator: Person,
  caseId: string,
  outcome: string,
  facts = 'The second line says so.',
): Promise<ApiResponse> {
  const claimed = await postToCase(moderator, caseId, 'claim');
  const { revision } = (await readCase(moderator, caseId, claimed)).now;
  const response = await postToCase(moderator, caseId, 'decide', { outcome, rule: 'contact', facts, revision });
  expect(response).toMatchObject({ status: 200, body: { success: true } });
  return response;
}

describe('an ad that a report hides', () => {
  test('is in no list until a moderator decides to keep it, and then in all lists again', async () => {
    const { owner, adId, title } = await postAdAsNewOwner();
    const client = await recording.member();
    const favorited = await api.call('POST', '/api/favorites', { token: client.token, body: { adId } });
    const counted = await api.call('GET', '/api/ads/counts', { headers: after(favorited) });
    const countBefore = (counted.body['data'] as { total: number }).total;
    const filed = await report({ kind: 'ad', id: adId }, 'under_age', 'Look at the picture.');
    expect(filed).toMatchObject({ status: 201, body: { reference: expect.stringMatching(/^R-/u) as string } });

    expect(await readAd(adId, filed)).toMatchObject({ status: 404, body: { code: 'AD_NOT_FOUND' } });
    expect(await readAd(adId, filed, mona)).toMatchObject({ status: 404 });
    expect(await readAd(adId, filed, owner)).toMatchObject({
      status: 200,
      body: { data: { status: 'hidden', isActive: false } },
    });
    expect(
      (await api.call('GET', '/api/ads/user', { token: owner.token, headers: after(filed) })).body['data'],
    ).toMatchObject([{ id: adId, status: 'hidden' }]);
    for (const list of [
      '/api/ads?limit=100',
      '/api/ads?sort=newest&limit=100',
      '/api/ads?sort=price&limit=100',
      `/api/ads?q=${encodeURIComponent(title)}`,
      '/api/ads/location/NV/Las%20Vegas?limit=100',
      '/api/ads?online=true&limit=100',
    ]) {
      expect(idsOf(await api.call('GET', list, { headers: after(filed) })), list).not.toContain(adId);
    }
    expect(
      ((await api.call('GET', '/api/ads/counts', { headers: after(filed) })).body['data'] as { total: number }).total,
    ).toBe(countBefore - 1);
    expect(
      JSON.stringify(
        (await api.call('GET', `/api/search?q=${encodeURIComponent(title)}`, { headers: after(filed) })).body,
      ),
    ).not.toContain(adId);
    expect(
      (await api.call('GET', `/api/favorites/${client.user.id}`, { token: client.token, headers: after(filed) })).body,
    ).toMatchObject({ data: [], adIds: [adId] });
    expect(await api.call('POST', `/api/ads/${adId}/bump`, { token: owner.token })).toMatchObject({
      status: 409,
      body: { code: 'AD_HIDDEN' },
    });
    expect(
      await api.call('POST', `/api/ads/${adId}/reviews`, {
        token: client.token,
        body: { name: 'C', comment: 'Well', rating: 5 },
      }),
    ).toMatchObject({ status: 404 });
    expect(await report({ kind: 'ad', id: adId }, 'spam')).toMatchObject({
      status: 404,
      body: { code: 'SUBJECT_NOT_FOUND' },
    });

    const [automated] = await readStatements(owner, filed);
    const responded = await api.call('POST', `/api/account/decisions/${automated?.id}/response`, {
      token: owner.token,
      body: { text: 'I am 30.' },
    });
    expect((await readStatements(owner, responded))[0]).toMatchObject({
      canRespond: false,
      response: { text: 'I am 30.' },
    });
    expect(automated).toMatchObject({
      subject: { kind: 'ad', id: adId },
      outcome: 'hidden',
      isAutomated: true,
      rule: { id: 'under_age' },
      appealableUntil: null,
      isInForce: true,
      title,
    });
    const path = `/api/admin/moderation/cases/ad-${adId}`;
    expect(await api.call('GET', path, { token: mona.token, headers: after(responded) })).toMatchObject({
      body: { data: { response: { text: 'I am 30.' } } },
    });
    const keepDecision = await claimAndDecide(mona, `ad-${adId}`, 'kept');
    expect(await readAd(adId, keepDecision)).toMatchObject({ status: 200, body: { data: { status: 'active' } } });
    expect(
      idsOf(await api.call('GET', `/api/ads?q=${encodeURIComponent(title)}`, { headers: after(keepDecision) })),
    ).toEqual([adId]);
    expect((await readStatements(owner, keepDecision)).map(({ outcome }) => outcome)).toEqual(['kept', 'hidden']);

    const secondReport = await report({ kind: 'ad', id: adId }, 'forced');
    expect(await readAd(adId, secondReport), 'a moderator has decided to keep it').toMatchObject({ status: 200 });
    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { title: `${title}, changed` } });
    expect(
      await readAd(adId, await report({ kind: 'ad', id: adId }, 'forced')),
      'the changed ad has no decision',
    ).toMatchObject({
      status: 404,
    });
  });

  test('is also hidden by a report of a picture or a profile, as long as one case holds it', async () => {
    const { owner, adId } = await postAdAsNewOwner();
    const mediaId = await recording.media(owner.user.id, 'photo');
    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { photos: [photoUrl(mediaId)] } });
    const photoReport = await report({ kind: 'media', id: mediaId }, 'under_age');
    expect(photoReport).toMatchObject({ status: 201 });
    expect(await readAd(adId, photoReport)).toMatchObject({ status: 404 });
    const profileReport = await report({ kind: 'account', id: adId }, 'forced');
    expect(profileReport).toMatchObject({ status: 201 });
    const profileCaseId = `account-${owner.user.id}`;
    const hidden = await claimAndDecide(mona, profileCaseId, 'hidden');
    const keepDecision = await claimAndDecide(mona, `media-${mediaId}`, 'kept');
    expect(await readAd(adId, keepDecision), 'the case of the profile hides it').toMatchObject({ status: 404 });
    const { judged } = await readCase(mona, `media-${mediaId}`, keepDecision);
    expect(judged.photos).toEqual([expect.stringContaining(mediaId)]);
    const [statement] = (await readStatements(owner, hidden)).filter(({ subject }) => subject.kind === 'account');
    await api.call('POST', `/api/account/decisions/${statement?.id}/appeal`, {
      token: owner.token,
      body: { text: 'Nobody forces me.' },
    });
    await postToCase(max, profileCaseId, 'claim');
    const overturned = await postToCase(max, profileCaseId, 'appeal', { outcome: 'overturned', facts: 'So it is.' });
    expect(await readAd(adId, overturned)).toMatchObject({ status: 200 });
  });
});

describe('an ad that is deleted and posted again', () => {
  const repost = async ({ owner, title, adId }: PostedAd, fields: Record<string, unknown> = {}) => {
    expect(await api.call('DELETE', `/api/ads/${adId}`, { token: owner.token })).toMatchObject({ status: 200 });
    const { id, position } = await api.postAd(owner.token, { title, ...fields });
    return { id, position };
  };

  test('stays hidden by an open report, whatever its text, until a moderator decides to keep it', async () => {
    const one = await postAdAsNewOwner();
    await reportAsNewPerson({ kind: 'ad', id: one.adId }, 'under_age');
    const { id, position } = await repost(one, { title: 'All other words', description: 'Nothing of before.' });
    expect(await readAd(id, position)).toMatchObject({ status: 404 });
    expect(idsOf(await api.call('GET', '/api/ads?sort=newest&limit=100', { headers: after(position) }))).not.toContain(
      id,
    );
    expect(await readAd(id, position, one.owner)).toMatchObject({ body: { data: { status: 'hidden' } } });
    expect(await readAd(id, await claimAndDecide(mona, `ad-${one.adId}`, 'kept'))).toMatchObject({ status: 200 });
  });

  test('counts as another ad after a decision, unless its text is the same', async () => {
    const one = await postAdAsNewOwner();
    await reportAsNewPerson({ kind: 'ad', id: one.adId }, 'under_age');
    await claimAndDecide(mona, `ad-${one.adId}`, 'removed');
    const same = await repost(one);
    expect(await readAd(same.id, same.position)).toMatchObject({ status: 404 });
    const other = await repost(
      { ...one, adId: same.id },
      { title: 'All other words', description: 'Nothing of before.' },
    );
    expect(await readAd(other.id, other.position)).toMatchObject({ status: 200 });
  });

  test('is hidden by the profile of its owner, and by a reported picture until it is removed or decided', async () => {
    const one = await postAdAsNewOwner();
    await reportAsNewPerson({ kind: 'account', id: one.adId }, 'forced');
    const { id, position } = await repost(one);
    expect(await readAd(id, position)).toMatchObject({ status: 404 });

    const two = await postAdAsNewOwner();
    const [mediaId, otherId] = [
      await recording.media(two.owner.user.id, 'photo'),
      await recording.media(two.owner.user.id, 'photo'),
    ];
    const setPhotos = (adId: string, ...photos: string[]) =>
      api.call('PUT', `/api/ads/${adId}`, { token: two.owner.token, body: { photos: photos.map(photoUrl) } });
    await setPhotos(two.adId, mediaId);
    const reported = await reportAsNewPerson({ kind: 'media', id: mediaId }, 'under_age');
    expect(await readAd(two.adId, reported)).toMatchObject({ status: 404 });
    expect(await readAd(two.adId, await setPhotos(two.adId, otherId)), 'picture removed').toMatchObject({
      status: 200,
    });
    expect(await readAd(two.adId, await setPhotos(two.adId, otherId, mediaId)), 'picture added again').toMatchObject({
      status: 404,
    });
    const next = await repost(two, { photos: [photoUrl(otherId), photoUrl(mediaId)] });
    expect(await readAd(next.id, next.position)).toMatchObject({ status: 404 });
    const removed = await claimAndDecide(mona, `media-${mediaId}`, 'removed');
    expect(await readAd(next.id, removed)).toMatchObject({ body: { data: { photos: [photoUrl(otherId)] } } });
    const same = await repost({ ...two, adId: next.id }, { photos: [photoUrl(otherId), photoUrl(mediaId)] });
    expect(await readAd(same.id, same.position)).toMatchObject({ body: { data: { photos: [photoUrl(otherId)] } } });
  });

  test('is visible if its owner signed up again after the account was closed', async () => {
    const { owner, adId } = await postAdAsNewOwner();
    await reportAsNewPerson({ kind: 'account', id: adId }, 'forced');
    await claimAndDecide(mona, `account-${owner.user.id}`, 'account_closed');
    const newAccount = await api.signUp('provider', { email: owner.email });
    const { id, position } = await api.postAd(newAccount.token, { title: 'Anew' });
    expect(await readAd(id, position)).toMatchObject({ status: 200 });
  });
});

describe('a moderation case', () => {
  test('runs from report to decision, appeal and a second moderator, who reads the judged version', async () => {
    const { owner, adId, title } = await postAdAsNewOwner({ phone: PHONE });
    const other = await postAdAsNewOwner({ phone: '(702) 555-0199' });
    const { token } = await recording.member();
    const review = { comment: 'Kind.', rating: 4 };
    expect((await api.call('POST', `/api/ads/${adId}/reviews`, { token, body: review })).status).toBe(201);
    const filed = await report({ kind: 'ad', id: adId }, 'spam', 'The same words everywhere.');
    const reference = filed.body['reference'] as string;
    const caseId = `ad-${adId}`;
    expect((await api.call('GET', `/api/reports/${reference}`, { headers: after(filed) })).body['data']).toEqual({
      reference,
      status: 'received',
      filedAt: expect.any(String) as string,
    });
    const open = await readQueue(mona, 'open', filed);
    expect(open.data.find(({ id }) => id === caseId)).toMatchObject({
      state: 'open',
      priority: 'normal',
      reasons: [{ reason: 'spam', count: 1 }],
      reportCount: 1,
      isHidden: false,
      claim: null,
      title,
    });
    expect(open.counts.open).toBeGreaterThan(0);

    expect(await postToCase(mona, caseId, 'decide', { outcome: 'hidden', rule: 'spam', facts: 'So.' })).toMatchObject({
      status: 409,
      body: { code: 'CASE_NOT_CLAIMED' },
    });
    const claimed = await postToCase(mona, caseId, 'claim');
    expect(claimed).toMatchObject({
      status: 200,
      body: { data: { id: caseId, claimedUntil: expect.any(String) as string } },
    });
    expect(await postToCase(max, caseId, 'claim')).toMatchObject({ status: 409, body: { code: 'CASE_CLAIMED' } });
    expect((await readQueue(mona, 'mine', claimed)).data.map(({ id }) => id)).toEqual([caseId]);
    await postToCase(mona, caseId, 'release');
    await postToCase(max, caseId, 'claim');
    await postToCase(max, caseId, 'release');

    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { title: 'Quite another title' } });
    const decision = await claimAndDecide(mona, caseId, 'hidden');
    const view = await readCase(max, caseId, decision);
    expect(view).toMatchObject({
      state: 'decided',
      isHidden: true,
      judged: { title },
      now: { title: 'Quite another title' },
      reports: [{ reference, reason: 'spam', text: 'The same words everywhere.', isSignedIn: false }],
      decisions: [{ outcome: 'hidden', by: { name: 'Mona' } }],
      canClaim: false,
    });
    expect(view.links).toMatchObject([{ adId: other.adId, by: ['phone'], isHidden: false }]);
    expect(JSON.stringify(view)).not.toContain('@');
    expect(
      (await api.call('GET', `/api/reports/${reference}`, { headers: after(decision) })).body['data'],
    ).toMatchObject({ status: 'decided' });

    const [statement] = await readStatements(owner, decision);
    expect(statement).toMatchObject({
      outcome: 'hidden',
      rule: { id: 'contact' },
      facts: 'The second line says so.',
      isAutomated: false,
      isInForce: true,
      appeal: null,
    });
    expect(statement?.appealableUntil).not.toBeNull();
    const path = `/api/account/decisions/${statement?.id}`;
    expect((await api.call('GET', path, { token: owner.token })).body['data']).toMatchObject({
      id: statement?.id,
      proof: null,
    });
    expect(await api.call('GET', path, { token: other.owner.token })).toMatchObject({
      status: 404,
      body: { code: 'DECISION_NOT_FOUND' },
    });
    expect(
      await api.call('POST', `${path}/appeal`, { token: other.owner.token, body: { text: 'Mine.' } }),
    ).toMatchObject({ status: 404 });
    const appeal = await api.call('POST', `${path}/appeal`, {
      token: owner.token,
      body: { text: 'It is my own number.' },
    });
    expect(appeal).toMatchObject({ status: 200, body: { data: { id: statement?.id } } });
    expect(await api.call('POST', `${path}/appeal`, { token: owner.token, body: { text: 'Again.' } })).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_APPEALED' },
    });

    expect((await readQueue(max, 'appeals', appeal)).data.map(({ id }) => id)).toContain(caseId);
    expect(await postToCase(mona, caseId, 'claim')).toMatchObject({ status: 403, body: { code: 'ANOTHER_MODERATOR' } });
    const reviewed = await readCase(max, caseId, await postToCase(max, caseId, 'claim'));
    expect(reviewed).toMatchObject({
      canDecide: true,
      judged: { title },
      appeal: { text: 'It is my own number.' },
    });
    const verdict = { outcome: 'overturned', facts: 'It is.' };
    // The owner has changed the ad, so the moderator must have read the current version.
    expect(await postToCase(max, caseId, 'appeal', verdict)).toMatchObject({
      status: 409,
      body: { code: 'CONTENT_CHANGED' },
    });
    const overturned = await postToCase(max, caseId, 'appeal', { ...verdict, revision: reviewed.now.revision });
    expect(overturned).toMatchObject({ status: 200 });
    expect(await readAd(adId, overturned)).toMatchObject({ status: 200 });
    const [latest] = await readStatements(owner, overturned);
    expect(latest).toMatchObject({
      isInForce: false,
      appealableUntil: null,
      appeal: { text: 'It is my own number.', outcome: 'overturned', facts: 'It is.' },
    });
    expect((await readQueue(max, 'decided', overturned)).data[0]).toMatchObject({
      id: caseId,
      state: 'decided',
      isHidden: false,
    });
  });

  test('of a post that a moderator hides directly contains a decision, which the author may appeal', async () => {
    const author = await recording.member();
    const started = await api.call('POST', '/api/community/threads', {
      token: author.token,
      body: { state: 'NV', city: 'Reno', title: 'Where to walk', body: `By the river ${randomUUID()}` },
    });
    const { id } = started.body['data'] as { id: string };
    const hide = (hidden: boolean, moderator = mona) =>
      api.call('PUT', `/api/admin/community/threads/${id}/posts/0/hidden`, {
        token: moderator.token,
        body: { hidden, reason: 'Names somebody.' },
      });
    const hidden = await hide(true);
    expect(hidden).toMatchObject({ status: 200 });
    await hide(true);
    const latest = await readStatements(author, hidden);
    expect(latest).toMatchObject([
      { subject: { kind: 'thread', id }, outcome: 'hidden', facts: 'Names somebody.', isAutomated: false },
    ]);
    await api.call('POST', `/api/account/decisions/${latest[0]?.id}/appeal`, {
      token: author.token,
      body: { text: 'It names nobody.' },
    });
    expect(await hide(false, max)).toMatchObject({ status: 409, body: { code: 'APPEAL_PENDING' } });
    await postToCase(max, `thread-${id}`, 'claim');
    const overturned = await postToCase(max, `thread-${id}`, 'appeal', { outcome: 'overturned', facts: 'True.' });
    expect(await api.call('GET', `/api/community/threads/${id}`, { headers: after(overturned) })).toMatchObject({
      status: 200,
    });
    expect(await readCase(mona, `thread-${id}`, overturned)).toMatchObject({
      judged: { title: 'Where to walk', html: expect.stringContaining('By the river') as string },
    });
  });

  test('about content of a moderator is decided by another moderator', async () => {
    const started = await api.call('POST', '/api/community/threads', {
      token: max.token,
      body: { state: 'NV', city: 'Reno', title: 'A thread of Max', body: `Words ${randomUUID()}` },
    });
    const { id } = started.body['data'] as { id: string };
    await report({ kind: 'thread', id }, 'spam');
    expect(await postToCase(max, `thread-${id}`, 'claim')).toMatchObject({
      status: 403,
      body: { code: 'OWN_CONTENT' },
    });
    const closed = await claimAndDecide(mona, `thread-${id}`, 'kept');
    expect((await readQueue(mona, 'open', closed)).data.map((one) => one.id)).not.toContain(`thread-${id}`);
  });

  test('can end with the closing of the account', async () => {
    const { owner, adId } = await postAdAsNewOwner();
    await report({ kind: 'ad', id: adId }, 'illegal');
    const closed = await claimAndDecide(mona, `ad-${adId}`, 'account_closed');
    expect(await api.call('GET', '/api/auth/profile', { token: owner.token })).toMatchObject({ status: 401 });
    expect(await readCase(max, `ad-${adId}`, closed)).toMatchObject({
      owner: { id: owner.user.id, name: null },
      now: { isGone: true },
    });
  });

  test('that closes an account is completed even if the process ended after the decision', async () => {
    const { owner, adId } = await postAdAsNewOwner();
    const caseId = `ad-${adId}`;
    await report({ kind: 'ad', id: adId }, 'illegal');
    const moderatorId = mona.user.id;
    const command = {
      moderatorId,
      outcome: 'account_closed',
      rule: 'illegal',
      facts: 'It is.',
      wasHidden: false,
    } as const;
    await recording.commands.execute(moderationCase, caseId, claimCase, { moderatorId }, TEST_ORIGIN);
    await recording.commands.execute(moderationCase, caseId, decideCase, command, TEST_ORIGIN);
    await expect
      .poll(async () => (await api.call('GET', '/api/auth/profile', { token: owner.token })).status)
      .toBe(401);
    await expect.poll(async () => (await api.call('GET', `/api/ads/${adId}`)).status).toBe(404);
    const mailboxes = openMailboxes(product);
    expect((await mailboxes.waitForMail(owner.email, 'About your account')).text).toMatch(
      /\/decisions\/[\w-]{36}#[\w-]{43}\n/u,
    );
    await mailboxes.close();
  });

  test('returns 404 for an unknown case and an unknown reference', async () => {
    expect(await api.call('GET', '/api/admin/moderation/cases/ad-nothing', { token: mona.token })).toMatchObject({
      status: 404,
      body: { code: 'CASE_NOT_FOUND' },
    });
    expect(await postToCase(mona, 'ad-nothing', 'claim')).toMatchObject({
      status: 404,
      body: { code: 'CASE_NOT_FOUND' },
    });
    expect(await api.call('GET', '/api/reports/R-00000000')).toMatchObject({
      status: 404,
      body: { code: 'REPORT_NOT_FOUND' },
    });
  });
});

test('ads of several accounts with similar photos are linked', async () => {
  const [one, other] = [await postAdAsNewOwner(), await postAdAsNewOwner()];
  const hash = 'a1b2c3d4e5f60718'.repeat(4);
  const hashes = [hash, `b3${hash.slice(2)}`];
  for (const [at, { owner, adId }] of [one, other, await postAdAsNewOwner()].entries()) {
    const mediaId = await recording.media(owner.user.id, 'photo', 'ready', hashes[at]);
    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { photos: [photoUrl(mediaId)] } });
  }
  const filed = await report({ kind: 'ad', id: one.adId }, 'stolen');
  expect((await readCase(mona, `ad-${one.adId}`, filed)).links).toMatchObject([{ adId: other.adId, by: ['photo'] }]);
});

test('a decision of a hiding rule has a proof, and moderators decide again and about the appeal', async () => {
  const { owner, adId } = hiddenByRule;
  const caseId = `ad-${adId}`;
  const [automated] = (await api.call('GET', '/api/account/decisions', { token: owner.token })).body[
    'data'
  ] as readonly StatementView[];
  const path = `/api/account/decisions/${automated?.id}`;
  await expect
    .poll(async () => ((await api.call('GET', path, { token: owner.token })).body['data'] as StatementView).proof)
    .toMatchObject({ day: automated?.at.slice(0, 10), entry: { type: 'CaseDecided' }, steps: [expect.anything()] });
  expect(automated).toMatchObject({
    isAutomated: true,
    hidingRuleId: expect.any(String) as string,
    facts: 'It names a number.',
  });

  const decision = await claimAndDecide(mona, caseId, 'hidden');
  const newest = await api.call('GET', '/api/account/decisions?limit=1', {
    token: owner.token,
    headers: after(decision),
  });
  expect(newest.body).toMatchObject({
    data: [{ outcome: 'hidden', isAutomated: false }],
    nextCursor: expect.any(String) as string,
  });
  await api.call('POST', `/api/account/decisions/${idsOf(newest)[0]}/appeal`, {
    token: owner.token,
    body: { text: 'It is the number of the house.' },
  });
  await postToCase(max, caseId, 'claim');
  const upheld = await postToCase(max, caseId, 'appeal', { outcome: 'upheld', facts: 'It is not.' });
  expect(upheld).toMatchObject({ status: 200 });
  const view = await readCase(mona, caseId, upheld);
  expect(view).toMatchObject({
    isHidden: true,
    judged: { video: expect.stringContaining('/uploads/video/') as string, category: 'escort' },
  });
  expect(view.decisions).toMatchObject([
    { by: { name: 'Mona' }, appeal: { outcome: 'upheld', facts: 'It is not.', by: { name: 'Max' } } },
    { by: null, hidingRuleId: automated?.hidingRuleId },
  ]);
});

test('the queue has pages, with urgent cases first', async () => {
  const [calm, urgent] = [await postAdAsNewOwner(), await postAdAsNewOwner()];
  await report({ kind: 'ad', id: calm.adId }, 'spam');
  const filed = await report({ kind: 'ad', id: urgent.adId }, 'under_age');
  const page = await api.call('GET', '/api/admin/moderation/cases?state=open&limit=1', {
    token: mona.token,
    headers: after(filed),
  });
  expect(page.body).toMatchObject({ data: [{ priority: 'high' }], nextCursor: expect.any(String) as string });
});

test('the queue has filters, and starts with urgent cases and then the oldest (R-16.10)', async () => {
  const [first, second, urgent] = [await postAdAsNewOwner(), await postAdAsNewOwner(), await postAdAsNewOwner()];
  await report({ kind: 'ad', id: first.adId }, 'spam');
  await report({ kind: 'ad', id: second.adId }, 'spam', 'The newest text.');
  await report({ kind: 'account', id: first.adId }, 'stolen');
  const filed = await report({ kind: 'ad', id: urgent.adId }, 'under_age');
  const list = async (filter: string) =>
    (
      await api.call('GET', `/api/admin/moderation/cases?state=open&limit=100${filter}`, {
        token: mona.token,
        headers: after(filed),
      })
    ).body as unknown as ResponseOf<'listCases'>;
  const [one, two, account, three] = [
    `ad-${first.adId}`,
    `ad-${second.adId}`,
    `account-${first.owner.user.id}`,
    `ad-${urgent.adId}`,
  ];
  const ownIds = ({ data }: ResponseOf<'listCases'>) =>
    data.map(({ id }) => id).filter((id) => [one, two, account, three].includes(id));
  expect(ownIds(await list(''))).toEqual([three, one, two, account]);
  expect(ownIds(await list('&kind=ad'))).toEqual([three, one, two]);
  expect(ownIds(await list('&kind=account'))).toEqual([account]);
  expect(ownIds(await list('&reason=spam'))).toEqual([one, two]);
  expect(ownIds(await list('&kind=account&reason=spam'))).toEqual([]);
  expect((await list('&reason=spam')).data.find(({ id }) => id === two)).toMatchObject({
    reportText: 'The newest text.',
  });
  const { data } = await list('&kind=ad&reason=under_age');
  expect(data.every(({ subject, reasons }) => subject.kind === 'ad' && reasons[0]?.reason === 'under_age')).toBe(true);
  for (const filter of ['kind=nonsense', 'reason=nonsense']) {
    const { status } = await api.call('GET', `/api/admin/moderation/cases?${filter}`, { token: mona.token });
    expect(status, filter).toBe(400);
  }
});

describe('the link of a case to its content (R-16.20)', () => {
  test('leads staff to the admin panel while an ad is hidden, and to the page for visitors otherwise', async () => {
    const { adId, title } = await postAdAsNewOwner();
    const caseId = `ad-${adId}`;
    const filed = await reportAsNewPerson({ kind: 'ad', id: adId }, 'under_age');
    const hidden = await readCase(mona, caseId, filed);
    expect(hidden).toMatchObject({ isHidden: true, path: `/admin/ads/${adId}` });
    const response = await api.call('GET', `/api${hidden.path ?? ''}`, { token: mona.token, headers: after(filed) });
    expect(response).toMatchObject({ status: 200, body: { data: { ad: { title, status: 'hidden' } } } });
    const decided = await claimAndDecide(mona, caseId, 'kept');
    const { path } = await readCase(mona, caseId, decided);
    expect(path).toMatch(new RegExp(`^/escorts/.*/${adId}$`, 'u'));
    expect((await readAd(adId, decided, mona)).status).toBe(200);
  });

  test('leads to the admin panel for a hidden photo of an ad that stays online', async () => {
    const { owner, adId } = await postAdAsNewOwner();
    const photo = await recording.media(owner.user.id, 'photo');
    const updated = await api.call('PUT', `/api/ads/${adId}`, {
      token: owner.token,
      body: { photos: [photoUrl(photo)] },
    });
    expect(updated.status).toBe(200);
    const filed = await reportAsNewPerson({ kind: 'media', id: photo }, 'my_content');
    const view = await readCase(mona, `media-${photo}`, filed);
    expect(view).toMatchObject({ isHidden: true, path: `/admin/ads/${adId}` });
    expect((await readAd(adId, filed)).status).toBe(200);
  });

  test('leads to a hidden reply, which moderators read in its thread', async () => {
    const author = await recording.member();
    const started = await api.call('POST', '/api/community/threads', {
      token: author.token,
      body: { state: 'NV', city: 'Reno', title: 'Quiet places to read', body: `Where? ${uniqueWord()}` },
    });
    const { id: threadId } = started.body['data'] as { id: string };
    const text = uniqueWord();
    await api.call('POST', `/api/community/threads/${threadId}/replies`, { token: author.token, body: { body: text } });
    const filed = await reportAsNewPerson({ kind: 'post', id: `${threadId}-1` }, 'under_age');
    const { isHidden, path } = await readCase(mona, `post-${threadId}-1`, filed);
    expect({ isHidden, path }).toEqual({
      isHidden: true,
      path: expect.stringMatching(/^\/community\/us\/nv\/reno\/.*\?post=1#post-1$/u) as string,
    });
    const response = await api.call('GET', `/api/community/threads/${threadId}`, {
      token: mona.token,
      headers: after(filed),
    });
    expect(JSON.stringify(response.body)).toContain(text);
  });
});

test('the queue offers an appeal to every moderator except the one who made the decision (R-11.17)', async () => {
  const { owner, adId } = await postAdAsNewOwner();
  await report({ kind: 'ad', id: adId }, 'spam');
  const decided = await claimAndDecide(mona, `ad-${adId}`, 'hidden');
  const [statement] = await readStatements(owner, decided);
  const appealed = await api.call('POST', `/api/account/decisions/${statement?.id}/appeal`, {
    token: owner.token,
    body: { text: 'It is the number of the house.' },
  });
  expect(appealed.status).toBe(200);
  const cardOf = async (moderator: Person) =>
    (await readQueue(moderator, 'appeals', appealed)).data.find(({ id }) => id === `ad-${adId}`);
  expect(await cardOf(mona)).toMatchObject({ claim: null, canClaim: false });
  expect(await cardOf(max)).toMatchObject({ claim: null, canClaim: true });
  expect(await postToCase(mona, `ad-${adId}`, 'claim')).toMatchObject({
    status: 403,
    body: { code: 'ANOTHER_MODERATOR' },
  });
});

describe('the log of staff reads (R-13.7)', () => {
  interface Read {
    readonly what: string;
    readonly subjectId: string | null;
    readonly people: number;
    readonly at: string;
    readonly lastAt: string;
    readonly reads: number;
  }
  let admin: Person;
  let reader: Person;
  beforeAll(async () => {
    admin = await recording.member({ email: 'admin@example.com' });
    reader = await recording.member({ role: 'moderator' });
  });
  const listReads = async (what: string, staff = reader): Promise<readonly Read[]> => {
    const { body } = await api.call('GET', `/api/admin/staff-reads?staff=${staff.user.id}&limit=50`, {
      token: admin.token,
    });
    return (body['data'] as Read[]).filter((read) => read.what === what);
  };
  async function claimReportedAd() {
    const { owner, adId } = await postAdAsNewOwner();
    const filed = await report({ kind: 'ad', id: adId }, 'spam');
    await readQueue(mona, 'open', filed);
    const claimed = await postToCase(reader, `ad-${adId}`, 'claim');
    expect(claimed.status).toBe(200);
    return { caseId: `ad-${adId}`, owner, claimed };
  }

  test('has one entry for a case that an open page requests again, with the number of reads', async () => {
    const { caseId, owner, claimed } = await claimReportedAd();
    for (let read = 0; read < 3; read += 1) await readCase(reader, caseId, claimed);
    await readCase(max, caseId, claimed);
    const [entry, ...others] = await listReads('getCase');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ subjectId: owner.user.id, people: 1, reads: 3 });
    expect((entry?.lastAt ?? '') >= (entry?.at ?? '')).toBe(true);
    expect((await listReads('getCase', max)).find(({ subjectId }) => subjectId === owner.user.id)).toMatchObject({
      reads: 1,
    });
  });

  test('has one entry for the page of a person that is requested again, e.g. on focus', async () => {
    const person = await recording.member();
    for (let read = 0; read < 3; read += 1)
      expect((await api.call('GET', `/api/admin/users/${person.user.id}`, { token: admin.token })).status).toBe(200);
    const reads = (await listReads('getUser', admin)).filter(({ subjectId }) => subjectId === person.user.id);
    expect(reads).toMatchObject([{ people: 1, reads: 3 }]);
  });

  test('has one entry for a list that is requested again, and another one if it has other people', async () => {
    const [one, other] = [await claimReportedAd(), await claimReportedAd()];
    const read = async (write: ApiResponse) => (await readQueue(reader, 'mine', write)).data.length;
    const length = await read(other.claimed);
    expect(length).toBeGreaterThan(1);
    await read(other.claimed);
    expect(await listReads('listCases')).toMatchObject([{ subjectId: null, people: length, reads: 2 }]);
    const third = await claimReportedAd();
    const released = await postToCase(reader, one.caseId, 'release');
    expect(released.status).toBe(200);
    expect(await read(released)).toBe(length);
    expect(third.owner.user.id).not.toBe(one.owner.user.id);
    expect(await listReads('listCases')).toMatchObject([
      { people: length, reads: 1 },
      { people: length, reads: 2 },
    ]);
  });
});

test('every documented property occurs in the responses of this file', () => {
  // `moderation-outcomes.test.ts` covers requests for a change.
  expect(coverage.missing().filter((property) => !property.endsWith('.changeBy'))).toEqual([]);
});
