import { moderationCase, toCaseId, type StatementView } from '@alpenglow/domain';
import { beforeAll, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

/** A person hides the ads of others by false reports. */

const product = testProduct({ rateLimits: true, trustedProxies: 1 });
const api = testApi(product);
const recording = testRecording(product);
let admin: Person;
const pool = testPool(product, 1);
beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

async function postAds(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { token } = await recording.member({ userType: 'provider' });
    ids.push((await api.postAd(token)).id);
  }
  return ids;
}

const reportSubject = (subject: unknown, address: string, token?: string, reason = 'under_age') =>
  api.call('POST', '/api/reports', {
    body: { subject, reason },
    headers: { 'x-forwarded-for': address },
    ...(token !== undefined && { token }),
  });

/** Reports an ad, and returns the reference of the report. */
async function report(id: string, address: string, reason?: string): Promise<string> {
  const { status, body } = await reportSubject({ kind: 'ad', id }, address, undefined, reason);
  expect(status).toBe(201);
  return body['reference'] as string;
}

const caseOf = async (id: string) =>
  (await recording.commands.load(moderationCase, toCaseId({ kind: 'ad', id }))).state;
const isHidden = async (id: string) => (await caseOf(id))?.isHidingSubject;

test('one network hides three ads at most, and its other reports still reach the moderators first', async () => {
  const ids = await postAds(6);
  for (const id of ids) await report(id, '203.0.113.1');
  expect(await Promise.all(ids.map(isHidden))).toEqual([true, true, true, false, false, false]);
  for (const id of ids) expect(await caseOf(id)).toMatchObject({ isOpen: true, priority: 'high' });
  // A report from another network still hides the content at once.
  await report(ids[5] ?? '', '203.0.113.2', 'forced');
  expect(await isHidden(ids[5] ?? '')).toBe(true);
});

test('unfounded reports of a network reduce the weight of its next one, and not of other networks', async () => {
  const [first = '', second = '', third = ''] = await postAds(3);
  const reference = await report(first, '203.0.113.4');
  expect(await isHidden(first)).toBe(true);
  const body = { outcome: 'kept', rule: 'under_age', facts: 'The person is an adult.' };
  const caseUrl = `/api/admin/moderation/cases/ad-${first}`;
  expect((await api.call('POST', `${caseUrl}/claim`, { token: admin.token, body: {} })).status).toBe(200);
  const decided = await api.call('POST', `${caseUrl}/decide`, { token: admin.token, body });
  expect(decided.status).toBe(200);
  // The read models must contain both the report and the decision, because they determine the weight.
  const headers = after(decided);
  const found = await api.call('GET', `/api/reports/${reference}`, { headers });
  expect(found.body['data']).toMatchObject({ status: 'decided' });
  await report(second, '203.0.113.4');
  expect(await isHidden(second)).toBe(false);
  await report(third, '203.0.113.5');
  expect(await isHidden(third)).toBe(true);
});

test('a report counts as unfounded after a granted appeal', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const { id } = await api.postAd(owner.token);
  await report(id, '203.0.113.60');
  const caseUrl = `/api/admin/moderation/cases/ad-${id}`;
  const decideAs = async (token: string, action: string, verdict: Readonly<Record<string, string>>) => {
    expect((await api.call('POST', `${caseUrl}/claim`, { token, body: {} })).status).toBe(200);
    const response = await api.call('POST', `${caseUrl}/${action}`, { token, body: verdict });
    expect(response.status).toBe(200);
    return after(response);
  };
  const facts = 'The person looks young.';
  const hidden = await decideAs(admin.token, 'decide', { outcome: 'hidden', rule: 'under_age', facts });
  const { body } = await api.call('GET', '/api/account/decisions', { token: owner.token, headers: hidden });
  const decision = (body['data'] as StatementView[]).find(({ isAutomated }) => !isAutomated);
  const appeal = await api.call('POST', `/api/account/decisions/${decision?.id ?? ''}/appeal`, {
    token: owner.token,
    body: { text: 'I am 30 years old.' },
  });
  expect(appeal.status).toBe(200);
  const moderator = await recording.member({ role: 'moderator' });
  const verdict = { outcome: 'overturned', facts: 'The person is an adult.' };
  const headers = await decideAs(moderator.token, 'appeal', verdict);
  const { data } = (await api.call('GET', caseUrl, { token: moderator.token, headers })).body;
  expect(data).toMatchObject({ state: 'decided', isHidden: false });
  // The read models contain the report and the decisions, which determine the weight of the next report.
  const [next = ''] = await postAds(1);
  await report(next, '203.0.113.60');
  expect(await isHidden(next)).toBe(false);
});

test('new accounts share the limit of their network', async () => {
  const ids = await postAds(6);
  for (const id of ids.slice(0, 3)) await report(id, '203.0.113.7');
  for (const id of ids.slice(3)) {
    const { token } = await recording.member({ userType: 'client', age_ms: 6 * 24 * 60 * 60_000 });
    expect((await reportSubject({ kind: 'ad', id }, '203.0.113.7', token)).status).toBe(201);
  }
  expect(await Promise.all(ids.map(isHidden))).toEqual([true, true, true, false, false, false]);
  // An account that is older than seven days is a separate source.
  const { token } = await recording.member({ userType: 'client', age_ms: 8 * 24 * 60 * 60_000 });
  expect((await reportSubject({ kind: 'ad', id: ids[5] }, '203.0.113.7', token)).status).toBe(201);
  expect(await isHidden(ids[5] ?? '')).toBe(true);
});

test('the stored source of a report contains no network address', async () => {
  const [id = ''] = await postAds(1);
  await report(id, '203.0.113.6');
  const { rows } = await pool.query('select * from requests.report_sources');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain('203.0.113');
});

test('several networks hide three contents of one owner a day, and further ones need several reports', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const { id } = await api.postAd(owner.token);
  const threads: string[] = [];
  for (const title of ['Parking near the Strip', 'Which hotels are discreet', 'Quiet evenings in winter']) {
    const body = { state: 'NV', city: 'Las Vegas', title, body: `${title}: who knows more?` };
    const response = await api.call('POST', '/api/community/threads', { token: owner.token, body });
    expect(response.status).toBe(201);
    threads.push((response.body['data'] as { id: string }).id);
  }
  const subjects = [{ kind: 'ad', id }, ...threads.map((thread) => ({ kind: 'thread', id: thread }))];
  for (const [index, subject] of subjects.entries())
    expect((await reportSubject(subject, `203.0.113.${20 + index}`)).status).toBe(201);
  const caseIdOf = (subject: { kind: string; id: string }) => toCaseId(subject as Parameters<typeof toCaseId>[0]);
  const load = async (subject: { kind: string; id: string }) =>
    (await recording.commands.load(moderationCase, caseIdOf(subject))).state;
  expect((await Promise.all(subjects.map(load))).map((state) => state?.isHidingSubject)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  const [last = { kind: '', id: '' }] = subjects.slice(-1);
  expect(await load(last)).toMatchObject({ isOpen: true, priority: 'high' });
  // The report of a verified account has its full weight.
  const reader = await recording.member({ userType: 'client' });
  expect((await reportSubject(last, '203.0.113.40', reader.token)).status).toBe(201);
  expect((await load(last))?.isHidingSubject).toBe(true);
});

test('an admin restores the hidden ads in one step, and the cases stay open', async () => {
  const ids = await postAds(3);
  for (const id of ids) await report(id, '203.0.113.3');
  const body = { caseIds: [...ids, 'nonsense'].map((id) => `ad-${id}`), facts: 'A wave of false reports.' };
  const restore = (token: string) => api.call('POST', '/api/admin/moderation/restore', { token, body });
  expect((await restore((await api.signUp('client')).token)).status).toBe(403);
  const response = await restore(admin.token);
  expect(response).toMatchObject({ status: 200, body: { data: { restored: 3, unchanged: 1 } } });
  for (const id of ids) {
    expect(await caseOf(id)).toMatchObject({
      isOpen: true,
      isHidingSubject: false,
      decision: { moderatorId: admin.user.id, outcome: 'kept', isAutomated: true },
    });
    const headers = after(response);
    expect((await api.call('GET', `/api/ads/${id}`, { headers })).status).toBe(200);
  }
  expect(await restore(admin.token)).toMatchObject({ body: { data: { restored: 0, unchanged: 4 } } });
});
