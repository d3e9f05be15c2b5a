import { randomUUID } from 'node:crypto';
import {
  toCaseId,
  moderationCase,
  type ProjectionView,
  type StatementView,
  type Subject,
  toStreamId,
  account,
} from '@alpenglow/domain';
import { decideWithoutReport } from '@alpenglow/domain/deciders';
import { createStatementTokens, loadSecrets } from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { after, apiClient, PASSWORD, type ApiResponse, type ApiClient, type Person } from '../support/api.ts';
import { openMailboxes, type Mailboxes } from '../support/inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { TEST_ORIGIN, openRecording, type Recording } from '../support/recording.ts';

// Tests the link in the mail about a closed account. The owner can read the reasons and appeal without a
// login (decision 0043).

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
/** Captures the log. Every test calls this function because mocks are restored before each test. */
const captureLog = () =>
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });

beforeAll(async () => {
  captureLog();
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

beforeEach(() => void captureLog());

interface ClosedAccount {
  readonly owner: Person;
  readonly caseId: string;
  readonly decisionId: string;
  readonly token: string;
}

const actOnCase = (moderator: Person, caseId: string, action: string, body?: unknown) =>
  api.call('POST', `/api/admin/moderation/cases/${caseId}/${action}`, {
    token: moderator.token,
    ...(body !== undefined && { body }),
  });
const readDecision = (token: string, decisionId: string, write?: ApiResponse) =>
  api.call('GET', `/api/account/decisions/${decisionId}`, {
    headers: { 'x-statement-token': token, ...(write && after(write)) },
  });
const fileAppeal = (
  token: string,
  decisionId: string,
  text = 'It offers a walk.',
  headers: Record<string, string> = {},
) =>
  api.call('POST', `/api/account/decisions/${decisionId}/appeal`, {
    body: { text },
    headers: { 'x-statement-token': token, ...headers },
  });
const statementOf = (response: ApiResponse) => response.body['data'] as StatementView;
/** Returns status and body of an error response without the fields that differ between requests. */
const withoutRequestIds = ({ status, body: { requestId: _request, instance: _instance, ...body } }: ApiResponse) => ({
  status,
  body,
});

/** Creates a provider whose account a moderator closed after a report about the ad or the profile. */
async function createClosedAccount(kind: 'ad' | 'account' = 'ad'): Promise<ClosedAccount> {
  const owner = await recording.member({ userType: 'provider', displayName: 'Anna' });
  const { id: adId } = await api.postAd(owner.token);
  const caseId = kind === 'ad' ? `ad-${adId}` : `account-${owner.user.id}`;
  await api.call('POST', '/api/reports', { body: { subject: { kind, id: adId }, reason: 'illegal', text: null } });
  await actOnCase(mona, caseId, 'claim');
  const response = await actOnCase(mona, caseId, 'decide', {
    outcome: 'account_closed',
    rule: 'illegal',
    facts: FACTS,
  });
  expect(response).toMatchObject({ status: 200 });
  const { decisionId } = response.body['data'] as { decisionId: string };
  await readDecision(tokens.issue(decisionId), decisionId, response);
  return { owner, caseId, decisionId, token: tokens.issue(decisionId) };
}
async function decideAppeal(
  { caseId }: ClosedAccount,
  outcome: 'upheld' | 'overturned',
  facts: string,
): Promise<ApiResponse> {
  await actOnCase(max, caseId, 'claim');
  const response = await actOnCase(max, caseId, 'appeal', { outcome, facts });
  expect(response).toMatchObject({ status: 200 });
  return response;
}
const linkIn = (text: string) =>
  /^https:\/\/alpenglow\.example\/decisions\/([\w-]+)#(\S+)$/mu.exec(text)?.slice(1) ?? [];

test('the link in the mail shows the reasons and accepts an appeal, which can allow a new sign-up', async () => {
  const { owner, caseId, decisionId, ...rest } = await createClosedAccount();
  const mail = await mailboxes.waitForMail(owner.email, 'About your account');
  const [id = '', token = ''] = linkIn(mail.text);
  expect(id).toBe(decisionId);
  expect(JSON.stringify(mail)).not.toMatch(/second line|forbids|prohibited/u);
  expect(await api.call('POST', '/api/auth/login', { body: { email: owner.email, password: PASSWORD } })).toMatchObject(
    { status: 401 },
  );

  const read = await readDecision(token, decisionId);
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
  const filed = await fileAppeal(token, decisionId, 'It offers a walk.', key);
  expect(filed).toMatchObject({ status: 200, body: { success: true, data: { id: decisionId } } });
  const again = await fileAppeal(token, decisionId, 'It offers a walk.', key);
  expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, filed.body, 'true']);
  expect(await fileAppeal(token, decisionId, 'Something else.', key)).toMatchObject({
    status: 422,
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
  expect(await fileAppeal(token, decisionId)).toMatchObject({ status: 409, body: { code: 'ALREADY_APPEALED' } });
  expect(statementOf(await readDecision(token, decisionId, filed))).toMatchObject({
    appealableUntil: null,
    appeal: { text: 'It offers a walk.', outcome: null },
  });
  expect((await recording.commands.load(moderationCase, caseId)).state?.appeal).toMatchObject({
    decisionId,
    accountId: owner.user.id,
  });

  expect(await actOnCase(mona, caseId, 'claim')).toMatchObject({ status: 403, body: { code: 'ANOTHER_MODERATOR' } });
  const granted = await decideAppeal({ owner, caseId, decisionId, ...rest }, 'overturned', 'A walk is what it says.');
  expect(linkIn((await mailboxes.waitForMail(owner.email, 'Your appeal')).text)).toEqual([decisionId, token]);
  expect(statementOf(await readDecision(token, decisionId, granted))).toMatchObject({
    isInForce: false,
    appeal: { outcome: 'overturned', facts: 'A walk is what it says.' },
  });
  expect(await api.call('POST', '/api/auth/login', { body: { email: owner.email, password: PASSWORD } })).toMatchObject(
    { status: 401 },
  );
  const newAccount = await api.signUp('provider', { email: owner.email });
  expect((await api.call('GET', '/api/auth/profile', { token: newAccount.token })).status).toBe(200);
});

test('a rejected appeal does not affect a new account with the same address and its ad', async () => {
  const closed = await createClosedAccount('account');
  await fileAppeal(closed.token, closed.decisionId);
  const newAccount = await api.signUp('provider', { email: closed.owner.email });
  const { id } = await api.postAd(newAccount.token);
  const rejected = await decideAppeal(closed, 'upheld', 'It is forbidden all the same.');
  await mailboxes.waitForMail(closed.owner.email, 'Your appeal');
  expect(
    await api.call('GET', `/api/ads/${id}`, {
      headers: after(rejected),
    }),
  ).toMatchObject({ status: 200 });
  expect((await api.call('GET', '/api/auth/profile', { token: newAccount.token })).status).toBe(200);
  expect(statementOf(await readDecision(closed.token, closed.decisionId, rejected))).toMatchObject({
    isInForce: true,
    appeal: { outcome: 'upheld' },
  });
  // The mailbox may have a new owner. The new session therefore shows nothing about the closed account.
  expect(
    await api.call('GET', `/api/account/decisions/${closed.decisionId}`, { token: newAccount.token }),
  ).toMatchObject({ status: 404, body: { code: 'DECISION_NOT_FOUND' } });
});

describe('a statement token', () => {
  let closed: ClosedAccount;
  let other: ClosedAccount;
  beforeAll(async () => {
    closed = await createClosedAccount();
    other = await createClosedAccount();
  });

  test.each<[string, () => string]>([
    ['of another decision', () => other.token],
    ['of another installation', () => createStatementTokens('00'.repeat(32)).issue(closed.decisionId)],
    ['that is truncated', () => closed.token.slice(0, -1)],
    ['that is empty', () => ''],
    ['that is malformed', () => 'x'],
  ])('%s returns the response for an unknown decision, with or without a session', async (_, tokenOf) => {
    const unknown = randomUUID();
    const [wrong, reader] = [tokenOf(), closed.owner.token];
    const unknownResponse = withoutRequestIds(
      await api.call('GET', `/api/account/decisions/${unknown}`, { token: mona.token }),
    );
    expect(unknownResponse).toMatchObject({ status: 404, body: { code: 'DECISION_NOT_FOUND' } });
    expect(withoutRequestIds(await readDecision(wrong, closed.decisionId))).toEqual(unknownResponse);
    expect(withoutRequestIds(await readDecision(tokens.issue(unknown), unknown))).toEqual(unknownResponse);
    expect(
      withoutRequestIds(
        await api.call('GET', `/api/account/decisions/${closed.decisionId}`, {
          token: reader,
          headers: { 'x-statement-token': wrong },
        }),
      ),
    ).toEqual(unknownResponse);
    for (const headers of [{}, { 'idempotency-key': randomUUID() }]) {
      expect(withoutRequestIds(await fileAppeal(wrong, closed.decisionId, 'No.', headers))).toMatchObject({
        status: 404,
        body: { code: 'DECISION_NOT_FOUND' },
      });
    }
    expect((await recording.commands.load(moderationCase, closed.caseId)).state?.appeal).toBeNull();
  });

  test('takes precedence over any session and gives access to nothing else', async () => {
    const withBoth = { token: mona.token, headers: { 'x-statement-token': closed.token } };
    expect(await api.call('GET', `/api/account/decisions/${closed.decisionId}`, withBoth)).toMatchObject({
      status: 200,
      body: { data: { id: closed.decisionId } },
    });
    expect(await api.call('GET', `/api/account/decisions/${closed.decisionId}`, { token: mona.token })).toMatchObject({
      status: 404,
    });
    for (const path of ['/account/decisions', '/auth/profile', '/account/export', '/ads/user']) {
      expect(
        await api.call('GET', `/api${path}`, { headers: { 'x-statement-token': closed.token } }),
        path,
      ).toMatchObject({ status: 401 });
    }
  });

  test('is not accepted in the query', async () => {
    expect(await api.call('GET', `/api/account/decisions/${closed.decisionId}?token=${closed.token}`)).toMatchObject({
      status: 401,
    });
  });

  test('still gives access to the decision after the appeal period', async () => {
    const owner = await recording.member({ userType: 'provider' });
    const subject: Subject = { kind: 'account', id: owner.user.id };
    const caseId = toCaseId(subject);
    const target = {
      subject,
      ownerId: owner.user.id,
      evidence: { stream: toStreamId(account, owner.user.id), revision: 0 },
    };
    const now = new Date(Date.now() - 31 * DAY_ms).toISOString();
    const decision = {
      moderatorId: mona.user.id,
      outcome: 'account_closed',
      rule: 'illegal',
      facts: FACTS,
      wasHidden: false,
    } as const;
    const { state } = await recording.commands.execute(
      moderationCase,
      caseId,
      decideWithoutReport,
      { ...target, ...decision },
      TEST_ORIGIN,
      { now },
    );
    const decisionId = state?.decision?.decisionId ?? '';
    const token = tokens.issue(decisionId);
    await expect.poll(async () => (await readDecision(token, decisionId)).status).toBe(200);
    expect(statementOf(await readDecision(token, decisionId))).toMatchObject({
      appealableUntil: null,
      appeal: null,
      facts: FACTS,
    });
    expect(await fileAppeal(token, decisionId)).toMatchObject({ status: 409, body: { code: 'APPEAL_OVER' } });
  });

  test('still gives access after a rebuild of the decisions', async () => {
    const projection = '/api/admin/projections/decisions';
    const stateOf = async () => {
      const { body } = await api.call('GET', '/api/admin/projections', { token: admin.token });
      return (body['data'] as readonly ProjectionView[]).find(({ name }) => name === 'decisions')?.rebuild?.state;
    };
    await api.call('POST', `${projection}/rebuild`, { token: admin.token });
    await expect.poll(stateOf).toBe('ready');
    await api.call('POST', `${projection}/swap`, { token: admin.token });
    await expect.poll(stateOf).toBe('swapped');
    expect(statementOf(await readDecision(other.token, other.decisionId))).toMatchObject({
      facts: FACTS,
      outcome: 'account_closed',
    });
  });

  test('of an erased person gives no access and accepts no appeal', async () => {
    const erased = await createClosedAccount();
    expect(
      await api.call('POST', `/api/admin/users/${erased.owner.user.id}/erasure`, {
        token: admin.token,
        body: { reason: 'On request' },
      }),
    ).toMatchObject({ status: 202 });
    expect(await fileAppeal(erased.token, erased.decisionId)).toMatchObject({
      status: 404,
      body: { code: 'DECISION_NOT_FOUND' },
    });
    await expect.poll(async () => (await readDecision(erased.token, erased.decisionId)).status).toBe(404);
    expect(await fileAppeal(erased.token, erased.decisionId)).toMatchObject({
      status: 404,
      body: { code: 'DECISION_NOT_FOUND' },
    });
    expect(await readDecision(other.token, other.decisionId)).toMatchObject({ status: 200 });
  });
});

test('the log contains no statement token at level trace', async () => {
  const closed = await createClosedAccount();
  await mailboxes.waitForMail(closed.owner.email, 'About your account');
  const wrong = tokens.issue(randomUUID());
  for (const token of [wrong, closed.token]) {
    await readDecision(token, closed.decisionId);
    await fileAppeal(token, closed.decisionId, 'No.', { 'idempotency-key': randomUUID() });
    await fileAppeal(token, closed.decisionId, '');
    await api.call('GET', `/api/account/decisions/${closed.decisionId}?token=${token}`);
    await api.call('GET', `/api/account/decisions/${token}`);
    await fetch(`${product.url}/decisions/${closed.decisionId}?token=${token}`);
  }
  expect(
    lines.filter((line) => line.includes('"msg":"request"') && line.includes('/account/decisions/')).length,
  ).toBeGreaterThan(5);
  for (const secret of [wrong, closed.token])
    expect(lines.filter((line) => line.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
});
