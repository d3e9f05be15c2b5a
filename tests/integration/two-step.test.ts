import { generateSync } from 'otplib';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiClient, PASSWORD, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { watchShown } from '../support/shown-elsewhere.ts';

/** Two-step sign-in and roles over the API, on an installation that asks its staff for it (decision 0038). */
const shown = watchShown('two-step.test.ts');
let product: TestProduct;
let api: ApiClient;
let recording: Recording;
let pool: Pool;

beforeAll(async () => {
  product = await startTestProduct({ staffTwoStep: true });
  api = apiClient(product.url);
  recording = await openRecording(product);
  pool = new Pool({ connectionString: product.databaseUrl, max: 1 });
  // Only the clock is held, so that a code is of this step however long a request takes.
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(async () => {
  vi.useRealTimers();
  shown.stop();
  await pool?.end();
  await recording?.close();
  await product?.stop();
});

const STEP_s = 30;
/** A code of the app, of the step so many after this one: the product takes the one before, this one and the next. */
const codeOf = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * STEP_s });
const post = (token: string, path: string, body: unknown) =>
  api.call('POST', `/api/auth/two-step/${path}`, { token, body });
const logIn = (email: string, code?: string) =>
  api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD, ...(code !== undefined && { code }) } });
const standing = async (token: string) => (await api.call('GET', '/api/auth/two-step', { token })).body['data'];
const refusal = (status: number, code: string, message: string) => ({ status, body: { code, error: message } });

/** Sets it up as somebody does; the code of the step before is used up. */
async function setUp(token: string): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] }> {
  const begun = await post(token, 'setup', { password: PASSWORD });
  const { secret } = begun.body['data'] as { secret: string };
  const confirmed = await post(token, 'confirm', { code: codeOf(secret, -1) });
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
  return { secret, ...(confirmed.body['data'] as { recoveryCodes: string[] }) };
}

describe('setting it up', () => {
  let person: Person;
  let secret: string;
  beforeAll(async () => {
    person = await api.signUp('client');
  });

  test('takes the password', async () => {
    expect(await post(person.token, 'setup', { password: 'wrong horse' })).toMatchObject(
      refusal(400, 'WRONG_PASSWORD', 'The current password is not right'),
    );
  });
  test('tells a secret that asks for nothing yet', async () => {
    const begun = await post(person.token, 'setup', { password: PASSWORD });
    expect(begun).toMatchObject({ status: 200, body: { success: true } });
    expect(begun.headers.get('cache-control')).toBe('no-store');
    const data = begun.body['data'] as { secret: string; uri: string };
    expect(new URL(data.uri).searchParams.get('secret')).toBe(data.secret);
    secret = data.secret;
    expect((await logIn(person.email)).status).toBe(200);
    expect(await standing(person.token)).toEqual({
      enabled: false,
      required: false,
      passed: false,
      recoveryCodesLeft: 0,
    });
  });
  test('is finished by a code of the app alone', async () => {
    expect(await post(person.token, 'confirm', { code: codeOf(secret, 10) })).toMatchObject(
      refusal(400, 'TWO_STEP_CODE_WRONG', 'This code is not right, or was used already'),
    );
    const confirmed = await post(person.token, 'confirm', { code: codeOf(secret, -1) });
    expect(confirmed.status).toBe(200);
    expect((confirmed.body['data'] as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);
    expect(await standing(person.token)).toEqual({
      enabled: true,
      required: false,
      passed: true,
      recoveryCodesLeft: 10,
    });
    expect(
      ((await api.call('GET', '/api/auth/profile', { token: person.token })).body['user'] as { twoStep: boolean })
        .twoStep,
    ).toBe(true);
    expect(await post(person.token, 'setup', { password: PASSWORD })).toMatchObject(
      refusal(409, 'TWO_STEP_IS_ON', 'Two-step sign-in is on already'),
    );
    expect(await post(person.token, 'confirm', { code: codeOf(secret) })).toMatchObject({
      status: 409,
      body: { code: 'TWO_STEP_IS_ON' },
    });
  });
  test('keeps neither the secret nor a recovery code in clear', async () => {
    const { rows } = await pool.query<{ line: string }>(`select e::text as line from es.events e where e.stream = $1`, [
      `account-${person.user.id}`,
    ]);
    const kept = rows.map(({ line }) => line).join('\n');
    expect(kept).toContain('TwoStepEnabled');
    expect(kept).not.toContain(secret);
  });
  test('needs a verified address', async () => {
    const unverified = await api.signUp('client', { verify: false });
    expect(await post(unverified.token, 'setup', { password: PASSWORD })).toMatchObject({
      status: 403,
      body: { code: 'VERIFICATION_REQUIRED' },
    });
  });
});

describe('signing in', () => {
  let person: Person;
  let secret: string;
  let recoveryCodes: readonly string[];
  beforeAll(async () => {
    person = await api.signUp('client');
    ({ secret, recoveryCodes } = await setUp(person.token));
  });

  test('asks for a code once the password is right, and says nothing of it before', async () => {
    expect(await logIn(person.email)).toMatchObject(
      refusal(401, 'TWO_STEP_CODE_REQUIRED', 'Please enter the code of your authenticator app'),
    );
    const wrong = await api.call('POST', '/api/auth/login', {
      body: { email: person.email, password: 'wrong horse', code: codeOf(secret) },
    });
    expect(wrong).toMatchObject(refusal(401, 'LOGIN_FAILED', 'Login failed'));
  });
  test('takes a code once', async () => {
    const code = codeOf(secret);
    const first = await logIn(person.email, code);
    expect(first).toMatchObject({ status: 200, body: { user: { twoStep: true } } });
    expect(await standing(first.body['token'] as string)).toMatchObject({ passed: true });
    expect(await logIn(person.email, code)).toMatchObject(
      refusal(401, 'TWO_STEP_FAILED', 'Login failed: this code is not right, or was used already'),
    );
  });
  test('of two at once with one code, one gets in', async () => {
    const code = codeOf(secret, 1);
    const statuses = (await Promise.all([logIn(person.email, code), logIn(person.email, code)])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 401]);
  });
  test('takes each recovery code once, however it is written', async () => {
    const [code = ''] = recoveryCodes;
    const signedIn = await logIn(person.email, code.toUpperCase().replaceAll('-', ' '));
    expect(signedIn.status).toBe(200);
    expect(await standing(signedIn.body['token'] as string)).toMatchObject({ recoveryCodesLeft: 9, passed: true });
    expect(await logIn(person.email, code)).toMatchObject({ status: 401, body: { code: 'TWO_STEP_FAILED' } });
  });
  test('a code that can be none is said to be so', async () => {
    expect(await logIn(person.email, '12345')).toMatchObject({ status: 400, body: { code: 'INVALID_FIELDS' } });
  });
  test('is as before once it is switched off, which takes password and code', async () => {
    const [, second = '', third = ''] = recoveryCodes;
    expect(await post(person.token, 'disable', { password: 'wrong horse', code: second })).toMatchObject({
      status: 400,
      body: { code: 'WRONG_PASSWORD' },
    });
    expect(await post(person.token, 'disable', { password: PASSWORD, code: '000000' })).toMatchObject({
      status: 400,
      body: { code: 'TWO_STEP_CODE_WRONG' },
    });
    expect((await post(person.token, 'disable', { password: PASSWORD, code: second })).status).toBe(200);
    expect((await post(person.token, 'disable', { password: PASSWORD, code: third })).status).toBe(200);
    expect((await logIn(person.email)).status).toBe(200);
    expect(await standing(person.token)).toMatchObject({ enabled: false, passed: false });
  });
});

test('wrong codes make logins wait as wrong passwords do', async () => {
  const limited = await startTestProduct({ rateLimits: true });
  try {
    const other = apiClient(limited.url);
    const person = await other.signUp('client');
    const begun = await other.call('POST', '/api/auth/two-step/setup', {
      token: person.token,
      body: { password: PASSWORD },
    });
    const { secret } = begun.body['data'] as { secret: string };
    await other.call('POST', '/api/auth/two-step/confirm', { token: person.token, body: { code: codeOf(secret) } });
    const tries: Answer[] = [];
    for (let i = 0; i < 7; i++)
      tries.push(
        await other.call('POST', '/api/auth/login', {
          body: { email: person.email, password: PASSWORD, code: '000000' },
        }),
      );
    expect(tries[0]).toMatchObject({ status: 401, body: { code: 'TWO_STEP_FAILED' } });
    expect(tries.at(-1)).toMatchObject({ status: 429, body: { code: 'LOGIN_DELAYED' } });
  } finally {
    await limited.stop();
  }
});

describe('roles', () => {
  const REFUSED = refusal(403, 'TWO_STEP_NOT_SET_UP', 'Please set up two-step sign-in first');
  const hidden = (token: string) => api.call('GET', '/api/admin/community/hidden', { token });
  const users = (token: string) => api.call('GET', '/api/admin/users', { token });
  let admin: Person;

  beforeAll(async () => {
    admin = await api.signUp('client', { email: 'admin@example.com' });
  });
  const setRole = (id: string, role: string | null, token = admin.token, reason: unknown = 'Helps us') =>
    api.call('PUT', `/api/admin/users/${id}/role`, { token, body: { role, reason } });

  test('wait for two-step sign-in', async () => {
    const moderator = await recording.member({ role: 'moderator' });
    expect(await standing(admin.token)).toEqual({
      enabled: false,
      required: true,
      passed: false,
      recoveryCodesLeft: 0,
    });
    expect(await users(admin.token)).toMatchObject(REFUSED);
    expect(await hidden(admin.token)).toMatchObject(REFUSED);
    expect(await hidden(moderator.token)).toMatchObject(REFUSED);
    expect(await users(moderator.token)).toMatchObject({ status: 403, body: { code: 'ONLY_ADMINS' } });
    const before = await api.call('POST', '/api/auth/login', { body: { email: admin.email, password: PASSWORD } });

    const { recoveryCodes } = await setUp(admin.token);
    expect((await users(admin.token)).status).toBe(200);
    // A session from before was opened with the password alone.
    expect(await users(before.body['token'] as string)).toMatchObject(REFUSED);
    const after = await logIn(admin.email, recoveryCodes[0]);
    expect((await users(after.body['token'] as string)).status).toBe(200);
    const refreshed = await api.call('POST', '/api/auth/refresh', { token: after.body['token'] as string });
    expect((await users(refreshed.body['token'] as string)).status).toBe(200);
  });
  test('are withheld where moderators see more than others, too', async () => {
    const author = await recording.member();
    const started = await api.call('POST', '/api/community/threads', {
      token: author.token,
      body: { state: 'NV', city: 'Reno', title: 'A quiet place', body: 'Which one?' },
    });
    const { id } = started.body['data'] as { id: string };
    const moderator = await recording.member({ role: 'moderator' });
    const thread = `/api/community/threads/${id}`;
    expect(
      (
        await api.call('PUT', `/api/admin/community/threads/${id}/locked`, {
          token: admin.token,
          body: { locked: true },
        })
      ).status,
    ).toBe(200);
    const reply = () => api.call('POST', `${thread}/replies`, { token: moderator.token, body: { body: 'Here.' } });
    expect(await reply()).toMatchObject({ status: 409, body: { code: 'THREAD_LOCKED' } });
    await setUp(moderator.token);
    expect((await reply()).status).toBe(201);
  });
  test('are granted and withdrawn by an admin, with a reason that is sealed in the event', async () => {
    const person = await api.signUp('client');
    await setUp(person.token);
    expect(await hidden(person.token)).toMatchObject({ status: 403, body: { code: 'ONLY_MODERATORS' } });
    const granted = await setRole(person.user.id, 'moderator', admin.token, 'Known for years');
    expect(granted).toMatchObject({ status: 200, body: { success: true, message: 'Role granted' } });
    expect((await hidden(person.token)).status).toBe(200);
    expect(await users(person.token)).toMatchObject({ status: 403, body: { code: 'ONLY_ADMINS' } });
    expect((await setRole(person.user.id, 'admin')).status).toBe(200);
    expect((await users(person.token)).status).toBe(200);
    expect(await setRole(person.user.id, null)).toMatchObject({ status: 200, body: { message: 'Role withdrawn' } });
    expect(await hidden(person.token)).toMatchObject({ status: 403, body: { code: 'ONLY_MODERATORS' } });

    const { rows } = await pool.query<{ type: string; line: string; actor: string }>(
      `select type, e::text as line, meta->'actor'->>'accountId' as actor from es.events e where stream = $1 and type like 'Role%' order by revision`,
      [`account-${person.user.id}`],
    );
    expect(rows.map(({ type, actor }) => [type, actor])).toEqual([
      ['RoleGranted', admin.user.id],
      ['RoleGranted', admin.user.id],
      ['RoleWithdrawn', admin.user.id],
    ]);
    expect(rows[0]?.line).not.toContain('Known for years');
  });
  test('are not one’s own to change, nor without a reason, nor of nobody', async () => {
    expect(await setRole(admin.user.id, null)).toMatchObject(
      refusal(409, 'OWN_ROLE', 'Admins cannot change their own role'),
    );
    const person = await api.signUp('client');
    for (const reason of [null, '', 'x', 'x'.repeat(501)])
      expect((await setRole(person.user.id, 'admin', admin.token, reason)).status).toBe(400);
    expect((await setRole(person.user.id, 'owner')).status).toBe(400);
    expect(await setRole('unknown', 'admin')).toMatchObject({ status: 404, body: { code: 'USER_NOT_FOUND' } });
  });
});

test('everything these answers may say was said', () => expect(shown.missing()).toEqual([]));
