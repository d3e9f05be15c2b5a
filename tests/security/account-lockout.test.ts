import { generateSync } from 'otplib';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PASSWORD, type ApiResponse, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { testApi, testMailboxes, testProduct } from '../support/fixtures.ts';

/** A client locks another person out of their account by failed logins, or by requests for codes (decision 0025). */

const product = testProduct({ rateLimits: true, trustedProxies: 1 });
const api = testApi(product);
const mailboxes = testMailboxes(product);
let admin: Person;
beforeAll(async () => {
  admin = await api.signUp('client', { email: 'admin@example.com' });
});

const ATTACKER = '203.0.113.9';
const OWNER = '198.51.100.7';
const SIGN_UP = { password: 'a pony in the rain', userType: 'client', displayName: 'Other', age: 30 };
const send = (path: string, body: unknown, address: string, cookie?: string) =>
  api.call('POST', `/api/auth/${path}`, {
    body,
    headers: { 'x-forwarded-for': address, ...(cookie !== undefined && { cookie }) },
  });
const cookieOf = ({ headers }: ApiResponse) => headers.get('set-cookie')?.split(';')[0] ?? '';

/**
 * Stops the clock until the end of the test or until the returned function is called, so that no delay ends between two
 * requests. The delay after five failed logins is only two seconds.
 */
function stopClock(): () => void {
  const resume = () => void vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(resume);
  return resume;
}

test('twelve wrong passwords from one address do not affect the owner at another address', async () => {
  stopClock();
  const { email } = admin;
  const statuses: number[] = [];
  for (let turn = 0; turn < 12; turn += 1)
    statuses.push((await send('login', { email, password: `wrong horse ${turn}` }, ATTACKER)).status);
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(statuses.slice(5)).toEqual(Array.from({ length: 7 }, () => 429));
  expect((await send('login', { email, password: PASSWORD }, OWNER)).status).toBe(200);
});

test.each(['forgot-password', 'resend-verification'])(
  'requests for codes with %s from one address do not block the owner at another address',
  async (path) => {
    // A known address may also have to wait for a minute between two codes, so this address is unknown.
    const email = `${path}@example.com`;
    const statuses: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) statuses.push((await send(path, { email }, ATTACKER)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await send(path, { email }, OWNER)).status).toBe(200);
  },
);

describe('after twelve requests for codes from two networks', () => {
  const attack = async (email: string, path = 'forgot-password') => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 14; turn += 1)
      statuses.push((await send(path, { ...SIGN_UP, email }, `10.3.${turn % 2}.1`)).status);
    expect(statuses.slice(0, 12).every((status) => status < 300)).toBe(true);
    expect(statuses.slice(12)).toEqual([429, 429]);
  };

  test('the owner in a third network gets a code, also in a second attempt', async () => {
    const { email } = await api.signUp('client');
    // Each client receives one code a minute. While the clock is stopped, the attack causes one mail per network.
    const resumeClock = stopClock();
    await attack(email);
    resumeClock();
    const waitForCodes = (count: number) =>
      eventually(async () => {
        const mails = (await mailboxes.mailsTo(email)).filter(({ subject }) => subject.includes('password'));
        expect(mails).toHaveLength(count);
      });
    await waitForCodes(2);
    const reset = await send('forgot-password', { email }, OWNER);
    expect(reset.status).toBe(200);
    await waitForCodes(3);
    const code = await mailboxes.waitForCode(email, 'password');
    const newPassword = 'a horse in the sun';
    const done = await send('reset-password', { email, code, newPassword }, OWNER, cookieOf(reset));
    expect(done.status).toBe(200);
    expect((await send('forgot-password', { email }, OWNER)).status).toBe(200);
  });

  test('a new network sends two mails at most, so that many networks send few mails each', async () => {
    const email = 'many-networks@example.com';
    await attack(email);
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await send('forgot-password', { email }, OWNER)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('the owner in a third network can sign up', async () => {
    const email = 'sign-up-attacked@example.com';
    await attack(email, 'signup');
    expect((await send('signup', { ...SIGN_UP, email, password: 'a cat on the roof' }, OWNER)).status).toBe(201);
  });
});

test('wrong codes from one address do not use up the rate limit of the owner', async () => {
  const { email } = await api.signUp('client', { verify: false });
  const statuses: number[] = [];
  for (let turn = 0; turn < 21; turn += 1)
    statuses.push((await send('verify-email', { email, code: String(100_000 + turn) }, ATTACKER)).status);
  expect(statuses.at(-1)).toBe(429);
  expect((await send('verify-email', { email, code: '999999' }, OWNER)).body['code']).toBe('VERIFICATION_FAILED');
});

test('a browser that has logged in before is not affected by other clients in its network', async () => {
  stopClock();
  const { email } = await api.signUp('client');
  const cookie = cookieOf(await send('login', { email, password: PASSWORD }, OWNER));
  for (let turn = 0; turn < 6; turn += 1) await send('login', { email, password: 'wrong horse' }, OWNER);
  expect((await send('login', { email, password: PASSWORD }, OWNER)).status).toBe(429);
  const login = await send('login', { email, password: PASSWORD }, OWNER, cookie);
  expect(login.status).toBe(200);
});

test('a browser that has logged in to an account that an admin has verified is known', async () => {
  stopClock();
  const { email, user } = await api.signUp('client', { verify: false });
  const verified = await api.call('POST', `/api/admin/users/${user.id}/verify`, { token: admin.token, body: {} });
  expect(verified.status).toBe(200);
  const cookie = cookieOf(await send('login', { email, password: PASSWORD }, OWNER));
  for (let turn = 0; turn < 6; turn += 1) await send('login', { email, password: 'wrong horse' }, OWNER);
  expect((await send('login', { email, password: PASSWORD }, OWNER)).status).toBe(429);
  expect((await send('login', { email, password: PASSWORD }, OWNER, cookie)).status).toBe(200);
});

test('a known browser has its own delay, and is known to no other account', async () => {
  stopClock();
  const [{ email }, { email: other }] = [await api.signUp('client'), await api.signUp('client')];
  const cookie = cookieOf(await send('login', { email, password: PASSWORD }, OWNER));
  const statuses: number[] = [];
  for (let turn = 0; turn < 6; turn += 1)
    statuses.push((await send('login', { email, password: 'wrong horse' }, `10.2.${turn}.1`, cookie)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await send('login', { email, password: PASSWORD }, OWNER)).status).toBe(200);
  for (let turn = 0; turn < 5; turn += 1) await send('login', { email: other, password: 'wrong horse' }, ATTACKER);
  expect((await send('login', { email: other, password: PASSWORD }, ATTACKER, cookie)).status).toBe(429);
});

test('requests for codes do not block a known browser in the same network', async () => {
  const { email } = await api.signUp('client');
  const cookie = cookieOf(await send('login', { email, password: PASSWORD }, OWNER));
  const statuses: number[] = [];
  for (let turn = 0; turn < 8; turn += 1) statuses.push((await send('forgot-password', { email }, OWNER)).status);
  expect(statuses.at(-1)).toBe(429);
  expect((await send('forgot-password', { email }, OWNER, cookie)).status).toBe(200);
});

test('the cookie of a sign-up with another person’s address makes no known browser', async () => {
  stopClock();
  const { email } = await api.signUp('client');
  const squatter = await send('signup', { ...SIGN_UP, email }, ATTACKER);
  expect(squatter.status).toBe(201);
  const cookie = cookieOf(await send('login', { email, password: SIGN_UP.password }, ATTACKER, cookieOf(squatter)));
  for (let turn = 0; turn < 5; turn += 1) await send('login', { email, password: 'wrong horse' }, ATTACKER, cookie);
  expect((await send('login', { email, password: 'wrong horse' }, ATTACKER, cookie)).status).toBe(429);
});

test('the cookie is out of reach of scripts and of other sites, and a changed one is ignored', async () => {
  stopClock();
  const { email } = await api.signUp('client');
  const login = await send('login', { email, password: PASSWORD }, OWNER);
  expect(login.headers.get('set-cookie')).toMatch(
    /^alpenglow_browser=[\w-]{22}\.[\w-]{43}; Max-Age=31536000; Path=\/api; Expires=[^;]+; HttpOnly; SameSite=Strict$/u,
  );
  const forged = cookieOf(login).replace(/=.{22}/u, `=${'A'.repeat(22)}`);
  for (let turn = 0; turn < 5; turn += 1) await send('login', { email, password: 'wrong horse' }, ATTACKER);
  expect((await send('login', { email, password: PASSWORD }, ATTACKER, forged)).status).toBe(429);
});

describe('after a hundred wrong passwords from many networks', () => {
  const attack = async (email: string) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 100; turn += 1)
      statuses.push((await send('login', { email, password: 'wrong horse' }, `10.1.${turn}.1`)).status);
    expect(new Set(statuses)).toEqual(new Set([401]));
  };

  test('an unknown browser needs a mailed code, and a known one does not', async () => {
    const { email } = await api.signUp('client');
    const known = cookieOf(await send('login', { email, password: PASSWORD }, '10.9.0.1'));
    await attack(email);
    const required = await send('login', { email, password: PASSWORD }, OWNER);
    expect(required).toMatchObject({ status: 401, body: { code: 'LOGIN_CODE_REQUIRED' } });
    const cookie = cookieOf(required);
    const code = await mailboxes.waitForCode(email, 'login code');
    const wrong = code === '000000' ? '000001' : '000000';
    expect((await send('login', { email, password: PASSWORD, code: wrong }, OWNER, cookie)).status).toBe(401);
    // Neither a client with another browser nor a wrong password can use the code.
    const stranger = { email, password: PASSWORD, code };
    expect((await send('login', stranger, ATTACKER)).status).toBe(401);
    expect((await send('login', { ...stranger, password: 'wrong horse' }, OWNER, cookie)).status).toBe(401);
    expect((await send('login', { email, password: PASSWORD }, ATTACKER, known)).status).toBe(200);
    expect((await send('login', { email, password: PASSWORD, code }, OWNER, cookie)).status).toBe(200);
  });

  test('an account with two-step login needs the code of its app, and no mail is sent', async () => {
    const { email, token } = await api.signUp('client');
    const post = (path: string, body: unknown) => api.call('POST', `/api/auth/two-step/${path}`, { token, body });
    const { secret } = (await post('setup', { password: PASSWORD })).body['data'] as { secret: string };
    const confirmed = await post('confirm', { code: generateSync({ secret }) });
    const [recoveryCode] = (confirmed.body['data'] as { recoveryCodes: string[] }).recoveryCodes;
    await attack(email);
    expect(await send('login', { email, password: PASSWORD }, OWNER)).toMatchObject({
      status: 401,
      body: { code: 'LOGIN_CODE_REQUIRED' },
    });
    expect((await mailboxes.mailsTo(email)).filter(({ subject }) => subject.includes('login code'))).toEqual([]);
    expect((await send('login', { email, password: PASSWORD, code: '000000' }, '198.51.100.8')).status).toBe(401);
    expect((await send('login', { email, password: PASSWORD, code: recoveryCode }, '198.51.100.9')).status).toBe(200);
  });

  test('the response is the same for a wrong password and an unknown address, and no mail is sent', async () => {
    const { email } = await api.signUp('client');
    for (const address of [email, 'unknown-attacked@example.com']) {
      await attack(address);
      expect(await send('login', { email: address, password: 'wrong horse' }, ATTACKER)).toMatchObject({
        status: 401,
        body: { code: 'LOGIN_CODE_REQUIRED', message: 'Please enter the code from your e-mail or authenticator app' },
      });
    }
    expect((await mailboxes.mailsTo(email)).filter(({ subject }) => subject.includes('login code'))).toEqual([]);
  });
});
