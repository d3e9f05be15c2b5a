import { randomUUID } from 'node:crypto';
import { account } from '@alpenglow/domain';
import { clearVerification } from '@alpenglow/domain/deciders';
import { describe, expect, test } from 'vitest';
import { error, PASSWORD, validAd } from '../support/api.ts';
import { TEST_ORIGIN, openRecording } from '../support/recording.ts';
import { testApi, testMailboxes, testProduct } from '../support/fixtures.ts';

// Tests accounts and sessions over HTTP.
const product = testProduct();
const api = testApi(product);
const mailboxes = testMailboxes(product);

const OTHER_PASSWORD = 'another horse';
const RESET_SUBJECT = 'Reset your';

const uniqueEmail = () => `${randomUUID()}@example.com`;
const wrongCodeFor = (code: string) => (code === '000000' ? '000001' : '000000');

const post = (path: string, body?: unknown, token?: string) =>
  api.call('POST', `/api/auth/${path}`, { ...(body !== undefined && { body }), ...(token !== undefined && { token }) });
const signUp = (changes: Record<string, unknown> = {}) =>
  post('signup', {
    email: uniqueEmail(),
    password: PASSWORD,
    userType: 'provider',
    displayName: 'New',
    age: 18,
    ...changes,
  });
const logIn = (email: string, password = PASSWORD) => post('login', { email, password });
const isSessionValid = async (token: string) => (await post('verify', undefined, token)).status === 200;
const tokenOf = ({ body }: { body: Readonly<Record<string, unknown>> }) => body['token'] as string;

/** Requests a password reset and returns the code from the mail. */
async function requestResetCode(email: string): Promise<string> {
  expect((await post('forgot-password', { email })).status).toBe(200);
  return mailboxes.waitForCode(email, RESET_SUBJECT);
}

/** Clears the verification code of an account, so that a new code can be requested without the usual wait. */
async function clearCode(accountId: string): Promise<void> {
  const recording = await openRecording(product);
  await recording.commands.execute(account, accountId, clearVerification, { reason: null }, TEST_ORIGIN);
  await recording.close();
}

describe('POST /auth/signup', () => {
  test('returns user, token, verificationCode, message and verificationRequired', async () => {
    const email = uniqueEmail();
    const response = await signUp({ email: ` ${email.toUpperCase()}` });
    expect(response).toMatchObject({
      status: 201,
      body: {
        success: true,
        token: expect.stringMatching(/^[\w-]{43}$/u) as string,
        verificationCode: expect.stringMatching(/^\d{6}$/u) as string,
        verificationRequired: true,
        message: 'Account created. Please verify your e-mail.',
        user: {
          email,
          userType: 'provider',
          isProvider: true,
          verified: false,
          isEmailVerified: false,
          isAdmin: false,
          canPostAds: false,
          displayName: 'New',
          age: 18,
        },
      },
    });
    expect(JSON.stringify(response.body)).not.toMatch(/argon2|correct horse/u);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
  test('ignores flags that only the server sets, such as isAdmin and verified', async () => {
    expect(
      (await signUp({ isAdmin: true, verified: true, isEmailVerified: true, canPostAds: true })).body['user'],
    ).toMatchObject({ isAdmin: false, verified: false, isEmailVerified: false, canPostAds: false });
  });
  test('creates one account for twenty concurrent sign-ups with the same address and password', async () => {
    const email = uniqueEmail();
    const responses = await Promise.all(Array.from({ length: 20 }, () => signUp({ email })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => (body['user'] as { id: string }).id)).size).toBe(1);
  });
  test('mails the owner of an address about another sign-up with that address', async () => {
    const { email } = await api.signUp('client');
    await signUp({ email, password: OTHER_PASSWORD });
    const mail = await mailboxes.waitForMail(email, 'You already have an account');
    expect(mail.text).not.toMatch(/\d{6}/u);
  });
});

describe('POST /auth/login', () => {
  test('returns user and token', async () => {
    const { email, user } = await api.signUp('client');
    expect(await logIn(email.toUpperCase())).toMatchObject({
      status: 200,
      body: {
        success: true,
        user: { email, id: user.id, isEmailVerified: true },
        token: expect.any(String) as string,
        verificationRequired: false,
      },
    });
  });
  test("returns 'Login failed' for a wrong password and for an unknown address", async () => {
    const { email } = await api.signUp('client');
    expect(await logIn(email, 'wrong horse')).toMatchObject({
      status: 401,
      body: error('LOGIN_FAILED', 'Login failed'),
    });
    expect(await logIn(uniqueEmail())).toMatchObject({ status: 401, body: error('LOGIN_FAILED', 'Login failed') });
  });
});

describe('POST /auth/verify', () => {
  test('returns the user of the session', async () => {
    const { token, email } = await api.signUp('client');
    expect(await post('verify', undefined, token)).toMatchObject({
      status: 200,
      body: { success: true, user: { email } },
    });
  });
  test.each(['x', 'a'.repeat(43), '%00', 'a'.repeat(5000)])(
    "returns 'Token verification failed' for the token %j",
    async (token) => {
      expect(await post('verify', undefined, token)).toMatchObject({
        status: 401,
        body: error('TOKEN_VERIFICATION_FAILED', 'Token verification failed'),
      });
    },
  );
});

describe('POST /auth/logout', () => {
  test('ends only the current session', async () => {
    const { token, email } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    expect((await post('logout', undefined, token)).status).toBe(200);
    expect(await isSessionValid(token)).toBe(false);
    expect(await isSessionValid(other)).toBe(true);
    expect(await post('logout', undefined, token)).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
});

describe('POST /auth/refresh', () => {
  test('returns a new token and the user, and revokes the old token', async () => {
    const { token, email } = await api.signUp('client');
    const refreshed = await post('refresh', undefined, token);
    expect(refreshed).toMatchObject({
      status: 200,
      body: { success: true, user: { email }, token: expect.stringMatching(/^[\w-]{43}$/u) as string },
    });
    expect(await isSessionValid(token)).toBe(false);
    expect(await isSessionValid(tokenOf(refreshed))).toBe(true);
  });
  test('accepts one of several concurrent requests with the same token', async () => {
    const { token } = await api.signUp('client');
    const responses = await Promise.all(Array.from({ length: 5 }, () => post('refresh', undefined, token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });
});

describe('POST /auth/verify-email', () => {
  const verify = (email: string, code: string, token?: string) => post('verify-email', { email, code }, token);

  test('returns the user and allows a provider to post ads', async () => {
    const { email, verificationCode, token } = await api.signUp('provider', { verify: false });
    expect(await api.call('POST', '/api/ads', { token, body: validAd })).toMatchObject({
      status: 403,
      body: error('VERIFICATION_REQUIRED', 'Please verify your e-mail first'),
    });
    expect(await verify(email, verificationCode, token)).toMatchObject({
      status: 200,
      body: { user: { email, isEmailVerified: true, verified: false, canPostAds: true } },
    });
    expect((await post('verify', undefined, token)).body['user']).toMatchObject({ isEmailVerified: true });
    expect((await api.call('POST', '/api/ads', { token, body: validAd })).status).toBe(201);
  });
  test("returns 'Verification failed' for a wrong code, an unknown address and a used code", async () => {
    const { email, verificationCode, token } = await api.signUp('provider', { verify: false });
    const failed = { status: 400, body: error('VERIFICATION_FAILED', 'Verification failed') };
    expect(await verify(email, wrongCodeFor(verificationCode), token)).toMatchObject(failed);
    expect(await verify(uniqueEmail(), verificationCode)).toMatchObject(failed);
    expect((await verify(email, verificationCode, token)).status).toBe(200);
    expect(await verify(email, verificationCode, token)).toMatchObject(failed);
  });
  test('rejects the correct code after five wrong attempts, even concurrent ones', async () => {
    const { email, verificationCode, token } = await api.signUp('provider', { verify: false });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => verify(email, wrongCodeFor(verificationCode), token)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]));
    for (let extra = 0; extra < 5; extra += 1) await verify(email, wrongCodeFor(verificationCode), token);
    expect((await verify(email, verificationCode, token)).status).toBe(400);
  });
  test.each([undefined, null, '', ' ', 5])("returns 'No user email found' for the address %j", async (email) => {
    expect(await post('verify-email', { email, code: '123456' })).toMatchObject({
      status: 400,
      body: error('NO_USER_EMAIL', 'No user email found'),
    });
  });
});

describe('POST /auth/resend-verification', () => {
  test('returns a new verificationCode and a message, and revokes the previous code', async () => {
    const { email, verificationCode, user, token } = await api.signUp('client', { verify: false });
    await clearCode(user.id);
    const resent = await post('resend-verification', { email }, token);
    expect(resent).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: expect.stringContaining('a new code is on its way') as string,
        verificationCode: expect.stringMatching(/^\d{6}$/u) as string,
      },
    });
    const code = resent.body['verificationCode'] as string;
    if (code !== verificationCode)
      expect((await post('verify-email', { email, code: verificationCode }, token)).status).toBe(400);
    expect((await post('verify-email', { email, code }, token)).status).toBe(200);
  });
  test("returns 'No user email found' without an address", async () => {
    expect(await post('resend-verification', {})).toMatchObject({
      status: 400,
      body: error('NO_USER_EMAIL', 'No user email found'),
    });
    expect(await post('resend-verification', { email: ' ' })).toMatchObject({
      status: 400,
      body: error('NO_USER_EMAIL', 'No user email found'),
    });
  });
  test("returns 'Failed to resend verification code' and Retry-After within a minute", async () => {
    const { email, token } = await api.signUp('client', { verify: false });
    const rejected = await post('resend-verification', { email }, token);
    expect(rejected).toMatchObject({
      status: 429,
      body: error('RESEND_TOO_SOON', 'Failed to resend verification code'),
    });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  });
  test('sends no code to a verified address and returns the same response as for an unknown address', async () => {
    const { email, token } = await api.signUp('client');
    const unknown = await post('resend-verification', { email: uniqueEmail() });
    expect((await post('resend-verification', { email }, token)).body).toEqual(unknown.body);
    expect(unknown.body).not.toHaveProperty('verificationCode');
  });
});

describe('GET and PUT /auth/profile', () => {
  const profile = (token: string) => api.call('GET', '/api/auth/profile', { token });
  const update = (token: string, body: unknown) => api.call('PUT', '/api/auth/profile', { token, body });

  test('returns the user', async () => {
    const { token, email } = await api.signUp('client');
    expect(await profile(token)).toMatchObject({
      status: 200,
      body: { success: true, user: { email, displayName: 'Test', age: 30 } },
    });
  });
  test('changes displayName and age separately or together', async () => {
    const { token } = await api.signUp('client');
    expect(await update(token, { displayName: ' Anna B. ' })).toMatchObject({
      status: 200,
      body: { success: true, user: { displayName: 'Anna B.', age: 30 } },
    });
    expect(await update(token, { age: 31 })).toMatchObject({
      status: 200,
      body: { user: { displayName: 'Anna B.', age: 31 } },
    });
    expect(await update(token, {})).toMatchObject({ status: 200, body: { user: { displayName: 'Anna B.', age: 31 } } });
    expect((await profile(token)).body['user']).toMatchObject({ displayName: 'Anna B.', age: 31 });
  });
  test('ignores fields that only the server sets: email, userType, verified and isAdmin', async () => {
    const { token, email } = await api.signUp('client');
    await update(token, {
      email: uniqueEmail(),
      userType: 'provider',
      verified: true,
      isAdmin: true,
      isEmailVerified: false,
    });
    expect((await profile(token)).body['user']).toMatchObject({
      email,
      userType: 'client',
      verified: false,
      isAdmin: false,
      isEmailVerified: true,
    });
  });
});

describe('POST /auth/change-password', () => {
  const change = (token: string, currentPassword = PASSWORD, newPassword = OTHER_PASSWORD) =>
    post('change-password', { currentPassword, newPassword }, token);

  test('ends all sessions of the user except the current one', async () => {
    const { token, email } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    const stranger = await api.signUp('client');
    expect(await change(token)).toMatchObject({ status: 200, body: { success: true, message: 'Password changed' } });
    expect(await isSessionValid(token)).toBe(true);
    expect(await isSessionValid(other)).toBe(false);
    expect(await isSessionValid(stranger.token)).toBe(true);
    expect((await logIn(email)).status).toBe(401);
    const again = tokenOf(await logIn(email, OTHER_PASSWORD));
    expect(await isSessionValid(again)).toBe(true);
    expect((await change(again, OTHER_PASSWORD, PASSWORD)).status).toBe(200);
    expect(await isSessionValid(token)).toBe(false);
  });
  test('does not prevent a refresh of the current session', async () => {
    const { token } = await api.signUp('client');
    await change(token);
    expect(await isSessionValid(tokenOf(await post('refresh', undefined, token)))).toBe(true);
  });
  test('rejects a wrong current password and ends no session', async () => {
    const { token, email } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    expect(await change(token, 'wrong horse')).toMatchObject({
      status: 400,
      body: error('WRONG_PASSWORD', 'The current password is incorrect'),
    });
    expect(await isSessionValid(other)).toBe(true);
    expect((await logIn(email)).status).toBe(200);
  });
});

describe('POST /auth/forgot-password', () => {
  test('returns the same response for known and unknown addresses, without the code', async () => {
    const { email } = await api.signUp('client');
    const known = await post('forgot-password', { email });
    const unknown = await post('forgot-password', { email: uniqueEmail() });
    expect(known).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) as string } });
    expect(known.body).toEqual(unknown.body);
    expect(Object.keys(known.body).sort()).toEqual(['message', 'success']);
  });
});

describe('POST /auth/reset-password', () => {
  const reset = (email: string, code: string, newPassword = OTHER_PASSWORD) =>
    post('reset-password', { email, code, newPassword });
  const failed = { status: 400, body: error('RESET_FAILED', 'Password reset failed') };

  test('sets the new password and ends every session', async () => {
    const { email, token } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    expect(await reset(email, await requestResetCode(email))).toMatchObject({
      status: 200,
      body: { success: true, message: expect.any(String) as string },
    });
    expect(await isSessionValid(token)).toBe(false);
    expect(await isSessionValid(other)).toBe(false);
    expect((await logIn(email)).status).toBe(401);
    expect((await logIn(email, OTHER_PASSWORD)).status).toBe(200);
  });
  test('verifies the address because the code proves access to the mailbox', async () => {
    const { email } = await api.signUp('provider', { verify: false });
    const profile = { userType: 'provider', displayName: 'The owner', age: 40 };
    const body = { email, code: await requestResetCode(email), newPassword: OTHER_PASSWORD };
    expect(await post('reset-password', body)).toMatchObject({
      status: 422,
      body: error('PROFILE_REQUIRED', 'Please enter your account type, display name and age'),
    });
    expect((await post('reset-password', { ...body, ...profile })).status).toBe(200);
    expect((await logIn(email, OTHER_PASSWORD)).body).toMatchObject({
      verificationRequired: false,
      user: { ...profile, isEmailVerified: true, verified: false, canPostAds: true },
    });
  });
  test('rejects the correct code after five wrong attempts', async () => {
    const { email, token } = await api.signUp('client');
    const code = await requestResetCode(email);
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await reset(email, wrongCodeFor(code))).toMatchObject(failed);
    expect(await reset(email, code)).toMatchObject(failed);
    expect(await isSessionValid(token)).toBe(true);
    expect((await logIn(email)).status).toBe(200);
  });
  test('returns the same error for a verification code, an address without a code and an unknown address', async () => {
    const { email, verificationCode } = await api.signUp('client', { verify: false });
    expect(await reset(email, verificationCode)).toMatchObject(failed);
    expect(await reset(uniqueEmail(), verificationCode)).toMatchObject(failed);
  });
});

describe('the admin role', () => {
  test('belongs to the configured address in any letter case after verification', async () => {
    const { token, email, verificationCode } = await api.signUp('client', {
      email: 'Admin@Example.com',
      verify: false,
    });
    const isAdmin = async () =>
      ((await api.call('GET', '/api/auth/profile', { token })).body['user'] as { isAdmin: boolean }).isAdmin;
    expect(await isAdmin()).toBe(false);
    await post('verify-email', { email, code: verificationCode }, token);
    expect(await isAdmin()).toBe(true);
  });
});
