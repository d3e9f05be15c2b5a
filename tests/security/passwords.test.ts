import { randomUUID } from 'node:crypto';
import { account } from '@alpenglow/domain';
import { changePassword, withdrawRole } from '@alpenglow/domain/deciders';
import { generateSync } from 'otplib';
import { describe, expect, test } from 'vitest';
import { PASSWORD } from '../support/api.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { openRecording, TEST_ORIGIN } from '../support/recording.ts';
import { testApi, testMailboxes, testProduct } from '../support/fixtures.ts';

/** Guessable and stolen passwords, and silent changes of the sign-in data of an account. */

const product = testProduct();
const api = testApi(product);
const mailboxes = testMailboxes(product);

const NAME = 'Annabelle Winter';
const SHORT = 'Please use at least 12 characters, or at least 8 that are hard to guess';
const BREACHED = 'This password is on a list of stolen passwords. Please choose another one.';
const GUESSABLE = 'This password is too easy to guess. Please choose another one.';
const PERSONAL = 'The password must not be your e-mail address or your name';

/** Passwords of the person `email`, each with the message that the server returns. */
const rejectedPasswords = (email: string): readonly (readonly [string, string])[] => [
  ['password', BREACHED],
  ['12345678', BREACHED],
  ['PASSWORD1234', BREACHED],
  ['qwertyuiop12', BREACHED],
  ['Summer-26', SHORT],
  ['aaaaaaaaaaaaaaaa', GUESSABLE],
  ['passwordpassword', BREACHED],
  ['alpenglow1234', GUESSABLE],
  ['iloveyou1234', GUESSABLE],
  ['hunter2hunter2', GUESSABLE],
  ['correcthorsebatterystaple', BREACHED],
  ['correct horse battery staple', BREACHED],
  [email, PERSONAL],
  [email.toUpperCase(), PERSONAL],
  [email.split('@')[0] ?? '', PERSONAL],
  [NAME, PERSONAL],
  ['annabelle.winter99', PERSONAL],
];
const person = (email: string, password: string) => ({
  email,
  password,
  userType: 'client',
  displayName: NAME,
  age: 30,
});
const uniqueEmail = () => `${randomUUID()}@example.com`;
const rejection = (field: string, message: string) => ({
  status: 400,
  body: { success: false, code: 'INVALID_FIELDS', message, fields: { [field]: message } },
});

describe('a guessable, stolen or personal password is rejected with the reason at its field', () => {
  test('by the sign-up', async () => {
    const email = uniqueEmail();
    for (const [password, message] of rejectedPasswords(email))
      expect
        .soft(await api.call('POST', '/api/auth/signup', { body: person(email, password) }), password)
        .toMatchObject(rejection('password', message));
    expect((await api.call('POST', '/api/auth/signup', { body: person(email, PASSWORD) })).status).toBe(201);
  });

  test('by the change of the password', async () => {
    const { email, token } = await api.signUp('client', { displayName: NAME });
    for (const [newPassword, message] of rejectedPasswords(email))
      expect
        .soft(
          await api.call('POST', '/api/auth/change-password', {
            token,
            body: { currentPassword: PASSWORD, newPassword },
          }),
          newPassword,
        )
        .toMatchObject(rejection('newPassword', message));
  });

  test('by the reset of the password, and the code remains valid', async () => {
    const { email } = await api.signUp('client', { displayName: NAME });
    await api.call('POST', '/api/auth/forgot-password', { body: { email } });
    const code = await mailboxes.waitForCode(email, 'Reset your');
    const reset = (newPassword: string, typed = code) =>
      api.call('POST', '/api/auth/reset-password', { body: { email, code: typed, newPassword } });
    for (const [newPassword, message] of rejectedPasswords(email))
      expect.soft(await reset(newPassword), newPassword).toMatchObject(rejection('newPassword', message));
    // Without the code, the response must not show that the password is the name of the owner.
    const wrongCode = code === '000000' ? '000001' : '000000';
    expect((await reset(NAME, wrongCode)).body).toMatchObject({ code: 'RESET_FAILED' });
    expect((await reset('a new horse battery')).status).toBe(200);
  });
});

test.each(['correct horse battery', 'xK9#mQ2p', 'Tr0ub4dor&3'])('the password %s is accepted', async (password) => {
  const { status } = await api.call('POST', '/api/auth/signup', { body: person(uniqueEmail(), password) });
  expect(status).toBe(201);
});

describe('the owner of an account gets a mail', () => {
  test('when the password is changed', async () => {
    const { email, token } = await api.signUp('client');
    const body = { currentPassword: PASSWORD, newPassword: 'another horse battery' };
    expect((await api.call('POST', '/api/auth/change-password', { token, body })).status).toBe(200);
    await mailboxes.waitForMail(email, 'password was changed');
  });

  test('when two-step login is switched on and off', async () => {
    const { email, token } = await api.signUp('client');
    const post = (path: string, body: unknown) => api.call('POST', `/api/auth/two-step/${path}`, { token, body });
    const { secret } = (await post('setup', { password: PASSWORD })).body['data'] as { secret: string };
    const confirmed = await post('confirm', { code: generateSync({ secret }) });
    const { recoveryCodes } = confirmed.body['data'] as { recoveryCodes: string[] };
    await mailboxes.waitForMail(email, 'Two-step login is on');
    expect((await post('disable', { password: PASSWORD, code: recoveryCodes[0] })).status).toBe(200);
    await mailboxes.waitForMail(email, 'Two-step login is off');
  });

  test('when a role is granted and withdrawn', async () => {
    const recording = await openRecording(product);
    const { email, user } = await recording.member({ role: 'moderator' });
    await mailboxes.waitForMail(email, 'role at Alpenglow was changed');
    const command = { reason: 'Left the team' };
    await recording.commands.execute(account, user.id, withdrawRole, command, TEST_ORIGIN);
    await expect.poll(async () => (await mailboxes.mailsTo(email)).length, { timeout: MAX_WAIT_ms }).toBe(2);
    await recording.close();
  });
});

describe('a password whose letters are encoded in another way', () => {
  const COMPOSED = 'caf\u00E9 in the morning';
  const DECOMPOSED = 'cafe\u0301 in the morning';
  /** The argon2id hash of `DECOMPOSED`, from a version that did not normalize passwords. */
  const OLDER_HASH = '$argon2id$v=19$m=8,t=1,p=1$JANQOLzdDFL3rPwf+7qAUA$BSn+FD/Fqc+DTJ42au4kmVsew6bLVpudNo4xd9q+gjo';
  const logIn = (email: string, password: string) => api.call('POST', '/api/auth/login', { body: { email, password } });

  test('opens a session after a sign-up with either form', async () => {
    for (const [password, other] of [
      [COMPOSED, DECOMPOSED],
      [DECOMPOSED, COMPOSED],
    ] as const) {
      const email = `${randomUUID()}@example.com`;
      const body = { email, password, userType: 'client', displayName: 'Test', age: 30 };
      expect((await api.call('POST', '/api/auth/signup', { body })).status).toBe(201);
      expect((await logIn(email, other)).status).toBe(200);
      expect((await logIn(email, 'cafe in the morning')).status).toBe(401);
    }
  });

  test('may be longer than the limit in its decomposed form', async () => {
    const email = `${randomUUID()}@example.com`;
    const password = Array.from({ length: 40 }, (_, index) => `é${index}è`).join('');
    const body = { email, password, userType: 'client', displayName: 'Test', age: 30 };
    expect((await api.call('POST', '/api/auth/signup', { body })).status).toBe(201);
    expect((await logIn(email, password.normalize('NFD'))).status).toBe(200);
    expect((await logIn(email, `${password}${'x'.repeat(60)}`)).status).toBe(400);
  });

  test('opens a session of an older account, and the hash is then renewed without ending sessions', async () => {
    const recording = await openRecording(product);
    const { email, user } = await api.signUp('client');
    const load = async () => (await recording.commands.load(account, user.id)).state;
    const command = { passwordHash: OLDER_HASH };
    await recording.commands.execute(account, user.id, changePassword, command, TEST_ORIGIN);
    const { status, body } = await logIn(email, COMPOSED);
    expect(status).toBe(200);
    await expect.poll(async () => (await load())?.passwordHash, { timeout: MAX_WAIT_ms }).not.toBe(OLDER_HASH);
    const renewed = (await load())?.passwordHash;
    expect((await api.call('POST', '/api/auth/verify', { token: body['token'] as string })).status).toBe(200);
    for (const password of [COMPOSED, DECOMPOSED]) expect((await logIn(email, password)).status).toBe(200);
    expect((await load())?.passwordHash).toBe(renewed);
    await recording.close();
  });
});
