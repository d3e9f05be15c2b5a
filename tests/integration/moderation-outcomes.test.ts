import {
  applyConsequence,
  toCaseId,
  toPostId,
  photoUrl,
  type AdminUserDetailView,
  type ResponseOf,
  type CaseView,
  type StatementView,
} from '@alpenglow/domain';
import { createLogger, createPool } from '@alpenglow/infra';
import { beforeAll, describe, expect, test } from 'vitest';
import { endChangeRequests } from '../../workers/src/end-change-requests.ts';
import { after, validAd, type ApiResponse, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { uniqueWord } from '../support/unique-word.ts';
import { testApi, testMailboxes, testProduct, testRecording } from '../support/fixtures.ts';

/** Outcomes that leave content online, and decisions about several cases. */

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
const mailboxes = testMailboxes(product);
let mona: Person;
let max: Person;
let admin: Person;

const DAY_ms = 24 * 60 * 60_000;
const FACTS = 'Please take the second line out.';

beforeAll(async () => {
  [mona, max, admin] = await Promise.all([
    recording.member({ role: 'moderator', displayName: 'Mona' }),
    recording.member({ role: 'moderator', displayName: 'Max' }),
    recording.member({ role: 'admin', displayName: 'Ada' }),
  ]);
});

interface PostedAd {
  readonly owner: Person;
  readonly adId: string;
  readonly caseId: string;
  readonly title: string;
  readonly photos: readonly string[];
}

/** Posts an ad of a new owner with two photos. */
async function postAd(fields: Record<string, unknown> = {}): Promise<PostedAd> {
  const owner = await recording.member({ userType: 'provider', displayName: 'Anna' });
  const createPhoto = () => recording.media(owner.user.id, 'photo');
  const photos = [await createPhoto(), await createPhoto()];
  const title = `Calm company ${uniqueWord()}`;
  const { id } = await api.postAd(owner.token, { title, photos: photos.map((photo) => photoUrl(photo)), ...fields });
  return { owner, adId: id, caseId: toCaseId({ kind: 'ad', id }), title, photos };
}

const report = (kind: string, id: string, reason = 'spam') =>
  api.call('POST', '/api/reports', { body: { subject: { kind, id }, reason, text: 'Look at this.' } });
const postToCase = (moderator: Person, caseId: string, action: string, body?: unknown) =>
  api.call('POST', `/api/admin/moderation/cases/${caseId}/${action}`, {
    token: moderator.token,
    ...(body !== undefined && { body }),
  });
async function decide(caseId: string, body: Record<string, unknown>): Promise<ApiResponse> {
  await postToCase(mona, caseId, 'claim');
  return postToCase(mona, caseId, 'decide', { rule: 'contact', facts: FACTS, ...body });
}
const readCase = async (caseId: string, response: ApiResponse): Promise<CaseView> =>
  (await api.call('GET', `/api/admin/moderation/cases/${caseId}`, { token: mona.token, headers: after(response) }))
    .body['data'] as CaseView;
const readStatements = async (owner: Person, response: ApiResponse): Promise<readonly StatementView[]> =>
  (await api.call('GET', '/api/account/decisions', { token: owner.token, headers: after(response) })).body[
    'data'
  ] as StatementView[];
const readAd = (adId: string, response: ApiResponse) =>
  api.call('GET', `/api/ads/${adId}`, { headers: after(response) });

describe('a warning', () => {
  test('leaves the ad online, and the owner reads the reasons and may appeal', async () => {
    const { owner, adId, caseId } = await postAd();
    await report('ad', adId);
    const decided = await decide(caseId, { outcome: 'warned' });
    expect(decided.status).toBe(200);
    expect((await readAd(adId, decided)).body['data']).toMatchObject({ status: 'active' });
    const [statement] = await readStatements(owner, decided);
    expect(statement).toMatchObject({ outcome: 'warned', facts: FACTS, isInForce: true, changeBy: null });
    expect(statement?.appealableUntil).not.toBeNull();
    const mail = await mailboxes.waitForMail(owner.email, 'A warning about your content');
    expect(mail.text).toContain('It stays online');
    expect(mail.text).not.toContain(FACTS);
    // A report does not hide content that a moderator left online.
    const reported = await report('ad', adId, 'under_age');
    expect((await readAd(adId, reported)).status).toBe(200);
  });

  test('shows content again that a report has hidden, if the moderator has read it', async () => {
    const { owner, adId, caseId } = await postAd();
    await report('ad', adId, 'my_content');
    await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { title: 'Changed in the meantime' } });
    expect((await decide(caseId, { outcome: 'warned' })).body).toMatchObject({ code: 'CONTENT_CHANGED' });
    const { now } = await readCase(caseId, await postToCase(mona, caseId, 'claim'));
    const decided = await decide(caseId, { outcome: 'warned', revision: now.revision });
    expect((await readAd(adId, decided)).body['data']).toMatchObject({ status: 'active' });
  });
});

describe('a requested change', () => {
  async function requestChange() {
    const ad = await postAd();
    await report('ad', ad.adId);
    const { now } = await readCase(ad.caseId, await postToCase(mona, ad.caseId, 'claim'));
    const decided = await decide(ad.caseId, { outcome: 'change_requested', changeDays: 3, revision: now.revision });
    expect(decided.status).toBe(200);
    return { ...ad, decided };
  }
  /** Runs the periodic task as it runs after this number of days. */
  async function runTaskAfter(days: number, decided: ApiResponse): Promise<void> {
    await readCase('ad-none', decided);
    const pool = createPool({ connectionString: product.databaseUrl, max: 1, applicationName: 'test' });
    const log = createLogger('silent');
    await endChangeRequests(
      { pool, commands: recording.commands, log },
      Date.now() + days * DAY_ms,
      new AbortController().signal,
    );
    await pool.end();
  }

  test('hides the ad after the date, informs the owner and comes back to a moderator', async () => {
    const { owner, adId, caseId, decided } = await requestChange();
    const [request] = await readStatements(owner, decided);
    expect(request).toMatchObject({ outcome: 'change_requested', isInForce: true, isChanged: false });
    expect(Date.parse(request?.changeBy ?? '') - Date.parse(request?.at ?? '')).toBe(3 * DAY_ms);
    await mailboxes.waitForMail(owner.email, 'Please change your ad');

    await runTaskAfter(2, decided);
    expect((await readAd(adId, decided)).body['data']).toMatchObject({ status: 'active' });
    await runTaskAfter(4, decided);
    await eventually(async () => expect((await readAd(adId, decided)).status).toBe(404));
    const mail = await mailboxes.waitForMail(owner.email, 'was hidden');
    expect(mail.text).toContain('the requested change was not made in time');
    const statements = await eventually(async () => {
      const found = await readStatements(owner, decided);
      expect(found).toHaveLength(2);
      return found;
    });
    expect(statements[0]).toMatchObject({
      outcome: 'hidden',
      isAutomated: true,
      hidingRuleId: null,
      facts: FACTS,
      changeBy: request?.changeBy,
    });
    expect(await readCase(caseId, decided)).toMatchObject({ state: 'open', isHidden: true });
    // A repeated run changes nothing.
    await runTaskAfter(5, decided);
    expect(await readStatements(owner, decided)).toHaveLength(2);
  });

  test('leaves a changed ad online, and a moderator reads it', async () => {
    const { owner, adId, caseId, decided } = await requestChange();
    const changed = await api.call('PUT', `/api/ads/${adId}`, { token: owner.token, body: { description: 'Better.' } });
    expect(changed.status).toBe(200);
    expect((await readStatements(owner, changed))[0]).toMatchObject({ isInForce: true, isChanged: true });
    await runTaskAfter(4, changed);
    await eventually(async () => expect(await readCase(caseId, decided)).toMatchObject({ state: 'open' }));
    expect((await readAd(adId, decided)).body['data']).toMatchObject({ status: 'active' });
    const card = (
      (await api.call('GET', '/api/admin/moderation/cases?limit=100', { token: mona.token }))
        .body as unknown as ResponseOf<'listCases'>
    ).data.find(({ id }) => id === caseId);
    expect(card?.decision).toMatchObject({ outcome: 'change_requested', isReversed: false });
  });

  test('is not made by a review of another person', async () => {
    const { owner, adId } = await requestChange();
    const reviewed = await api.call('POST', `/api/ads/${adId}/reviews`, {
      token: max.token,
      body: { comment: 'Kind.', rating: 5 },
    });
    expect(reviewed.status).toBe(201);
    expect((await readStatements(owner, reviewed))[0]).toMatchObject({ isInForce: true, isChanged: false });
  });

  test('also comes back to a moderator after the owner deleted the ad and posted it again', async () => {
    const { owner, adId, caseId, title } = await requestChange();
    await api.call('DELETE', `/api/ads/${adId}`, { token: owner.token });
    const again = await api.call('POST', '/api/ads', { token: owner.token, body: { ...validAd, title } });
    expect(again.status).toBe(201);
    expect((await readStatements(owner, again))[0]).toMatchObject({ isChanged: true });
    await runTaskAfter(4, again);
    await eventually(async () =>
      expect(await readCase(caseId, again)).toMatchObject({ state: 'open', now: { isGone: false, title } }),
    );
  });

  test('has no effect after a granted appeal', async () => {
    const { owner, adId, caseId, decided } = await requestChange();
    const [request] = await readStatements(owner, decided);
    const appeal = await api.call('POST', `/api/account/decisions/${request?.id ?? ''}/appeal`, {
      token: owner.token,
      body: { text: 'It is my own line.' },
    });
    await runTaskAfter(4, appeal);
    await postToCase(max, caseId, 'claim');
    const granted = await postToCase(max, caseId, 'appeal', { outcome: 'overturned', facts: 'It is.' });
    await runTaskAfter(4, granted);
    expect((await readAd(adId, granted)).body['data']).toMatchObject({ status: 'active' });
    expect(await readCase(caseId, granted)).toMatchObject({ state: 'decided', decision: { isReversed: true } });

    const log = (
      await api.call('GET', '/api/admin/log?type=CaseDecided&limit=100', { token: mona.token, headers: after(granted) })
    ).body as unknown as ResponseOf<'listLogEntries'>;
    const entry = await eventually(async () => {
      const { body } = await api.call('GET', '/api/admin/log?type=CaseDecided&limit=100', { token: mona.token });
      const found = (body as unknown as ResponseOf<'listLogEntries'>).data.find(
        ({ facts }) => facts['caseId'] === caseId,
      );
      if (!found) throw new Error('The entry is missing');
      return { found, body: body as unknown as ResponseOf<'listLogEntries'> };
    });
    expect(log.success).toBe(true);
    expect(entry.body.subjects[entry.found.eventId]).toMatchObject({ kind: 'ad', isReversed: true });
    expect(entry.body.names[owner.user.id]).toBe('Anna');
  });
});

describe('the removal of one photo', () => {
  test('leaves the ad online without it, with one decision that the owner can appeal', async () => {
    const { owner, adId, caseId, photos } = await postAd();
    await report('ad', adId, 'my_content');
    const decided = await decide(caseId, { outcome: 'photo_removed', rule: 'consent', photoId: photos[1] });
    expect(decided.status).toBe(200);
    expect((await readAd(adId, decided)).body['data']).toMatchObject({
      status: 'active',
      photos: [photoUrl(photos[0] ?? '')],
    });
    const statements = await readStatements(owner, decided);
    expect(statements.map(({ subject, outcome, isAutomated }) => [subject.kind, outcome, isAutomated])).toEqual([
      ['media', 'removed', false],
      ['ad', 'hidden', true],
    ]);
    expect(statements[0]).toMatchObject({ file: { kind: 'photo', number: 2 }, facts: FACTS });
    expect(statements[0]?.appealableUntil).not.toBeNull();
    await mailboxes.waitForMail(owner.email, 'A photo or video at');
  });

  test('needs a photo of the ad', async () => {
    const { adId, caseId } = await postAd();
    const other = await postAd();
    await report('ad', adId);
    for (const photoId of [undefined, other.photos[0], 'none'])
      expect((await decide(caseId, { outcome: 'photo_removed', photoId })).body).toMatchObject({
        code: 'PHOTO_NOT_IN_AD',
      });
  });

  test.each(['hidden', 'removed'])('is rejected for a photo that is already %s', async (outcome) => {
    const { owner, adId, caseId, photos } = await postAd();
    const [hidden = '', shown = ''] = photos;
    await report('ad', adId, 'my_content');
    const allowed = await decide(caseId, { outcome: 'kept' });
    await report('media', hidden);
    await decide(toCaseId({ kind: 'media', id: hidden }), { outcome });
    const reported = await report('ad', adId);
    expect((await readCase(caseId, reported)).hiddenPhotos).toEqual([photoUrl(hidden)]);
    const removal = { outcome: 'photo_removed', rule: 'consent' };
    const rejected = await decide(caseId, { ...removal, photoId: hidden });
    expect(rejected.body).toMatchObject({ code: 'PHOTO_IS_HIDDEN' });
    const allowedStatement = (await readStatements(owner, allowed)).find(({ outcome: of }) => of === 'kept');
    expect(allowedStatement).toMatchObject({ subject: { kind: 'ad' }, isInForce: true });
    // Each recorded decision that concerns the owner has a statement.
    const decided = await decide(caseId, { ...removal, photoId: shown });
    expect(decided.status).toBe(200);
    expect((await readStatements(owner, decided))[0]).toMatchObject({
      subject: { kind: 'media', id: shown },
      outcome: 'removed',
    });
  });

  test('is rejected for a photo that a report hides until a moderator decides', async () => {
    const { adId, caseId, photos } = await postAd();
    const [photoId = ''] = photos;
    await report('media', photoId, 'my_content');
    await report('ad', adId);
    expect((await decide(caseId, { outcome: 'photo_removed', photoId })).body).toMatchObject({
      code: 'PHOTO_IS_HIDDEN',
    });
  });
});

test('decisions have the names of their time, also after the owner deleted the ad and posted another one', async () => {
  const { owner, adId, caseId, title, photos } = await postAd();
  const [first = '', second = ''] = photos;
  await report('media', second);
  const decided = await decide(toCaseId({ kind: 'media', id: second }), { outcome: 'removed' });
  await report('ad', adId);
  const warned = await decide(caseId, { outcome: 'warned' });
  const names = async (response: ApiResponse) =>
    (await readStatements(owner, response)).map(({ title: of, file, path }) => [of, file?.number, path !== null]);
  expect(await names(warned)).toEqual([
    [title, undefined, true],
    [title, 2, true],
  ]);
  // Another title and another order of the photos change no earlier decision.
  const changed = await api.call('PUT', `/api/ads/${adId}`, {
    token: owner.token,
    body: { title: 'Another afternoon', photos: [photoUrl(second), photoUrl(first)] },
  });
  expect(await names(changed)).toEqual(await names(decided));
  await api.call('DELETE', `/api/ads/${adId}`, { token: owner.token });
  const again = await api.call('POST', '/api/ads', {
    token: owner.token,
    body: { ...validAd, title: 'A new evening' },
  });
  expect(await names(again)).toEqual([
    [title, undefined, false],
    [title, 2, false],
  ]);
  const { ownerDecisions, decisions } = await readCase(caseId, again);
  expect([...decisions, ...ownerDecisions].map(({ title: of }) => of)).toEqual([title, title]);
});

describe('a photo that shows a person who may be in danger', () => {
  test.each(['hidden', 'removed'])('is %s together with the ad, also after the owner took it out', async (outcome) => {
    const { owner, adId, photos } = await postAd();
    const [photo = '', other = ''] = photos;
    await report('media', photo);
    const decided = await decide(toCaseId({ kind: 'media', id: photo }), { outcome, rule: 'under_age' });
    expect(decided.status).toBe(200);
    expect((await readAd(adId, decided)).status).toBe(404);
    expect((await readStatements(owner, decided)).map(({ subject, outcome: of }) => [subject.kind, of])).toEqual([
      ['ad', 'hidden'],
      ['media', outcome],
    ]);
    const changed = await api.call('PUT', `/api/ads/${adId}`, {
      token: owner.token,
      body: { photos: [photoUrl(other)] },
    });
    expect((await readAd(adId, changed)).status).toBe(404);
    const card = (await readCase(toCaseId({ kind: 'ad', id: adId }), changed)).decision;
    expect(card).toMatchObject({ outcome: 'hidden', ruleId: 'under_age', by: { name: 'Mona' } });
  });
});

test('a photo that shows a person who may be in danger hides no ad that was posted after the decision', async () => {
  const { owner, adId, photos } = await postAd();
  const [photo = ''] = photos;
  const photoCaseId = toCaseId({ kind: 'media', id: photo });
  await report('media', photo);
  const decided = await decide(photoCaseId, { outcome: 'removed', rule: 'under_age' });
  const [, statement] = await readStatements(owner, decided);
  expect(statement?.subject.kind).toBe('media');
  // The jobs of both decisions have ended.
  await mailboxes.waitForMail(owner.email, 'A photo or video at');
  await mailboxes.waitForMail(owner.email, 'Your content at');
  await api.call('DELETE', `/api/ads/${adId}`, { token: owner.token });
  const next = await api.postAd(owner.token, { title: 'Another evening', photos: [] });
  expect(await applyConsequence(recording.commands, photoCaseId, TEST_ORIGIN)).toBeNull();

  const appeal = await api.call('POST', `/api/account/decisions/${statement?.id ?? ''}/appeal`, {
    token: owner.token,
    body: { text: 'I am 30.' },
  });
  expect(appeal.status).toBe(200);
  await postToCase(max, photoCaseId, 'claim');
  const upheld = await postToCase(max, photoCaseId, 'appeal', { outcome: 'upheld', facts: 'No.' });
  expect(upheld.status).toBe(200);
  expect((await readAd(next.id, upheld)).body['data']).toMatchObject({ status: 'active' });
});

describe('a thread and a reply', () => {
  async function startThread(author: Person, body: string) {
    const started = await api.call('POST', '/api/community/threads', {
      token: author.token,
      body: { country: 'US', state: 'NV', city: 'Las Vegas', title: `Where ${uniqueWord()}`, body },
    });
    const threadId = (started.body['data'] as { id: string } | undefined)?.id ?? '';
    const path = `/api/community/threads/${threadId}`;
    const readThread = async (response: ApiResponse, person: Person | null) =>
      (await api.call('GET', path, { headers: after(response), ...(person && { token: person.token }) })).body as {
        readonly code?: string;
        readonly data?: { readonly opening: object; readonly replies: readonly object[] };
      };
    return { threadId, path, readThread, caseId: toCaseId({ kind: 'thread', id: threadId }) };
  }

  test('are only for their author and moderators while they are hidden', async () => {
    const [author, replier] = [await recording.member(), await recording.member()];
    const { threadId, path, readThread, caseId } = await startThread(author, 'Where to go?');
    await api.call('POST', `${path}/replies`, { token: replier.token, body: { body: 'To the museum.' } });
    await report('post', toPostId(threadId, 1));
    const hidden = await decide(toCaseId({ kind: 'post', id: toPostId(threadId, 1) }), { outcome: 'hidden' });
    expect((await readThread(hidden, replier)).data?.replies[0]).toMatchObject({
      status: 'hidden',
      hiddenReason: FACTS,
    });
    expect(JSON.stringify(await readThread(hidden, replier))).toContain('museum');
    for (const person of [author, null])
      expect(JSON.stringify(await readThread(hidden, person))).not.toContain('museum');

    await report('thread', threadId);
    const allHidden = await decide(caseId, { outcome: 'hidden' });
    const [statement] = await readStatements(author, allHidden);
    expect(statement?.path).toContain('/community/');
    expect((await readThread(allHidden, author)).data?.opening).toMatchObject({
      status: 'hidden',
      hiddenReason: FACTS,
      html: expect.stringContaining('Where to go?'),
    });
    for (const person of [replier, null])
      expect(await readThread(allHidden, person)).toMatchObject({ code: 'THREAD_NOT_FOUND' });
  });

  test('are for moderators only after they were removed', async () => {
    const author = await recording.member();
    const { threadId, readThread, caseId } = await startThread(author, 'Where to eat?');
    await report('thread', threadId);
    const removed = await decide(caseId, { outcome: 'removed' });
    expect(removed.status).toBe(200);
    expect(await readThread(removed, author)).toMatchObject({ code: 'THREAD_NOT_FOUND' });
    expect((await readThread(removed, mona)).data?.opening).toMatchObject({ status: 'hidden' });
  });
});

describe('linked cases', () => {
  test('of one owner or phone get the same decision, and the others are named', async () => {
    const phone = '+17025550177';
    const first = await postAd({ phone });
    const second = await postAd({ phone });
    await report('ad', first.adId);
    await report('ad', second.adId);
    const thread = await api.call('POST', '/api/community/threads', {
      token: second.owner.token,
      body: { country: 'US', state: 'NV', city: 'Las Vegas', title: 'A calm evening', body: 'Where to go?' },
    });
    const threadId = (thread.body['data'] as { id: string } | undefined)?.id ?? '';
    const filed = await report('post', toPostId(threadId, 0));
    const view = await readCase(first.caseId, filed);
    expect(view.linkedCases.map(({ case: { id }, by }) => [id, by])).toEqual(
      expect.arrayContaining([[second.caseId, ['phone']]]),
    );
    // Another moderator works on the third case.
    const claimedId = view.linkedCases.map(({ case: { id } }) => id).find((id) => id.startsWith('thread-')) ?? '';
    await postToCase(max, claimedId, 'claim');
    const decided = await decide(first.caseId, {
      outcome: 'hidden',
      rule: 'spam',
      alsoCaseIds: [second.caseId, claimedId, 'ad-none'],
    });
    expect(decided.body).toMatchObject({ data: { notDecided: [claimedId, 'ad-none'] } });
    for (const { adId, owner } of [first, second]) {
      expect((await readAd(adId, decided)).status).toBe(404);
      expect((await readStatements(owner, decided))[0]).toMatchObject({ outcome: 'hidden', facts: FACTS });
    }
  });
});

test('the page of an account shows reports, decisions and linked accounts', async () => {
  const phone = '+17025550166';
  const { owner, adId, caseId } = await postAd({ phone });
  const other = await postAd({ phone });
  await report('ad', adId);
  const decided = await decide(caseId, { outcome: 'warned' });
  const { body } = await api.call('GET', `/api/admin/users/${owner.user.id}`, {
    token: admin.token,
    headers: after(decided),
  });
  expect((body['data'] as AdminUserDetailView).moderation).toMatchObject({
    cases: [{ id: caseId, reportCount: 1 }],
    decisions: [{ outcome: 'warned', facts: FACTS }],
    links: [{ adId: other.adId, owner: { id: other.owner.user.id }, by: ['phone'] }],
  });
});
