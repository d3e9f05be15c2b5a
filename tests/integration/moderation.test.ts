import { randomUUID } from 'node:crypto';
import {
  caseIdOf,
  claimCase,
  decideCase,
  hideByRule,
  moderationCase,
  photoUrl,
  videoUrl,
  type CasesAnswer,
  type CaseView,
  type StatementView,
  type Subject,
} from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { openMailboxes } from '../support/inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { watchShown } from '../support/shown-elsewhere.ts';

const shown = watchShown('moderation.test.ts');

let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let mona: Person;
let max: Person;
/** An ad with a video that a hiding rule hid yesterday, before anything else in the moderation log: the roles given today close that day. */
let ruledOut: Posted;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  recording = await openRecording(product);
  ruledOut = await posted();
  const video = videoUrl(await recording.media(ruledOut.owner.user.id, 'video'));
  await api.call('PUT', `/api/ads/${ruledOut.adId}`, { token: ruledOut.owner.token, body: { video } });
  await hideYesterday(ruledOut);
  [mona, max] = await Promise.all([
    recording.member({ role: 'moderator', displayName: 'Mona' }),
    recording.member({ role: 'moderator', displayName: 'Max' }),
  ]);
});
afterAll(async () => {
  shown.stop();
  await recording.close();
  await product.stop();
});

const DAY_ms = 24 * 60 * 60_000;
const PHONE = '+1 702 555 0199';
const seen = (after: Answer | string | null) => {
  const position = typeof after === 'string' ? after : (after?.headers.get('x-position') ?? '');
  return { 'x-wait-position': position };
};

interface Posted {
  readonly owner: Person;
  readonly adId: string;
  readonly title: string;
}

async function posted(fields: Record<string, unknown> = {}): Promise<Posted> {
  const owner = await recording.member({ userType: 'provider', displayName: 'Anna' });
  const title = `Calm company ${randomUUID().slice(0, 8)}`;
  const { id } = await api.postAd(owner.token, { title, ...fields });
  return { owner, adId: id, title };
}
/** What a hiding rule decides, a day ago. */
async function hideYesterday({ owner, adId }: Posted): Promise<void> {
  const subject: Subject = { kind: 'ad', id: adId };
  const evidence = { stream: `listing-${owner.user.id}`, revision: 1 };
  const command = {
    subject,
    ownerId: owner.user.id,
    evidence,
    hidingRuleId: randomUUID(),
    rule: 'contact',
    facts: 'It names a number.',
  } as const;
  const now = new Date(Date.now() - DAY_ms).toISOString();
  await recording.commands.handle(
    moderationCase,
    caseIdOf(subject),
    (state, context) => hideByRule(command, state, context),
    BY_TEST,
    { now },
  );
}
const report = (subject: { kind: string; id: string }, reason: string, text: string | null = null) =>
  api.call('POST', '/api/reports', { body: { subject, reason, text } });
const onCase = (moderator: Person, caseId: string, what: string, body?: unknown) =>
  api.call('POST', `/api/admin/moderation/cases/${caseId}/${what}`, {
    token: moderator.token,
    ...(body !== undefined && { body }),
  });
const readCase = async (moderator: Person, caseId: string, after: Answer): Promise<CaseView> =>
  (await api.call('GET', `/api/admin/moderation/cases/${caseId}`, { token: moderator.token, headers: seen(after) }))
    .body['data'] as CaseView;
const queue = async (moderator: Person, state: string, after: Answer): Promise<CasesAnswer> =>
  (
    await api.call('GET', `/api/admin/moderation/cases?state=${state}&limit=100`, {
      token: moderator.token,
      headers: seen(after),
    })
  ).body as unknown as CasesAnswer;
const statements = async (person: Person, after: Answer): Promise<readonly StatementView[]> =>
  (await api.call('GET', '/api/account/decisions', { token: person.token, headers: seen(after) })).body[
    'data'
  ] as StatementView[];
const adFor = (adId: string, after: Answer | string, person?: Person) =>
  api.call('GET', `/api/ads/${adId}`, { headers: seen(after), ...(person && { token: person.token }) });
const idsOf = (answer: Answer) => (answer.body['data'] as { id: string }[]).map(({ id }) => id);
async function decided(
  moderator: Person,
  caseId: string,
  outcome: string,
  facts = 'The second line says so.',
): Promise<Answer> {
  await onCase(moderator, caseId, 'claim');
  const answer = await onCase(moderator, caseId, 'decide', { outcome, rule: 'contact', facts });
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return answer;
}

describe('an ad that a report hides', () => {
  test('is nowhere until a moderator lets it stand, and then everywhere again', async () => {
    const { owner, adId, title } = await posted();
    const client = await recording.member();
    await api.call('POST', '/api/favorites', { token: client.token, body: { adId } });
    const countBefore = ((await api.call('GET', '/api/ads/counts')).body['data'] as { total: number }).total;
    const filed = await report({ kind: 'ad', id: adId }, 'under_age', 'Look at the picture.');
    expect(filed).toMatchObject({ status: 201, body: { reference: expect.stringMatching(/^R-/u) as string } });

    expect(await adFor(adId, filed)).toMatchObject({ status: 404, body: { code: 'AD_NOT_FOUND' } });
    expect(await adFor(adId, filed, mona)).toMatchObject({ status: 404 });
    expect(await adFor(adId, filed, owner)).toMatchObject({
      status: 200,
      body: { data: { status: 'hidden', isActive: false } },
    });
    expect(
      (await api.call('GET', '/api/ads/user', { token: owner.token, headers: seen(filed) })).body['data'],
    ).toMatchObject([{ id: adId, status: 'hidden' }]);
    for (const list of [
      '/api/ads?limit=100',
      '/api/ads?sort=newest&limit=100',
      '/api/ads?sort=price&limit=100',
      `/api/ads?q=${encodeURIComponent(title)}`,
      '/api/ads/location/NV/Las%20Vegas?limit=100',
      '/api/ads?online=true&limit=100',
    ]) {
      expect(idsOf(await api.call('GET', list, { headers: seen(filed) })), list).not.toContain(adId);
    }
    expect(
      ((await api.call('GET', '/api/ads/counts', { headers: seen(filed) })).body['data'] as { total: number }).total,
    ).toBe(countBefore - 1);
    expect(
      JSON.stringify(
        (await api.call('GET', `/api/search?q=${encodeURIComponent(title)}`, { headers: seen(filed) })).body,
      ),
    ).not.toContain(adId);
    expect(
      (await api.call('GET', `/api/favorites/${client.user.id}`, { token: client.token, headers: seen(filed) })).body,
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

    const [automated] = await statements(owner, filed);
    expect(automated).toMatchObject({
      subject: { kind: 'ad', id: adId },
      outcome: 'hidden',
      isAutomated: true,
      rule: { id: 'under_age' },
      appealableUntil: null,
      isInForce: true,
      title,
    });
    const kept = await decided(mona, `ad-${adId}`, 'kept');
    expect(await adFor(adId, kept)).toMatchObject({ status: 200, body: { data: { status: 'active' } } });
    expect(idsOf(await api.call('GET', `/api/ads?q=${encodeURIComponent(title)}`, { headers: seen(kept) }))).toEqual([
      adId,
    ]);
    expect((await statements(owner, kept)).map(({ outcome }) => outcome)).toEqual(['kept', 'hidden']);

    const again = await report({ kind: 'ad', id: adId }, 'forced');
    expect(await adFor(adId, again), 'a moderator has let it stand').toMatchObject({ status: 200 });
    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { title: `${title}, changed` } });
    expect(await adFor(adId, await report({ kind: 'ad', id: adId }, 'forced')), 'not as it is now').toMatchObject({
      status: 404,
    });
  });

  test('is hidden by a picture and by a profile, too, and stays so while one case holds it', async () => {
    const { owner, adId } = await posted();
    const mediaId = await recording.media(owner.user.id, 'photo');
    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { photos: [photoUrl(mediaId)] } });
    const ofPhoto = await report({ kind: 'media', id: mediaId }, 'my_content');
    expect(ofPhoto).toMatchObject({ status: 201 });
    expect(await adFor(adId, ofPhoto)).toMatchObject({ status: 404 });
    const ofProfile = await report({ kind: 'account', id: adId }, 'forced');
    expect(ofProfile).toMatchObject({ status: 201 });
    const caseOfProfile = `account-${owner.user.id}`;
    const hidden = await decided(mona, caseOfProfile, 'hidden');
    const kept = await decided(mona, `media-${mediaId}`, 'kept');
    expect(await adFor(adId, kept), 'the profile holds it').toMatchObject({ status: 404 });
    const { judged } = await readCase(mona, `media-${mediaId}`, kept);
    expect(judged.photos).toEqual([expect.stringContaining(mediaId)]);
    const [statement] = (await statements(owner, hidden)).filter(({ subject }) => subject.kind === 'account');
    await api.call('POST', `/api/account/decisions/${statement?.id}/appeal`, {
      token: owner.token,
      body: { text: 'Nobody forces me.' },
    });
    await onCase(max, caseOfProfile, 'claim');
    const overturned = await onCase(max, caseOfProfile, 'appeal', { outcome: 'overturned', facts: 'So it is.' });
    expect(await adFor(adId, overturned)).toMatchObject({ status: 200 });
  });
});

describe('an ad that is deleted and posted again', () => {
  const again = async ({ owner, title, adId }: Posted, fields: Record<string, unknown> = {}) => {
    expect(await api.call('DELETE', `/api/ads/${adId}`, { token: owner.token })).toMatchObject({ status: 200 });
    const { id, position } = await api.postAd(owner.token, { title, ...fields });
    return { id, position };
  };

  test('is still hidden by a report nobody has decided, whatever it says, and seen once it is let stand', async () => {
    const one = await posted();
    await report({ kind: 'ad', id: one.adId }, 'under_age');
    const { id, position } = await again(one, { title: 'All other words', description: 'Nothing of before.' });
    expect(await adFor(id, position)).toMatchObject({ status: 404 });
    expect(idsOf(await api.call('GET', '/api/ads?sort=newest&limit=100', { headers: seen(position) }))).not.toContain(
      id,
    );
    expect(await adFor(id, position, one.owner)).toMatchObject({ body: { data: { status: 'hidden' } } });
    expect(await adFor(id, await decided(mona, `ad-${one.adId}`, 'kept'))).toMatchObject({ status: 200 });
  });

  test('is another ad once a moderator has decided, unless it says the same', async () => {
    const one = await posted();
    await report({ kind: 'ad', id: one.adId }, 'under_age');
    await decided(mona, `ad-${one.adId}`, 'removed');
    const same = await again(one);
    expect(await adFor(same.id, same.position)).toMatchObject({ status: 404 });
    const other = await again(
      { ...one, adId: same.id },
      { title: 'All other words', description: 'Nothing of before.' },
    );
    expect(await adFor(other.id, other.position)).toMatchObject({ status: 200 });
  });

  test('is hidden by its owner’s profile, and by a picture it shows, which may be taken out', async () => {
    const one = await posted();
    await report({ kind: 'account', id: one.adId }, 'forced');
    const { id, position } = await again(one);
    expect(await adFor(id, position)).toMatchObject({ status: 404 });

    const two = await posted();
    const [mediaId, otherId] = [
      await recording.media(two.owner.user.id, 'photo'),
      await recording.media(two.owner.user.id, 'photo'),
    ];
    const show = (adId: string, ...photos: string[]) =>
      api.call('PUT', `/api/ads/${adId}`, { token: two.owner.token, body: { photos: photos.map(photoUrl) } });
    await show(two.adId, mediaId);
    await report({ kind: 'media', id: mediaId }, 'my_content');
    const removed = await decided(mona, `media-${mediaId}`, 'removed');
    expect(await adFor(two.adId, removed)).toMatchObject({ status: 404 });
    expect(await adFor(two.adId, await show(two.adId, otherId)), 'taken out').toMatchObject({ status: 200 });
    expect(await adFor(two.adId, await show(two.adId, otherId, mediaId)), 'back in').toMatchObject({ status: 404 });
    const next = await again(two, { photos: [photoUrl(otherId), photoUrl(mediaId)] });
    expect(await adFor(next.id, next.position)).toMatchObject({ status: 404 });
    const without = await again({ ...two, adId: next.id }, { photos: [photoUrl(otherId)] });
    expect(await adFor(without.id, without.position)).toMatchObject({ status: 200 });
  });

  test('by whoever signed up anew after their account was closed is seen', async () => {
    const { owner, adId } = await posted();
    await report({ kind: 'account', id: adId }, 'forced');
    await decided(mona, `account-${owner.user.id}`, 'account_closed');
    const anew = await api.signUp('provider', { email: owner.email });
    const { id, position } = await api.postAd(anew.token, { title: 'Anew' });
    expect(await adFor(id, position)).toMatchObject({ status: 200 });
  });
});

describe('a case', () => {
  test('goes from report to decision, appeal and another moderator, who sees the version judged', async () => {
    const { owner, adId, title } = await posted({ phone: PHONE });
    const other = await posted({ phone: '(702) 555-0199' });
    const filed = await report({ kind: 'ad', id: adId }, 'spam', 'The same words everywhere.');
    const reference = filed.body['reference'] as string;
    const caseId = `ad-${adId}`;
    expect((await api.call('GET', `/api/reports/${reference}`, { headers: seen(filed) })).body['data']).toEqual({
      reference,
      status: 'received',
      filedAt: expect.any(String) as string,
    });
    const open = await queue(mona, 'open', filed);
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

    expect(await onCase(mona, caseId, 'decide', { outcome: 'hidden', rule: 'spam', facts: 'So.' })).toMatchObject({
      status: 409,
      body: { code: 'CASE_NOT_CLAIMED' },
    });
    const claimed = await onCase(mona, caseId, 'claim');
    expect(claimed).toMatchObject({
      status: 200,
      body: { data: { id: caseId, claimedUntil: expect.any(String) as string } },
    });
    expect(await onCase(max, caseId, 'claim')).toMatchObject({ status: 409, body: { code: 'CASE_CLAIMED' } });
    expect((await queue(mona, 'mine', claimed)).data.map(({ id }) => id)).toEqual([caseId]);
    await onCase(mona, caseId, 'release');
    await onCase(max, caseId, 'claim');
    await onCase(max, caseId, 'release');

    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { title: 'Quite another title' } });
    const decision = await decided(mona, caseId, 'hidden');
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
      (await api.call('GET', `/api/reports/${reference}`, { headers: seen(decision) })).body['data'],
    ).toMatchObject({ status: 'decided' });

    const [statement] = await statements(owner, decision);
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

    expect((await queue(max, 'appeals', appeal)).data.map(({ id }) => id)).toContain(caseId);
    expect(await onCase(mona, caseId, 'claim')).toMatchObject({ status: 403, body: { code: 'ANOTHER_MODERATOR' } });
    expect(await readCase(max, caseId, await onCase(max, caseId, 'claim'))).toMatchObject({
      canDecide: true,
      judged: { title },
      appeal: { text: 'It is my own number.' },
    });
    const overturned = await onCase(max, caseId, 'appeal', { outcome: 'overturned', facts: 'It is.' });
    expect(overturned).toMatchObject({ status: 200 });
    expect(await adFor(adId, overturned)).toMatchObject({ status: 200 });
    const [told] = await statements(owner, overturned);
    expect(told).toMatchObject({
      isInForce: false,
      appealableUntil: null,
      appeal: { text: 'It is my own number.', outcome: 'overturned', facts: 'It is.' },
    });
    expect((await queue(max, 'decided', overturned)).data[0]).toMatchObject({
      id: caseId,
      state: 'decided',
      isHidden: false,
    });
  });

  test('of a post hidden by a moderator alone is a decision, and its author may appeal', async () => {
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
    const told = await statements(author, hidden);
    expect(told).toMatchObject([
      { subject: { kind: 'thread', id }, outcome: 'hidden', facts: 'Names somebody.', isAutomated: false },
    ]);
    await api.call('POST', `/api/account/decisions/${told[0]?.id}/appeal`, {
      token: author.token,
      body: { text: 'It names nobody.' },
    });
    expect(await hide(false, max)).toMatchObject({ status: 409, body: { code: 'APPEAL_PENDING' } });
    await onCase(max, `thread-${id}`, 'claim');
    const overturned = await onCase(max, `thread-${id}`, 'appeal', { outcome: 'overturned', facts: 'True.' });
    expect(await api.call('GET', `/api/community/threads/${id}`, { headers: seen(overturned) })).toMatchObject({
      status: 200,
    });
    expect(await readCase(mona, `thread-${id}`, overturned)).toMatchObject({
      judged: { title: 'Where to walk', html: expect.stringContaining('By the river') as string },
    });
  });

  test('about a moderator’s own content is for others', async () => {
    const started = await api.call('POST', '/api/community/threads', {
      token: max.token,
      body: { state: 'NV', city: 'Reno', title: 'A thread of Max', body: `Words ${randomUUID()}` },
    });
    const { id } = started.body['data'] as { id: string };
    await report({ kind: 'thread', id }, 'spam');
    expect(await onCase(max, `thread-${id}`, 'claim')).toMatchObject({ status: 403, body: { code: 'OWN_CONTENT' } });
    const closed = await decided(mona, `thread-${id}`, 'kept');
    expect((await queue(mona, 'open', closed)).data.map((one) => one.id)).not.toContain(`thread-${id}`);
  });

  test('can end with the account closed', async () => {
    const { owner, adId } = await posted();
    await report({ kind: 'ad', id: adId }, 'illegal');
    const closed = await decided(mona, `ad-${adId}`, 'account_closed');
    expect(await api.call('GET', '/api/auth/profile', { token: owner.token })).toMatchObject({ status: 401 });
    expect(await readCase(max, `ad-${adId}`, closed)).toMatchObject({
      owner: { id: owner.user.id, name: null },
      now: { isGone: true },
    });
  });

  test('that ends with the account closed is followed to the end where the process died once it was decided', async () => {
    const { owner, adId } = await posted();
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
    await recording.commands.handle(
      moderationCase,
      caseId,
      (state, context) => claimCase(moderatorId, state, context),
      BY_TEST,
    );
    await recording.commands.handle(
      moderationCase,
      caseId,
      (state, context) => decideCase(command, state, context),
      BY_TEST,
    );
    await expect
      .poll(async () => (await api.call('GET', '/api/auth/profile', { token: owner.token })).status)
      .toBe(401);
    await expect.poll(async () => (await api.call('GET', `/api/ads/${adId}`)).status).toBe(404);
    const mailboxes = openMailboxes(product);
    expect((await mailboxes.next(owner.email, 'About your account')).text).toMatch(
      /\/decisions\/[\w-]{36}#[\w-]{43}\n/u,
    );
    await mailboxes.close();
  });

  test('that is none, and a reference nobody was told, are not found', async () => {
    expect(await api.call('GET', '/api/admin/moderation/cases/ad-nothing', { token: mona.token })).toMatchObject({
      status: 404,
      body: { code: 'CASE_NOT_FOUND' },
    });
    expect(await onCase(mona, 'ad-nothing', 'claim')).toMatchObject({ status: 404, body: { code: 'CASE_NOT_FOUND' } });
    expect(await api.call('GET', '/api/reports/R-00000000')).toMatchObject({
      status: 404,
      body: { code: 'REPORT_NOT_FOUND' },
    });
  });
});

test('ads of several accounts whose photos look the same are shown together', async () => {
  const [one, other] = [await posted(), await posted()];
  const hashes = ['a1b2c3d4e5f60718', 'a1b2c3d4e5f6071d'];
  for (const [at, { owner, adId }] of [one, other, await posted()].entries()) {
    const mediaId = await recording.media(owner.user.id, 'photo', 'ready', hashes[at] ?? 'a1b2c3d4e5f6ffff');
    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { photos: [photoUrl(mediaId)] } });
  }
  const filed = await report({ kind: 'ad', id: one.adId }, 'stolen');
  expect((await readCase(mona, `ad-${one.adId}`, filed)).links).toMatchObject([{ adId: other.adId, by: ['photo'] }]);
});

test('what a hiding rule decided is proved by the log of its day, decided by a moderator, and by another one on appeal', async () => {
  const { owner, adId } = ruledOut;
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

  const decision = await decided(mona, caseId, 'hidden');
  const newest = await api.call('GET', '/api/account/decisions?limit=1', {
    token: owner.token,
    headers: seen(decision),
  });
  expect(newest.body).toMatchObject({
    data: [{ outcome: 'hidden', isAutomated: false }],
    nextCursor: expect.any(String) as string,
  });
  await api.call('POST', `/api/account/decisions/${idsOf(newest)[0]}/appeal`, {
    token: owner.token,
    body: { text: 'It is the number of the house.' },
  });
  await onCase(max, caseId, 'claim');
  const upheld = await onCase(max, caseId, 'appeal', { outcome: 'upheld', facts: 'It is not.' });
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

test('the queue goes on page by page, the urgent first', async () => {
  const [calm, urgent] = [await posted(), await posted()];
  await report({ kind: 'ad', id: calm.adId }, 'spam');
  const filed = await report({ kind: 'ad', id: urgent.adId }, 'under_age');
  const page = await api.call('GET', '/api/admin/moderation/cases?state=open&limit=1', {
    token: mona.token,
    headers: seen(filed),
  });
  expect(page.body).toMatchObject({ data: [{ priority: 'high' }], nextCursor: expect.any(String) as string });
});

test('every property of what is answered here has been seen', () => {
  expect(shown.missing()).toEqual([]);
});
