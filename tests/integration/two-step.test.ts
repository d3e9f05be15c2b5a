import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiClient, PASSWORD, type ApiResponse, type Person } from '../support/api.ts';
import { startTestProduct } from '../support/product.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

/**
 * Tests two-step login and staff roles over the API. Staff must use two-step login in this installation
 * (decision 0038).
 */
const coverage = watchResponseProperties('two-step.test.ts');
const product = testProduct({ staffTwoStep: true });
const api = testApi(product);
const recording = testRecording(product);
const pool = testPool(product, 1);

beforeAll(async () => {
  // Stops only the clock, so that a code stays valid even if a request takes long.
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(async () => {
  vi.useRealTimers();
  coverage.stop();
});

const STEP_s = 30;
/**
 * Returns the code that the authenticator app shows, `steps` time steps from now. The product accepts the
 * codes of the previous, the current and the next step.
 */
const codeOf = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * STEP_s });
const post = (token: string, path: string, body: unknown) =>
  api.call('POST', `/api/auth/two-step/${path}`, { token, body });
const logIn = (email: string, code?: string) =>
  api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD, ...(code !== undefined && { code }) } });
const readTwoStepStatus = async (token: string) =>
  (await api.call('GET', '/api/auth/two-step', { token })).body['data'];
const errorResponse = (status: number, code: string, message: string) => ({ status, body: { code, error: message } });

/**
 * Sets up two-step login like a user. The product accepts each code only once, and the set-up uses the code of the
 * previous time step.
 */
async function setUp(token: string): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] }> {
  const begun = await post(token, 'setup', { password: PASSWORD });
  const { secret } = begun.body['data'] as { secret: string };
  const confirmed = await post(token, 'confirm', { code: codeOf(secret, -1) });
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
  return { secret, ...(confirmed.body['data'] as { recoveryCodes: string[] }) };
}

describe('setting up two-step login', () => {
  let person: Person;
  let secret: string;
  beforeAll(async () => {
    person = await api.signUp('client');
  });

  test('requires the password', async () => {
    expect(await post(person.token, 'setup', { password: 'wrong horse' })).toMatchObject(
      errorResponse(400, 'WRONG_PASSWORD', 'The current password is incorrect'),
    );
  });
  test('returns a secret, which has no effect on logins yet', async () => {
    const begun = await post(person.token, 'setup', { password: PASSWORD });
    expect(begun).toMatchObject({ status: 200, body: { success: true } });
    expect(begun.headers.get('cache-control')).toBe('no-store');
    const data = begun.body['data'] as { secret: string; uri: string };
    expect(new URL(data.uri).searchParams.get('secret')).toBe(data.secret);
    secret = data.secret;
    expect((await logIn(person.email)).status).toBe(200);
    expect(await readTwoStepStatus(person.token)).toEqual({
      enabled: false,
      required: false,
      passed: false,
      recoveryCodesLeft: 0,
    });
  });
  test('is completed only by a code of the app', async () => {
    expect(await post(person.token, 'confirm', { code: codeOf(secret, 10) })).toMatchObject(
      errorResponse(400, 'TWO_STEP_CODE_WRONG', 'This code is wrong or was already used'),
    );
    const confirmed = await post(person.token, 'confirm', { code: codeOf(secret, -1) });
    expect(confirmed.status).toBe(200);
    expect((confirmed.body['data'] as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);
    expect(await readTwoStepStatus(person.token)).toEqual({
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
      errorResponse(409, 'TWO_STEP_IS_ON', 'Two-step login is already on'),
    );
    expect(await post(person.token, 'confirm', { code: codeOf(secret) })).toMatchObject({
      status: 409,
      body: { code: 'TWO_STEP_IS_ON' },
    });
  });
  test('stores neither the secret nor a recovery code as clear text', async () => {
    const { rows } = await pool.query<{ line: string }>(`select e::text as line from es.events e where e.stream = $1`, [
      `account-${person.user.id}`,
    ]);
    const storedEvents = rows.map(({ line }) => line).join('\n');
    expect(storedEvents).toContain('TwoStepEnabled');
    expect(storedEvents).not.toContain(secret);
  });
});

describe('signing in with two steps', () => {
  let person: Person;
  let secret: string;
  let recoveryCodes: readonly string[];
  beforeAll(async () => {
    person = await api.signUp('client');
    ({ secret, recoveryCodes } = await setUp(person.token));
  });

  test('requires a code after the right password, and does not mention it before', async () => {
    expect(await logIn(person.email)).toMatchObject(
      errorResponse(401, 'TWO_STEP_CODE_REQUIRED', 'Please enter the code from your authenticator app'),
    );
    const wrong = await api.call('POST', '/api/auth/login', {
      body: { email: person.email, password: 'wrong horse', code: codeOf(secret) },
    });
    expect(wrong).toMatchObject(errorResponse(401, 'LOGIN_FAILED', 'Login failed'));
  });
  test('accepts a code once', async () => {
    const code = codeOf(secret);
    const first = await logIn(person.email, code);
    expect(first).toMatchObject({ status: 200, body: { user: { twoStep: true } } });
    expect(await readTwoStepStatus(first.body['token'] as string)).toMatchObject({ passed: true });
    expect(await logIn(person.email, code)).toMatchObject(
      errorResponse(401, 'TWO_STEP_FAILED', 'Login failed: this code is wrong or was already used'),
    );
  });
  test('accepts one of two parallel logins with the same code', async () => {
    const code = codeOf(secret, 1);
    const statuses = (await Promise.all([logIn(person.email, code), logIn(person.email, code)])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 401]);
  });
  test('accepts each recovery code once, in any notation', async () => {
    const [code = ''] = recoveryCodes;
    const signedIn = await logIn(person.email, code.toUpperCase().replaceAll('-', ' '));
    expect(signedIn.status).toBe(200);
    expect(await readTwoStepStatus(signedIn.body['token'] as string)).toMatchObject({
      recoveryCodesLeft: 9,
      passed: true,
    });
    expect(await logIn(person.email, code)).toMatchObject({ status: 401, body: { code: 'TWO_STEP_FAILED' } });
  });
  test('needs no code after two-step login is disabled, which requires password and code', async () => {
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
    expect(await readTwoStepStatus(person.token)).toMatchObject({ enabled: false, passed: false });
  });
});

test('wrong codes delay logins like wrong passwords', async () => {
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
    const responses: ApiResponse[] = [];
    for (let i = 0; i < 7; i++)
      responses.push(
        await other.call('POST', '/api/auth/login', {
          body: { email: person.email, password: PASSWORD, code: '000000' },
        }),
      );
    expect(responses[0]).toMatchObject({ status: 401, body: { code: 'TWO_STEP_FAILED' } });
    expect(responses.at(-1)).toMatchObject({ status: 429, body: { code: 'LOGIN_DELAYED' } });
  } finally {
    await limited.stop();
  }
});

describe('staff roles', () => {
  const NOT_SET_UP = errorResponse(403, 'TWO_STEP_NOT_SET_UP', 'Please set up two-step login first');
  const listHiddenPosts = (token: string) => api.call('GET', '/api/admin/community/hidden', { token });
  const listUsers = (token: string) => api.call('GET', '/api/admin/users', { token });
  let admin: Person;

  beforeAll(async () => {
    admin = await api.signUp('client', { email: 'admin@example.com' });
  });
  const setRole = (id: string, role: string | null, token = admin.token, reason: unknown = 'Helps us') =>
    api.call('PUT', `/api/admin/users/${id}/role`, { token, body: { role, reason } });

  test('require two-step login', async () => {
    const moderator = await recording.member({ role: 'moderator' });
    expect(await readTwoStepStatus(admin.token)).toEqual({
      enabled: false,
      required: true,
      passed: false,
      recoveryCodesLeft: 0,
    });
    expect(await listUsers(admin.token)).toMatchObject(NOT_SET_UP);
    expect(await listHiddenPosts(admin.token)).toMatchObject(NOT_SET_UP);
    expect(await listHiddenPosts(moderator.token)).toMatchObject(NOT_SET_UP);
    expect(await listUsers(moderator.token)).toMatchObject({ status: 403, body: { code: 'ONLY_ADMINS' } });
    const before = await api.call('POST', '/api/auth/login', { body: { email: admin.email, password: PASSWORD } });

    const { recoveryCodes } = await setUp(admin.token);
    expect((await listUsers(admin.token)).status).toBe(200);
    // The earlier session was opened without a two-step code, so it has ended.
    expect((await listUsers(before.body['token'] as string)).status).toBe(401);
    const after = await logIn(admin.email, recoveryCodes[0]);
    expect((await listUsers(after.body['token'] as string)).status).toBe(200);
    const refreshed = await api.call('POST', '/api/auth/refresh', { token: after.body['token'] as string });
    expect((await listUsers(refreshed.body['token'] as string)).status).toBe(200);
  });
  test('give no additional rights in a thread before two-step login is set up', async () => {
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
    expect(await listHiddenPosts(person.token)).toMatchObject({ status: 403, body: { code: 'ONLY_MODERATORS' } });
    const granted = await setRole(person.user.id, 'moderator', admin.token, 'Known for years');
    expect(granted).toMatchObject({ status: 200, body: { success: true, message: 'Role granted' } });
    expect((await listHiddenPosts(person.token)).status).toBe(200);
    expect(await listUsers(person.token)).toMatchObject({ status: 403, body: { code: 'ONLY_ADMINS' } });
    expect((await setRole(person.user.id, 'admin')).status).toBe(200);
    expect((await listUsers(person.token)).status).toBe(200);
    expect(await setRole(person.user.id, null)).toMatchObject({ status: 200, body: { message: 'Role withdrawn' } });
    expect(await listHiddenPosts(person.token)).toMatchObject({ status: 403, body: { code: 'ONLY_MODERATORS' } });

    const { rows } = await pool.query<{ type: string; line: string; actor: string }>(
      `select type, e::text as line, meta->'actor'->>'accountId' as actor
         from es.events e
        where stream = $1 and type like 'Role%'
        order by revision`,
      [`account-${person.user.id}`],
    );
    expect(rows.map(({ type, actor }) => [type, actor])).toEqual([
      ['RoleGranted', admin.user.id],
      ['RoleGranted', admin.user.id],
      ['RoleWithdrawn', admin.user.id],
    ]);
    expect(rows[0]?.line).not.toContain('Known for years');
  });
  test('cannot be changed for oneself, without a reason, or for an unknown account', async () => {
    expect(await setRole(admin.user.id, null)).toMatchObject(
      errorResponse(409, 'OWN_ROLE', 'Admins cannot change their own role'),
    );
    const person = await api.signUp('client');
    for (const reason of [null, '', 'x', 'x'.repeat(501)])
      expect((await setRole(person.user.id, 'admin', admin.token, reason)).status).toBe(400);
    expect((await setRole(person.user.id, 'owner')).status).toBe(400);
    expect(await setRole('unknown', 'admin')).toMatchObject({ status: 404, body: { code: 'USER_NOT_FOUND' } });
  });
});

test('every documented property occurs in the responses of this file', () => expect(coverage.missing()).toEqual([]));
