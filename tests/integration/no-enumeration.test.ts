import { account, closeAccount } from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, PASSWORD, type Answer, type ApiClient } from '../support/api.ts';
import { openMailboxes, type Mailboxes } from '../support/inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';

/**
 * Nobody learns which addresses have an account (decision 0022): whatever is asked about one is answered with the same status, headers and
 * body, whoever has it. What takes how long is counted in `command-api/test/auth-work.test.ts`.
 */
const WHOSE = ['nobody’s', 'a verified owner’s', 'an unverified owner’s', 'a closed account’s', 'an admin’s'] as const;
type Whose = (typeof WHOSE)[number];

const OWNERS_PASSWORD = 'the owner’s own horse';
const OTHER_PASSWORD = 'another horse';

let product: TestProduct;
let api: ApiClient;
let mailboxes: Mailboxes;
let recording: Recording;
let count = 0;

beforeAll(async () => {
  product = await startTestProduct({ exposeVerificationCodes: false });
  api = apiClient(product.url);
  mailboxes = openMailboxes(product);
  recording = await openRecording(product);
});
afterAll(async () => {
  await recording.close();
  await mailboxes.close();
  await product.stop();
});

const post = (path: string, body?: unknown, token?: string) =>
  api.call('POST', `/api/auth/${path}`, { ...(body !== undefined && { body }), ...(token !== undefined && { token }) });
const signUp = (email: string, password = PASSWORD, userType = 'provider') =>
  post('signup', { email, password, userType, displayName: 'Somebody', age: 30 });

/** An address of that kind; all of them are of one length, as answers repeat them. */
async function addressOf(whose: Whose): Promise<string> {
  count += 1;
  const email = whose === 'an admin’s' ? 'admin@example.com' : `p${String(count).padStart(4, '0')}@example.com`;
  if (whose === 'nobody’s') return email;
  if (whose === 'an admin’s' && (await post('login', { email, password: OWNERS_PASSWORD })).status === 200)
    return email;
  const { id } = (await signUp(email, OWNERS_PASSWORD)).body['user'] as { id: string };
  if (whose === 'an unverified owner’s') return email;
  if (whose === 'a closed account’s')
    await recording.commands.handle(account, id, (state) => closeAccount(null, state), BY_TEST);
  else expect((await post('verify-email', { email, code: await mailboxes.code(email, 'code') })).status).toBe(200);
  return email;
}

/** Headers that differ from one answer to the next, whoever is asked about. */
const EVER_NEW = new Set(['date', 'x-request-id', 'x-position']);
/** Express's hash of a body in which something is new. */
const BODY_HASH = /(?<=^W\/"[0-9a-f]+-)[^"]+/u;

/** What the asker sees, with what has to be new each time as a number: the same id the same number. */
function faces(email: string) {
  const seen = new Map<string, string>();
  const known = (value: string) => seen.get(value) ?? (seen.set(value, `#${seen.size}`), `#${seen.size - 1}`);
  return ({ status, headers, body }: Answer) => ({
    status,
    headers: [...headers]
      .map(([name, value]) => (EVER_NEW.has(name) ? name : `${name}: ${value.replace(BODY_HASH, '')}`))
      .sort(),
    body: JSON.parse(
      JSON.stringify(body, (name, value: unknown) =>
        name === 'requestId'
          ? ''
          : ['id', 'token'].includes(name)
            ? known(String(value))
            : value === email
              ? 'the address'
              : value,
      ),
    ) as unknown,
  });
}

type Face = ReturnType<ReturnType<typeof faces>>;

/** Has the same done about an address of each kind and compares what is seen with what is seen of nobody's. */
async function expectAlike(
  about: (email: string) => Promise<readonly Answer[]>,
  kinds: readonly Whose[] = WHOSE,
): Promise<readonly Face[]> {
  const [unknown, ...others] = await Promise.all(
    kinds.map(async (whose) => {
      const email = await addressOf(whose);
      return { whose, faces: (await about(email)).map(faces(email)) };
    }),
  );
  for (const { whose, faces: seen } of others) expect(seen, whose).toEqual(unknown?.faces);
  return unknown?.faces ?? [];
}

describe('an address is answered for alike, whoever has it', () => {
  test('POST /auth/login with a wrong password', async () => {
    const [face] = await expectAlike(async (email) => [await post('login', { email, password: 'a wrong horse' })]);
    expect(face).toMatchObject({ status: 401, body: { message: 'Login failed' } });
  });
  test('POST /auth/forgot-password, once and again', async () => {
    const [face] = await expectAlike(async (email) => [
      await post('forgot-password', { email }),
      await post('forgot-password', { email }),
    ]);
    expect(face?.status).toBe(200);
  });
  test('POST /auth/resend-verification, once and again', async () => {
    const [face] = await expectAlike(async (email) => [
      await post('resend-verification', { email }),
      await post('resend-verification', { email }),
    ]);
    expect(face).toMatchObject({ status: 200, body: { success: true } });
    expect(face?.body).not.toHaveProperty('verificationCode');
  });
  test('POST /auth/verify-email with a wrong code, until no attempt is left', async () => {
    const [face] = await expectAlike((email) => inTurn(6, () => post('verify-email', { email, code: '000000' })));
    expect(face).toMatchObject({ status: 400, body: { message: 'Verification failed' } });
  });
  test('POST /auth/verify-email with wrong codes at once', async () => {
    await expectAlike((email) =>
      Promise.all(Array.from({ length: 8 }, () => post('verify-email', { email, code: '000000' }))),
    );
  });
  test('POST /auth/reset-password with a wrong code, with one on its way and without', async () => {
    const reset = (email: string) => post('reset-password', { email, code: '000000', newPassword: OTHER_PASSWORD });
    const [face] = await expectAlike(async (email) => {
      const without = await reset(email);
      await post('forgot-password', { email });
      return [
        without,
        ...(await inTurn(6, () => reset(email))),
        ...(await Promise.all(Array.from({ length: 8 }, () => reset(email)))),
      ];
    });
    expect(face).toMatchObject({ status: 400, body: { message: 'Password reset failed' } });
  });
});

describe('a sign-up is a sign-up, whoever has the address', () => {
  test.each(['client', 'provider'])('and what a new %s does then looks alike', async (userType) => {
    const seen = await expectAlike(
      async (email) => {
        const opened = await signUp(email, PASSWORD, userType);
        const { token, user } = opened.body as unknown as { token: string; user: { id: string } };
        const refreshed = await post(
          'refresh',
          undefined,
          (await post('login', { email, password: PASSWORD })).body['token'] as string,
        );
        const later = refreshed.body['token'] as string;
        return [
          opened,
          await signUp(email, PASSWORD, userType),
          await signUp(email, OTHER_PASSWORD, userType),
          await post('login', { email, password: OTHER_PASSWORD }),
          await post('login', { email, password: 'a wrong horse' }),
          refreshed,
          await post('verify', undefined, later),
          await api.call('GET', '/api/auth/profile', { token: later }),
          await post('verify-email', { email, code: '000000' }),
          await api.call('PUT', '/api/auth/profile', { token, body: { displayName: 'Another', age: 31 } }),
          await post('change-password', { currentPassword: PASSWORD, newPassword: 'a third horse' }, token),
          await post('resend-verification', { email }),
          await post('forgot-password', { email }),
          await post('reset-password', { email, code: '000000', newPassword: 'a third horse' }),
          await api.call('GET', `/api/favorites/${user.id}`, { token }),
          await api.call('GET', '/api/ads/user', { token }),
          await api.call('POST', '/api/ads', {
            token,
            body: { name: 'A', title: 'T', category: 'escort', state: 'NV', city: 'Reno', description: 'D' },
          }),
          await post('login', { email, password: PASSWORD }),
          await post('logout', undefined, token),
          await post('verify', undefined, token),
        ];
      },
      WHOSE.filter((whose) => whose !== 'an admin’s'),
    );
    expect(seen.map(({ status }) => status).slice(0, 4)).toEqual([201, 201, 201, 200]);
  });
  test('leaves as many events behind', async () => {
    for (const whose of ['nobody’s', 'a verified owner’s', 'an unverified owner’s'] as const) {
      const { id } = (await signUp(await addressOf(whose))).body['user'] as { id: string };
      expect((await recording.commands.load(account, id)).revision, whose).toBe(1);
    }
  });
});

describe('the owner of an address somebody else signs up with', () => {
  test('keeps account, password and session, and is told by mail once for each password tried', async () => {
    const email = await addressOf('a verified owner’s');
    const before = await post('login', { email, password: OWNERS_PASSWORD });
    const { id } = (await signUp(email)).body['user'] as { id: string };
    await signUp(email);
    expect(id).not.toBe((before.body['user'] as { id: string }).id);
    expect(await post('verify', undefined, before.body['token'] as string)).toMatchObject({
      status: 200,
      body: { user: { displayName: 'Somebody', isEmailVerified: true } },
    });
    expect((await post('login', { email, password: OWNERS_PASSWORD })).body['user']).toMatchObject({
      id: (before.body['user'] as { id: string }).id,
    });
    await mailboxes.next(email, 'You already have an account');
    await signUp(email, OTHER_PASSWORD);
    await expect
      .poll(async () => (await mailboxes.of(email)).filter(({ subject }) => subject.startsWith('You already')).length)
      .toBe(2);
    // The code every account begins with is mailed to nobody for a stand-in.
    expect((await mailboxes.of(email)).filter(({ subject }) => subject.endsWith('code'))).toHaveLength(1);
  });
  test('gets no verified account into the hands of who signed up second', async () => {
    const email = await addressOf('an unverified owner’s');
    const second = await signUp(email);
    await post('verify-email', { email, code: await mailboxes.code(email, 'code') });
    expect((await post('verify', undefined, second.body['token'] as string)).body['user']).toMatchObject({
      isEmailVerified: false,
      canPostAds: false,
    });
    expect((await post('login', { email, password: PASSWORD })).body['user']).toMatchObject({ isEmailVerified: false });
    expect((await post('login', { email, password: OWNERS_PASSWORD })).body['user']).toMatchObject({
      isEmailVerified: true,
    });
  });
  test('does not verify the account of somebody else who signed up first by entering the code that account was mailed', async () => {
    const email = await addressOf('nobody’s');
    const squatter = await signUp(email, 'a squatter’s horse');
    const owner = (await signUp(email)).body['token'] as string;
    const code = await mailboxes.code(email, 'code');
    expect(await post('verify-email', { email, code }, owner)).toMatchObject({
      status: 400,
      body: { message: 'Verification failed' },
    });
    expect(await post('verify', undefined, squatter.body['token'] as string)).toMatchObject({
      status: 200,
      body: { user: { isEmailVerified: false } },
    });
    expect((await post('verify-email', { email, code }, squatter.body['token'] as string)).status).toBe(200);
  });
  test('gets in by the mailbox where somebody else signed up first', async () => {
    const email = await addressOf('nobody’s');
    const squatter = await signUp(email, 'a squatter’s horse');
    const owner = await signUp(email);
    await post('forgot-password', { email });
    const code = await mailboxes.code(email, 'Reset your');
    expect((await post('reset-password', { email, code, newPassword: OWNERS_PASSWORD })).status).toBe(200);
    expect((await post('verify', undefined, squatter.body['token'] as string)).status).toBe(401);
    expect((await post('login', { email, password: OWNERS_PASSWORD })).body['user']).toMatchObject({
      isEmailVerified: true,
    });
    // What they were given meanwhile goes on as the stand-in it is.
    expect((await post('verify', undefined, owner.body['token'] as string)).body['user']).toMatchObject({
      isEmailVerified: false,
    });
  });
  test('is not signed in to a verified account by signing up with its password', async () => {
    const email = await addressOf('a verified owner’s');
    expect((await signUp(email, OWNERS_PASSWORD)).body['user']).toMatchObject({ isEmailVerified: false });
  });
});

/** So many answers, one after the other. */
async function inTurn(times: number, ask: () => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await ask());
  return answers;
}
