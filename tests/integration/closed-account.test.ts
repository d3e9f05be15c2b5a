import { randomUUID } from 'node:crypto';
import {
  caseIdOf,
  decideDirectly,
  moderationCase,
  type ProjectionView,
  type StatementView,
  type Subject,
} from '@alpenglow/domain';
import { createStatementTokens, loadSecrets } from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient, PASSWORD, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { openMailboxes, type Mailboxes } from '../support/inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';

/** What somebody can still do whose account a moderator has closed: read why, and appeal, by the link of the mail alone (decision 0043). */

const DAY_ms = 24 * 60 * 60_000;
const FACTS = 'The second line offers what the law forbids.';
const lines: string[] = [];
let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let mailboxes: Mailboxes;
let mona: Person;
let max: Person;
let admin: Person;
let tokens: ReturnType<typeof createStatementTokens>;
/** Mocks are restored before each test, so that this is called again for each. */
const listenToLog = () =>
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });

beforeAll(async () => {
  listenToLog();
  vi.stubEnv('TEST_LOG_LEVEL', 'trace');
  product = await startTestProduct({ siteUrl: 'https://alpenglow.example' });
  api = apiClient(product.url);
  recording = await openRecording(product);
  mailboxes = openMailboxes(product);
  tokens = createStatementTokens((await loadSecrets(product.dataDir)).accountIds);
  [mona, max, admin] = await Promise.all([
    recording.member({ role: 'moderator' }),
    recording.member({ role: 'moderator' }),
    recording.member({ email: 'admin@example.com' }),
  ]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await mailboxes.close();
  await recording.close();
  await product.stop();
});

beforeEach(() => void listenToLog());

interface Closed {
  readonly owner: Person;
  readonly caseId: string;
  readonly decisionId: string;
  readonly token: string;
}

const onCase = (moderator: Person, caseId: string, what: string, body?: unknown) =>
  api.call('POST', `/api/admin/moderation/cases/${caseId}/${what}`, {
    token: moderator.token,
    ...(body !== undefined && { body }),
  });
const readBy = (token: string, decisionId: string, after?: Answer) =>
  api.call('GET', `/api/account/decisions/${decisionId}`, {
    headers: { 'x-statement-token': token, ...(after && { 'x-wait-position': after.headers.get('x-position') ?? '' }) },
  });
const appealBy = (
  token: string,
  decisionId: string,
  text = 'It offers a walk.',
  headers: Record<string, string> = {},
) =>
  api.call('POST', `/api/account/decisions/${decisionId}/appeal`, {
    body: { text },
    headers: { 'x-statement-token': token, ...headers },
  });
const statementIn = (answer: Answer) => answer.body['data'] as StatementView;
/** What a refusal says, apart from what is another for each request. */
const refusal = ({ status, body: { requestId: _request, instance: _instance, ...body } }: Answer) => ({ status, body });

/** A provider whose ad, or whose profile, somebody reported, and whose account a moderator closed for it. */
async function closed(kind: 'ad' | 'account' = 'ad'): Promise<Closed> {
  const owner = await recording.member({ userType: 'provider', displayName: 'Anna' });
  const { id: adId } = await api.postAd(owner.token);
  const caseId = kind === 'ad' ? `ad-${adId}` : `account-${owner.user.id}`;
  await api.call('POST', '/api/reports', { body: { subject: { kind, id: adId }, reason: 'illegal', text: null } });
  await onCase(mona, caseId, 'claim');
  const answer = await onCase(mona, caseId, 'decide', { outcome: 'account_closed', rule: 'illegal', facts: FACTS });
  expect(answer).toMatchObject({ status: 200 });
  const { decisionId } = answer.body['data'] as { decisionId: string };
  await readBy(tokens.issue(decisionId), decisionId, answer);
  return { owner, caseId, decisionId, token: tokens.issue(decisionId) };
}
async function decideAppeal({ caseId }: Closed, outcome: 'upheld' | 'overturned', facts: string): Promise<Answer> {
  await onCase(max, caseId, 'claim');
  const answer = await onCase(max, caseId, 'appeal', { outcome, facts });
  expect(answer).toMatchObject({ status: 200 });
  return answer;
}
const linkIn = (text: string) =>
  /^https:\/\/alpenglow\.example\/decisions\/([\w-]+)#(\S+)$/mu.exec(text)?.slice(1) ?? [];

test('the link of the mail leads to the reasons and to an appeal, which another moderator grants; then one may sign up again', async () => {
  const { owner, caseId, decisionId, ...rest } = await closed();
  const letter = await mailboxes.next(owner.email, 'About your account');
  const [id = '', token = ''] = linkIn(letter.text);
  expect(id).toBe(decisionId);
  expect(JSON.stringify(letter)).not.toMatch(/second line|forbids/u);
  expect(await api.call('POST', '/api/auth/login', { body: { email: owner.email, password: PASSWORD } })).toMatchObject(
    { status: 401 },
  );

  const read = await readBy(token, decisionId);
  expect(read).toMatchObject({
    status: 200,
    body: {
      data: {
        id: decisionId,
        outcome: 'account_closed',
        rule: { id: 'illegal' },
        facts: FACTS,
        isInForce: true,
        appeal: null,
        appealableUntil: expect.any(String) as string,
      },
    },
  });
  expect(read.headers.get('cache-control')).toBe('no-store');

  const key = { 'idempotency-key': randomUUID() };
  const filed = await appealBy(token, decisionId, 'It offers a walk.', key);
  expect(filed).toMatchObject({ status: 200, body: { success: true, data: { id: decisionId } } });
  const again = await appealBy(token, decisionId, 'It offers a walk.', key);
  expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, filed.body, 'true']);
  expect(await appealBy(token, decisionId, 'Something else.', key)).toMatchObject({
    status: 422,
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
  expect(await appealBy(token, decisionId)).toMatchObject({ status: 409, body: { code: 'ALREADY_APPEALED' } });
  expect(statementIn(await readBy(token, decisionId, filed))).toMatchObject({
    appealableUntil: null,
    appeal: { text: 'It offers a walk.', outcome: null },
  });
  expect((await recording.commands.load(moderationCase, caseId)).state?.appeal).toMatchObject({
    decisionId,
    accountId: owner.user.id,
  });

  expect(await onCase(mona, caseId, 'claim')).toMatchObject({ status: 403, body: { code: 'ANOTHER_MODERATOR' } });
  const granted = await decideAppeal({ owner, caseId, decisionId, ...rest }, 'overturned', 'A walk is what it says.');
  expect(linkIn((await mailboxes.next(owner.email, 'Your appeal')).text)).toEqual([decisionId, token]);
  expect(statementIn(await readBy(token, decisionId, granted))).toMatchObject({
    isInForce: false,
    appeal: { outcome: 'overturned', facts: 'A walk is what it says.' },
  });
  expect(await api.call('POST', '/api/auth/login', { body: { email: owner.email, password: PASSWORD } })).toMatchObject(
    { status: 401 },
  );
  const anew = await api.signUp('provider', { email: owner.email });
  expect((await api.call('GET', '/api/auth/profile', { token: anew.token })).status).toBe(200);
});

test('whoever has signed up again keeps their account and their ad when the appeal is refused', async () => {
  const one = await closed('account');
  await appealBy(one.token, one.decisionId);
  const anew = await api.signUp('provider', { email: one.owner.email });
  const { id } = await api.postAd(anew.token);
  const refused = await decideAppeal(one, 'upheld', 'It is forbidden all the same.');
  await mailboxes.next(one.owner.email, 'Your appeal');
  expect(
    await api.call('GET', `/api/ads/${id}`, {
      headers: { 'x-wait-position': refused.headers.get('x-position') ?? '' },
    }),
  ).toMatchObject({ status: 200 });
  expect((await api.call('GET', '/api/auth/profile', { token: anew.token })).status).toBe(200);
  expect(statementIn(await readBy(one.token, one.decisionId, refused))).toMatchObject({
    isInForce: true,
    appeal: { outcome: 'upheld' },
  });
  // It is the same address, so that they find the decision in their account too.
  expect(await api.call('GET', `/api/account/decisions/${one.decisionId}`, { token: anew.token })).toMatchObject({
    status: 200,
  });
});

describe('a token', () => {
  let one: Closed;
  let other: Closed;
  beforeAll(async () => {
    one = await closed();
    other = await closed();
  });

  test.each<[string, () => string]>([
    ['of another decision', () => other.token],
    ['of another installation', () => createStatementTokens('00'.repeat(32)).issue(one.decisionId)],
    ['that was cut off', () => one.token.slice(0, -1)],
    ['that is empty', () => ''],
    ['that is anything', () => 'x'],
  ])('%s is answered as a decision that there is not, with a session or without', async (_, tokenOf) => {
    const unknown = randomUUID();
    const [wrong, reader] = [tokenOf(), one.owner.token];
    const noSuch = refusal(await api.call('GET', `/api/account/decisions/${unknown}`, { token: mona.token }));
    expect(noSuch).toMatchObject({ status: 404, body: { code: 'DECISION_NOT_FOUND' } });
    expect(refusal(await readBy(wrong, one.decisionId))).toEqual(noSuch);
    expect(refusal(await readBy(tokens.issue(unknown), unknown))).toEqual(noSuch);
    expect(
      refusal(
        await api.call('GET', `/api/account/decisions/${one.decisionId}`, {
          token: reader,
          headers: { 'x-statement-token': wrong },
        }),
      ),
    ).toEqual(noSuch);
    for (const headers of [{}, { 'idempotency-key': randomUUID() }]) {
      expect(refusal(await appealBy(wrong, one.decisionId, 'No.', headers))).toMatchObject({
        status: 404,
        body: { code: 'DECISION_NOT_FOUND' },
      });
    }
    expect((await recording.commands.load(moderationCase, one.caseId)).state?.appeal).toBeNull();
  });

  test('wins over a session, whoever’s it is, and opens nothing else', async () => {
    const asMona = { token: mona.token, headers: { 'x-statement-token': one.token } };
    expect(await api.call('GET', `/api/account/decisions/${one.decisionId}`, asMona)).toMatchObject({
      status: 200,
      body: { data: { id: one.decisionId } },
    });
    expect(await api.call('GET', `/api/account/decisions/${one.decisionId}`, { token: mona.token })).toMatchObject({
      status: 404,
    });
    for (const path of ['/account/decisions', '/auth/profile', '/account/export', '/ads/user']) {
      expect(await api.call('GET', `/api${path}`, { headers: { 'x-statement-token': one.token } }), path).toMatchObject(
        { status: 401 },
      );
    }
  });

  test('is taken in no query', async () => {
    expect(await api.call('GET', `/api/account/decisions/${one.decisionId}?token=${one.token}`)).toMatchObject({
      status: 401,
    });
  });

  test('reads on when the time to appeal is over', async () => {
    const owner = await recording.member({ userType: 'provider' });
    const subject: Subject = { kind: 'account', id: owner.user.id };
    const caseId = caseIdOf(subject);
    const judged = { subject, ownerId: owner.user.id, evidence: { stream: `account-${owner.user.id}`, revision: 0 } };
    const now = new Date(Date.now() - 31 * DAY_ms).toISOString();
    const said = {
      moderatorId: mona.user.id,
      outcome: 'account_closed',
      rule: 'illegal',
      facts: FACTS,
      wasHidden: false,
    } as const;
    const { state } = await recording.commands.handle(
      moderationCase,
      caseId,
      (found, context) => decideDirectly({ ...judged, ...said }, found, context),
      BY_TEST,
      { now },
    );
    const decisionId = state?.decision?.decisionId ?? '';
    const token = tokens.issue(decisionId);
    await mailboxes.next(owner.email, 'About your account');
    await expect.poll(async () => (await readBy(token, decisionId)).status).toBe(200);
    expect(statementIn(await readBy(token, decisionId))).toMatchObject({
      appealableUntil: null,
      appeal: null,
      facts: FACTS,
    });
    expect(await appealBy(token, decisionId)).toMatchObject({ status: 409, body: { code: 'APPEAL_OVER' } });
  });

  test('still reads once the read model of decisions is built anew', async () => {
    const projection = '/api/admin/projections/decisions';
    const stateOf = async () => {
      const { body } = await api.call('GET', '/api/admin/projections', { token: admin.token });
      return (body['data'] as readonly ProjectionView[]).find(({ name }) => name === 'decisions')?.rebuild?.state;
    };
    await api.call('POST', `${projection}/rebuild`, { token: admin.token });
    await expect.poll(stateOf).toBe('ready');
    await api.call('POST', `${projection}/swap`, { token: admin.token });
    await expect.poll(stateOf).toBe('swapped');
    expect(statementIn(await readBy(other.token, other.decisionId))).toMatchObject({
      facts: FACTS,
      outcome: 'account_closed',
    });
  });

  test('of somebody who is erased opens nothing any more, and nothing more of them is kept', async () => {
    const erased = await closed();
    expect(
      await api.call('POST', `/api/admin/users/${erased.owner.user.id}/erasure`, {
        token: admin.token,
        body: { reason: 'They asked for it' },
      }),
    ).toMatchObject({ status: 202 });
    expect(await appealBy(erased.token, erased.decisionId)).toMatchObject({
      status: 404,
      body: { code: 'DECISION_NOT_FOUND' },
    });
    await expect.poll(async () => (await readBy(erased.token, erased.decisionId)).status).toBe(404);
    expect(await appealBy(erased.token, erased.decisionId)).toMatchObject({
      status: 404,
      body: { code: 'DECISION_NOT_FOUND' },
    });
    expect(await readBy(other.token, other.decisionId)).toMatchObject({ status: 200 });
  });
});

test('at level trace, no line of the log has a token, whatever becomes of it', async () => {
  const one = await closed();
  await mailboxes.next(one.owner.email, 'About your account');
  const wrong = tokens.issue(randomUUID());
  for (const token of [wrong, one.token]) {
    await readBy(token, one.decisionId);
    await appealBy(token, one.decisionId, 'No.', { 'idempotency-key': randomUUID() });
    await appealBy(token, one.decisionId, '');
    await api.call('GET', `/api/account/decisions/${one.decisionId}?token=${token}`);
    await api.call('GET', `/api/account/decisions/${token}`);
    await fetch(`${product.url}/decisions/${one.decisionId}?token=${token}`);
  }
  expect(
    lines.filter((line) => line.includes('"msg":"request"') && line.includes('/account/decisions/')).length,
  ).toBeGreaterThan(5);
  for (const secret of [wrong, one.token])
    expect(lines.filter((line) => line.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
});
