import { randomUUID } from 'node:crypto';
import { account, clearVerification } from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, PASSWORD, validAd, type ApiClient } from '../support/api.ts';
import { openMailboxes, type Mailboxes } from '../support/inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording } from '../support/recording.ts';

/** Accounts and sessions over HTTP: specification, sections 5 to 8, and the product decisions, a test per row. */
let product: TestProduct;
let api: ApiClient;
let mailboxes: Mailboxes;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  mailboxes = openMailboxes(product);
});
afterAll(async () => {
  await mailboxes.close();
  await product.stop();
});

const OTHER_PASSWORD = 'another horse';
const RESET_SUBJECT = 'Reset your';

const error = (code: string, message: string) => ({
  success: false,
  code,
  message,
  error: message,
  requestId: expect.any(String) as string,
});
const freshEmail = () => `${randomUUID()}@example.com`;
const wrongFor = (code: string) => (code === '000000' ? '000001' : '000000');

const post = (path: string, body?: unknown, token?: string) =>
  api.call('POST', `/api/auth/${path}`, { ...(body !== undefined && { body }), ...(token !== undefined && { token }) });
const signUp = (changes: Record<string, unknown> = {}) =>
  post('signup', {
    email: freshEmail(),
    password: PASSWORD,
    userType: 'provider',
    displayName: 'New',
    age: 18,
    ...changes,
  });
const logIn = (email: string, password = PASSWORD) => post('login', { email, password });
const isAlive = async (token: string) => (await post('verify', undefined, token)).status === 200;
const tokenOf = ({ body }: { body: Readonly<Record<string, unknown>> }) => body['token'] as string;

/** Has a code mailed that resets the password, and answers it. */
async function forget(email: string): Promise<string> {
  expect((await post('forgot-password', { email })).status).toBe(200);
  return mailboxes.code(email, RESET_SUBJECT);
}

/** As an admin does: with the code, the wait for another one is over. */
async function takeCodeBack(accountId: string): Promise<void> {
  const recording = await openRecording(product);
  await recording.commands.handle(account, accountId, (state) => clearVerification(null, state), BY_TEST);
  await recording.close();
}

describe('POST /auth/signup', () => {
  test('answers user, token, verificationCode, message, verificationRequired', async () => {
    const email = freshEmail();
    const answer = await signUp({ email: ` ${email.toUpperCase()}` });
    expect(answer).toMatchObject({
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
    expect(JSON.stringify(answer.body)).not.toMatch(/argon2|correct horse/u);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
  test('userType is client or provider, client by default', async () => {
    expect((await signUp({ userType: undefined })).body['user']).toMatchObject({
      userType: 'client',
      isProvider: false,
    });
  });
  test.each([
    ['age below 18', { age: 17 }, 'You must be at least 18 years old'],
    ['age as text', { age: '30' }, 'You must be at least 18 years old'],
    ['half a year', { age: 18.5 }, 'Age must be a whole number'],
    ['a bad address', { email: 'nobody' }, 'Please enter a valid e-mail address'],
    ['an address that is a list', { email: ['a@example.com'] }, 'Please enter a valid e-mail address'],
    ['a short password', { password: 'short' }, 'Password must be at least 8 characters'],
    ['a password of a book', { password: 'x'.repeat(201) }, 'Password must be at most 200 characters'],
    ['another user type', { userType: 'admin' }, 'Please choose client or provider'],
    ['no display name', { displayName: '  ' }, 'Please enter a display name'],
  ])('refuses %s; errors use error or message', async (_what, changes, message) => {
    expect(await signUp(changes)).toMatchObject({ status: 400, body: { success: false, message, error: message } });
  });
  test('takes no flag the server decides: isAdmin, verified', async () => {
    expect(
      (await signUp({ isAdmin: true, verified: true, isEmailVerified: true, canPostAds: true })).body['user'],
    ).toMatchObject({ isAdmin: false, verified: false, isEmailVerified: false, canPostAds: false });
  });
  test('of one address and password twenty times at once opens one account', async () => {
    const email = freshEmail();
    const answers = await Promise.all(Array.from({ length: 20 }, () => signUp({ email })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => (body['user'] as { id: string }).id)).size).toBe(1);
  });
  test('tells the owner of an address that somebody signed up with it', async () => {
    const { email } = await api.signUp('client');
    await signUp({ email, password: OTHER_PASSWORD });
    const mail = await mailboxes.next(email, 'You already have an account');
    expect(mail.text).not.toMatch(/\d{6}/u);
  });
});

describe('POST /auth/login', () => {
  test('answers user and token', async () => {
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
  test("'Login failed' for a wrong password and for an unknown address; errors use message", async () => {
    const { email } = await api.signUp('client');
    expect(await logIn(email, 'wrong horse')).toMatchObject({
      status: 401,
      body: error('LOGIN_FAILED', 'Login failed'),
    });
    expect(await logIn(freshEmail())).toMatchObject({ status: 401, body: error('LOGIN_FAILED', 'Login failed') });
  });
  test.each([
    ['no password', { email: 'a@example.com' }, 'Please enter your password'],
    ['no address', { password: PASSWORD }, 'Please enter a valid e-mail address'],
  ])('refuses %s', async (_what, body, message) => {
    expect(await post('login', body)).toMatchObject({ status: 400, body: { message } });
  });
});

describe('POST /auth/verify', () => {
  test('answers user', async () => {
    const { token, email } = await api.signUp('client');
    expect(await post('verify', undefined, token)).toMatchObject({
      status: 200,
      body: { success: true, user: { email } },
    });
  });
  test.each(['x', 'a'.repeat(43), '%00', 'a'.repeat(5000)])(
    "'Token verification failed' for the token %j",
    async (token) => {
      expect(await post('verify', undefined, token)).toMatchObject({
        status: 401,
        body: error('TOKEN_VERIFICATION_FAILED', 'Token verification failed'),
      });
    },
  );
  test("'Authentication required' without a token", async () => {
    expect(await post('verify')).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
});

describe('POST /auth/logout', () => {
  test('ends this session and no other', async () => {
    const { token, email } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    expect((await post('logout', undefined, token)).status).toBe(200);
    expect(await isAlive(token)).toBe(false);
    expect(await isAlive(other)).toBe(true);
    expect(await post('logout', undefined, token)).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
});

describe('POST /auth/refresh', () => {
  test('answers token and user; the old token stops working', async () => {
    const { token, email } = await api.signUp('client');
    const refreshed = await post('refresh', undefined, token);
    expect(refreshed).toMatchObject({
      status: 200,
      body: { success: true, user: { email }, token: expect.stringMatching(/^[\w-]{43}$/u) as string },
    });
    expect(await isAlive(token)).toBe(false);
    expect(await isAlive(tokenOf(refreshed))).toBe(true);
  });
  test('twice at once with one token succeeds once', async () => {
    const { token } = await api.signUp('client');
    const answers = await Promise.all(Array.from({ length: 5 }, () => post('refresh', undefined, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });
  test("'Authentication required' without a token", async () => {
    expect(await post('refresh')).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
});

describe('POST /auth/verify-email', () => {
  const verify = (email: string, code: string) => post('verify-email', { email, code });

  test('answers user; a provider may post from then on', async () => {
    const { email, verificationCode, token } = await api.signUp('provider', { verify: false });
    expect(await api.call('POST', '/api/ads', { token, body: validAd })).toMatchObject({
      status: 403,
      body: error('VERIFICATION_REQUIRED', 'Please verify your e-mail first'),
    });
    expect(await verify(email, verificationCode)).toMatchObject({
      status: 200,
      body: { user: { email, isEmailVerified: true, verified: false, canPostAds: true } },
    });
    expect((await post('verify', undefined, token)).body['user']).toMatchObject({ isEmailVerified: true });
    expect((await api.call('POST', '/api/ads', { token, body: validAd })).status).toBe(201);
  });
  test("'Verification failed' for a wrong code, an unknown address and a code already used", async () => {
    const { email, verificationCode } = await api.signUp('provider', { verify: false });
    const failed = { status: 400, body: error('VERIFICATION_FAILED', 'Verification failed') };
    expect(await verify(email, wrongFor(verificationCode))).toMatchObject(failed);
    expect(await verify(freshEmail(), verificationCode)).toMatchObject(failed);
    expect((await verify(email, verificationCode)).status).toBe(200);
    expect(await verify(email, verificationCode)).toMatchObject(failed);
  });
  test('five attempts: then the right code is refused too, also when they come at once', async () => {
    const { email, verificationCode } = await api.signUp('provider', { verify: false });
    const answers = await Promise.all(Array.from({ length: 10 }, () => verify(email, wrongFor(verificationCode))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    for (let more = 0; more < 5; more += 1) await verify(email, wrongFor(verificationCode));
    expect((await verify(email, verificationCode)).status).toBe(400);
  });
  test.each([undefined, null, '', ' ', 5])("'No user email found' for the address %j", async (email) => {
    expect(await post('verify-email', { email, code: '123456' })).toMatchObject({
      status: 400,
      body: error('NO_USER_EMAIL', 'No user email found'),
    });
  });
  test.each(['12345', '1234567', 'abcdef', '', 123456, null])('refuses the code %j', async (code) => {
    expect(await post('verify-email', { email: freshEmail(), code })).toMatchObject({
      status: 400,
      body: { message: 'Please enter the 6-digit code' },
    });
  });
});

describe('POST /auth/resend-verification', () => {
  test('answers verificationCode and message; the code before stops working', async () => {
    const { email, verificationCode, user } = await api.signUp('client', { verify: false });
    await takeCodeBack(user.id);
    const resent = await post('resend-verification', { email });
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
      expect((await post('verify-email', { email, code: verificationCode })).status).toBe(400);
    expect((await post('verify-email', { email, code })).status).toBe(200);
  });
  test("'No user email found' without an address", async () => {
    expect(await post('resend-verification', {})).toMatchObject({
      status: 400,
      body: error('NO_USER_EMAIL', 'No user email found'),
    });
    expect(await post('resend-verification', { email: ' ' })).toMatchObject({
      status: 400,
      body: error('NO_USER_EMAIL', 'No user email found'),
    });
  });
  test("'Failed to resend verification code' within a minute, with the seconds left", async () => {
    const { email } = await api.signUp('client', { verify: false });
    const refused = await post('resend-verification', { email });
    expect(refused).toMatchObject({
      status: 429,
      body: error('RESEND_TOO_SOON', 'Failed to resend verification code'),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
  test('sends nothing to a verified address, and says so to nobody', async () => {
    const { email } = await api.signUp('client');
    const unknown = await post('resend-verification', { email: freshEmail() });
    expect((await post('resend-verification', { email })).body).toEqual(unknown.body);
    expect(unknown.body).not.toHaveProperty('verificationCode');
  });
});

describe('GET and PUT /auth/profile', () => {
  const profile = (token: string) => api.call('GET', '/api/auth/profile', { token });
  const update = (token: string, body: unknown) => api.call('PUT', '/api/auth/profile', { token, body });

  test('answers user', async () => {
    const { token, email } = await api.signUp('client');
    expect(await profile(token)).toMatchObject({
      status: 200,
      body: { success: true, user: { email, displayName: 'Test', age: 30 } },
    });
  });
  test('changes displayName and age, each alone or both', async () => {
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
  test('leaves what the server decides: email, userType, verified, isAdmin', async () => {
    const { token, email } = await api.signUp('client');
    await update(token, {
      email: freshEmail(),
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
  test.each([
    ['age below 18', { age: 17 }, 'You must be at least 18 years old'],
    ['an empty name', { displayName: '' }, 'Please enter a display name'],
  ])('refuses %s', async (_what, body, message) => {
    const { token } = await api.signUp('client');
    expect(await update(token, body)).toMatchObject({ status: 400, body: { message } });
  });
  test("'Authentication required' without a token", async () => {
    expect(await api.call('GET', '/api/auth/profile')).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
    expect(await api.call('PUT', '/api/auth/profile', { body: { age: 31 } })).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
});

describe('POST /auth/change-password', () => {
  const change = (token: string, currentPassword = PASSWORD, newPassword = OTHER_PASSWORD) =>
    post('change-password', { currentPassword, newPassword }, token);

  test('ends every other session of that user; the one that asked goes on', async () => {
    const { token, email } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    const stranger = await api.signUp('client');
    expect(await change(token)).toMatchObject({ status: 200, body: { success: true, message: 'Password changed' } });
    expect(await isAlive(token)).toBe(true);
    expect(await isAlive(other)).toBe(false);
    expect(await isAlive(stranger.token)).toBe(true);
    expect((await logIn(email)).status).toBe(401);
    const again = tokenOf(await logIn(email, OTHER_PASSWORD));
    expect(await isAlive(again)).toBe(true);
    expect((await change(again, OTHER_PASSWORD, PASSWORD)).status).toBe(200);
    expect(await isAlive(token)).toBe(false);
  });
  test('survives a refresh of the session that asked', async () => {
    const { token } = await api.signUp('client');
    await change(token);
    expect(await isAlive(tokenOf(await post('refresh', undefined, token)))).toBe(true);
  });
  test('refuses a wrong current password; nothing ends', async () => {
    const { token, email } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    expect(await change(token, 'wrong horse')).toMatchObject({
      status: 400,
      body: error('WRONG_PASSWORD', 'The current password is not right'),
    });
    expect(await isAlive(other)).toBe(true);
    expect((await logIn(email)).status).toBe(200);
  });
  test('refuses a short new password', async () => {
    const { token } = await api.signUp('client');
    expect(await change(token, PASSWORD, 'short')).toMatchObject({
      status: 400,
      body: {
        message: 'Password must be at least 8 characters',
        fields: { newPassword: expect.any(String) as string },
      },
    });
  });
  test('needs a verified e-mail', async () => {
    const { token } = await api.signUp('client', { verify: false });
    expect(await change(token)).toMatchObject({
      status: 403,
      body: error('VERIFICATION_REQUIRED', 'Please verify your e-mail first'),
    });
  });
  test("'Authentication required' without a token", async () => {
    expect(await post('change-password', { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD })).toMatchObject({
      status: 401,
      body: error('AUTHENTICATION_REQUIRED', 'Authentication required'),
    });
  });
});

describe('POST /auth/forgot-password', () => {
  test('always answers the same, and never the code', async () => {
    const { email } = await api.signUp('client');
    const known = await post('forgot-password', { email });
    const unknown = await post('forgot-password', { email: freshEmail() });
    expect(known).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) as string } });
    expect(known.body).toEqual(unknown.body);
    expect(Object.keys(known.body).sort()).toEqual(['message', 'success']);
  });
  test('mails a code to the address', async () => {
    const { email } = await api.signUp('client');
    expect(await forget(email)).toMatch(/^\d{6}$/u);
  });
  test('twice within a minute mails one code', async () => {
    const { email } = await api.signUp('client');
    await forget(email);
    await post('forgot-password', { email });
    // Whatever that asked for is written before this, and mailed before its mail.
    const { email: later } = await api.signUp('client');
    await forget(later);
    expect((await mailboxes.of(email)).filter(({ subject }) => subject.startsWith(RESET_SUBJECT))).toHaveLength(1);
  });
  test('refuses what is no address', async () => {
    expect(await post('forgot-password', { email: 'nobody' })).toMatchObject({
      status: 400,
      body: { message: 'Please enter a valid e-mail address' },
    });
  });
});

describe('POST /auth/reset-password', () => {
  const reset = (email: string, code: string, newPassword = OTHER_PASSWORD) =>
    post('reset-password', { email, code, newPassword });
  const failed = { status: 400, body: error('RESET_FAILED', 'Password reset failed') };

  test('sets the new password and ends every session', async () => {
    const { email, token } = await api.signUp('client');
    const other = tokenOf(await logIn(email));
    expect(await reset(email, await forget(email))).toMatchObject({
      status: 200,
      body: { success: true, message: expect.any(String) as string },
    });
    expect(await isAlive(token)).toBe(false);
    expect(await isAlive(other)).toBe(false);
    expect((await logIn(email)).status).toBe(401);
    expect((await logIn(email, OTHER_PASSWORD)).status).toBe(200);
  });
  test('verifies the address: whoever has the code has the mailbox', async () => {
    const { email } = await api.signUp('provider', { verify: false });
    await reset(email, await forget(email));
    expect((await logIn(email, OTHER_PASSWORD)).body).toMatchObject({
      verificationRequired: false,
      user: { isEmailVerified: true, verified: false, canPostAds: true },
    });
  });
  test('works once with a code', async () => {
    const { email } = await api.signUp('client');
    const code = await forget(email);
    expect((await reset(email, code)).status).toBe(200);
    expect(await reset(email, code, 'a third horse')).toMatchObject(failed);
  });
  test('five attempts: then the right code is refused too', async () => {
    const { email, token } = await api.signUp('client');
    const code = await forget(email);
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await reset(email, wrongFor(code))).toMatchObject(failed);
    expect(await reset(email, code)).toMatchObject(failed);
    expect(await isAlive(token)).toBe(true);
    expect((await logIn(email)).status).toBe(200);
  });
  test('refuses a verification code, an address without a code and an unknown one alike', async () => {
    const { email, verificationCode } = await api.signUp('client', { verify: false });
    expect(await reset(email, verificationCode)).toMatchObject(failed);
    expect(await reset(freshEmail(), verificationCode)).toMatchObject(failed);
  });
  test('refuses a short new password', async () => {
    expect(await reset(freshEmail(), '123456', 'short')).toMatchObject({
      status: 400,
      body: { message: 'Password must be at least 8 characters' },
    });
  });
});

describe('an admin', () => {
  test('is the configured address, case-insensitively, once its e-mail is verified', async () => {
    const { token, email, verificationCode } = await api.signUp('client', {
      email: 'Admin@Example.com',
      verify: false,
    });
    const isAdmin = async () =>
      ((await api.call('GET', '/api/auth/profile', { token })).body['user'] as { isAdmin: boolean }).isAdmin;
    expect(await isAdmin()).toBe(false);
    await post('verify-email', { email, code: verificationCode });
    expect(await isAdmin()).toBe(true);
  });
});
