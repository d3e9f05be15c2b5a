import { account } from '@alpenglow/domain';
import { closeAccount } from '@alpenglow/domain/deciders';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, PASSWORD, type ApiResponse, type ApiClient } from '../support/api.ts';
import { openMailboxes, type Mailboxes } from '../support/inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { TEST_ORIGIN, openRecording, type Recording } from '../support/recording.ts';

/**
 * Kinds of e-mail addresses by their owner. Responses must not reveal which addresses have an account (decision 0055),
 * so status, headers and body must be equal for all kinds. `command-api/test/auth-work.test.ts` compares the amount of
 * work that the requests cause.
 */
const OWNER_KINDS = ['unknown', 'verified owner', 'unverified owner', 'closed account', 'admin'] as const;
type OwnerKind = (typeof OWNER_KINDS)[number];

const OWNERS_PASSWORD = 'the owner’s own horse';
const OTHER_PASSWORD = 'another horse';

interface Opened {
  readonly user: { readonly id: string };
  readonly token: string;
}

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
  post('signup', { email, password, userType, displayName: 'Anna', age: 30 });

/**
 * Returns an e-mail address of this kind, and creates its account if the kind has one. All addresses have the same
 * length, so that responses which contain them also have the same length.
 */
async function createAddress(kind: OwnerKind): Promise<string> {
  count += 1;
  const email = kind === 'admin' ? 'admin@example.com' : `p${String(count).padStart(4, '0')}@example.com`;
  if (kind === 'unknown') return email;
  if (kind === 'admin' && (await post('login', { email, password: OWNERS_PASSWORD })).status === 200) return email;
  const { user, token } = (await signUp(email, OWNERS_PASSWORD)).body as unknown as Opened;
  const { id } = user;
  if (kind === 'unverified owner') return email;
  if (kind === 'closed account')
    await recording.commands.execute(account, id, closeAccount, { reason: null }, TEST_ORIGIN);
  else {
    const code = await mailboxes.waitForCode(email, 'code');
    expect((await post('verify-email', { email, code }, token)).status).toBe(200);
  }
  return email;
}

/** Headers that differ in every response, so the tests compare only their names. */
const UNIQUE_HEADERS = new Set(['date', 'x-request-id', 'x-position', 'set-cookie']);
/**
 * Matches the hash of the body in an ETag of Express. The tests ignore this hash, because ids and tokens in the body
 * change it.
 */
const BODY_HASH = /(?<=^W\/"[0-9a-f]+-)[^"]+/u;

/**
 * Returns a function that makes responses comparable. The function replaces ids, tokens and times by numbers, with
 * equal numbers for equal values. It replaces the e-mail address by a fixed text.
 */
function responseDescriber(email: string) {
  const numbers = new Map<string, string>();
  const numberOf = (value: string) =>
    numbers.get(value) ?? (numbers.set(value, `#${numbers.size}`), `#${numbers.size - 1}`);
  return ({ status, headers, body }: ApiResponse) => ({
    status,
    headers: [...headers]
      .map(([name, value]) => (UNIQUE_HEADERS.has(name) ? name : `${name}: ${value.replace(BODY_HASH, '')}`))
      .sort(),
    body: JSON.parse(
      JSON.stringify(body, (name, value: unknown) =>
        name === 'requestId'
          ? ''
          : ['id', 'token', 'writesFrom'].includes(name)
            ? numberOf(String(value))
            : value === email
              ? 'the address'
              : value,
      ),
    ) as unknown,
  });
}

type DescribedResponse = ReturnType<ReturnType<typeof responseDescriber>>;

/** Sends the same requests for an e-mail address of each kind. Expects the same responses as for an unknown address. */
async function expectEqualResponses(
  sendRequests: (email: string) => Promise<readonly ApiResponse[]>,
  kinds: readonly OwnerKind[] = OWNER_KINDS,
): Promise<readonly DescribedResponse[]> {
  const [unknown, ...others] = await Promise.all(
    kinds.map(async (kind) => {
      const email = await createAddress(kind);
      return { kind, responses: (await sendRequests(email)).map(responseDescriber(email)) };
    }),
  );
  for (const { kind, responses: described } of others) expect(described, kind).toEqual(unknown?.responses);
  return unknown?.responses ?? [];
}

describe('the same response is returned for every kind of address', () => {
  test('by POST /auth/login with a wrong password', async () => {
    const [response] = await expectEqualResponses(async (email) => [
      await post('login', { email, password: 'a wrong horse' }),
    ]);
    expect(response).toMatchObject({ status: 401, body: { message: 'Login failed' } });
  });
  test('by POST /auth/forgot-password, sent twice', async () => {
    const [response] = await expectEqualResponses(async (email) => [
      await post('forgot-password', { email }),
      await post('forgot-password', { email }),
    ]);
    expect(response?.status).toBe(200);
  });
  test('by POST /auth/resend-verification, sent twice', async () => {
    const [response] = await expectEqualResponses(async (email) => [
      await post('resend-verification', { email }),
      await post('resend-verification', { email }),
    ]);
    expect(response).toMatchObject({ status: 200, body: { success: true } });
    expect(response?.body).not.toHaveProperty('verificationCode');
  });
  test('by POST /auth/verify-email with a wrong code, until no attempt is left', async () => {
    const [response] = await expectEqualResponses((email) =>
      sendRepeatedly(6, () => post('verify-email', { email, code: '000000' })),
    );
    expect(response).toMatchObject({ status: 400, body: { message: 'Verification failed' } });
  });
  test('by POST /auth/verify-email with wrong codes in parallel', async () => {
    await expectEqualResponses((email) =>
      Promise.all(Array.from({ length: 8 }, () => post('verify-email', { email, code: '000000' }))),
    );
  });
  test('by POST /auth/reset-password with a wrong code, before and after a code was issued', async () => {
    const reset = (email: string) => post('reset-password', { email, code: '000000', newPassword: OTHER_PASSWORD });
    const [response] = await expectEqualResponses(async (email) => {
      const without = await reset(email);
      await post('forgot-password', { email });
      return [
        without,
        ...(await sendRepeatedly(6, () => reset(email))),
        ...(await Promise.all(Array.from({ length: 8 }, () => reset(email)))),
      ];
    });
    expect(response).toMatchObject({ status: 400, body: { message: 'Password reset failed' } });
  });
});

describe('a sign-up has the same result for every kind of address', () => {
  test.each(['client', 'provider'])('including all later responses to a new %s', async (userType) => {
    const described = await expectEqualResponses(
      async (email) => {
        const opened = await signUp(email, PASSWORD, userType);
        const { token, user } = opened.body as unknown as { token: string; user: { id: string } };
        const refreshed = await post(
          'refresh',
          undefined,
          (await post('login', { email, password: PASSWORD })).body['token'] as string,
        );
        const refreshedToken = refreshed.body['token'] as string;
        return [
          opened,
          await signUp(email, PASSWORD, userType),
          await post('login', { email, password: 'a wrong horse' }),
          refreshed,
          await post('verify', undefined, refreshedToken),
          await api.call('GET', '/api/auth/profile', { token: refreshedToken }),
          await post('verify-email', { email, code: '000000' }),
          await post('verify-email', { email, code: '000000' }, token),
          await post('resend-verification', { email }, token),
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
          await signUp(email, OTHER_PASSWORD, userType),
          await post('verify', undefined, refreshedToken),
          await post('login', { email, password: PASSWORD }),
          await post('login', { email, password: OTHER_PASSWORD }),
        ];
      },
      OWNER_KINDS.filter((kind) => kind !== 'admin'),
    );
    expect(described.map(({ status }) => status).slice(0, 4)).toEqual([201, 201, 401, 200]);
    expect(described.map(({ status }) => status).slice(-4)).toEqual([201, 401, 401, 200]);
  });
  test('including the number of events', async () => {
    for (const kind of ['unknown', 'verified owner'] as const) {
      const { id } = (await signUp(await createAddress(kind))).body['user'] as { id: string };
      expect((await recording.commands.load(account, id)).revision, kind).toBe(1);
    }
  });
});

describe('the owner of an address that another person signs up with', () => {
  test('keeps account, password and session, and receives one mail for each new password', async () => {
    const email = await createAddress('verified owner');
    const before = await post('login', { email, password: OWNERS_PASSWORD });
    const { id } = (await signUp(email)).body['user'] as { id: string };
    await signUp(email);
    expect(id).not.toBe((before.body['user'] as { id: string }).id);
    expect(await post('verify', undefined, before.body['token'] as string)).toMatchObject({
      status: 200,
      body: { user: { displayName: 'Anna', isEmailVerified: true } },
    });
    expect((await post('login', { email, password: OWNERS_PASSWORD })).body['user']).toMatchObject({
      id: (before.body['user'] as { id: string }).id,
    });
    await mailboxes.waitForMail(email, 'You already have an account');
    await signUp(email, OTHER_PASSWORD);
    await expect
      .poll(
        async () => (await mailboxes.mailsTo(email)).filter(({ subject }) => subject.startsWith('You already')).length,
      )
      .toBe(2);
    // A sign-up with the address of a verified account creates a stand-in account, whose code is not mailed.
    expect((await mailboxes.mailsTo(email)).filter(({ subject }) => subject.endsWith('code'))).toHaveLength(1);
  });
  test('does not get access to a verified account by a sign-up with its password', async () => {
    const email = await createAddress('verified owner');
    expect((await signUp(email, OWNERS_PASSWORD)).body['user']).toMatchObject({ isEmailVerified: false });
  });
});

/** Sends a request several times in sequence, and returns all responses. */
async function sendRepeatedly(times: number, sendRequest: () => Promise<ApiResponse>): Promise<readonly ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (let time = 0; time < times; time += 1) responses.push(await sendRequest());
  return responses;
}
