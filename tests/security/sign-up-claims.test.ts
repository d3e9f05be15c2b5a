import { account, createMailId } from '@alpenglow/domain';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { after, PASSWORD, type ApiResponse } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { assertProperty } from '../support/property.ts';
import { testApi, testMailboxes, testProduct, testRecording } from '../support/fixtures.ts';

/**
 * A squatter signs up with the e-mail address of another person, the owner of the mailbox (R-10.12 to, decision
 * 0055). The squatter must never get a verified account with this address, nor choose the data of the owner's account.
 */

const product = testProduct({ exposeVerificationCodes: false });
const api = testApi(product);
const mailboxes = testMailboxes(product);
const recording = testRecording(product);

const NEW_PASSWORD = 'a new donkey battery';
const RESET = 'Reset your';
const CODE = 'code';
const wrongCodeFor = (code: string) => (code === '000000' ? '000001' : '000000');
const uniqueEmail = () => `${randomUUID()}@example.com`;

interface Details {
  readonly password: string;
  readonly userType: 'client' | 'provider';
  readonly displayName: string;
  readonly age: number;
}
const OWNER: Details = { password: PASSWORD, userType: 'provider', displayName: 'The owner', age: 40 };
const SQUATTER: Details = { password: 'a pony in the rain', userType: 'client', displayName: 'The squatter', age: 20 };

/** A person with a browser, which stores the cookie and the session of the last response. */
class Browser {
  cookie = '';
  token: string | undefined;

  async post(path: string, body: unknown, { isSignedIn = true } = {}): Promise<ApiResponse> {
    const response = await api.call('POST', `/api/auth/${path}`, {
      body,
      headers: this.cookie === '' ? {} : { cookie: this.cookie },
      ...(isSignedIn && this.token !== undefined && { token: this.token }),
    });
    const cookie = response.headers.get('set-cookie');
    if (cookie !== null) this.cookie = cookie.split(';')[0] ?? '';
    const { token } = response.body;
    if (typeof token === 'string') this.token = token;
    return response;
  }
  readonly signUp = (email: string, details: Details) => this.post('signup', { email, ...details });
  readonly verify = (email: string, code: string) => this.post('verify-email', { email, code });
  readonly reset = (email: string, code: string, details?: Omit<Details, 'password'>) =>
    this.post('reset-password', { email, code, newPassword: NEW_PASSWORD, ...details });
  readonly isSignedIn = async () => (await this.post('verify', undefined)).status === 200;
}

const logIn = (email: string, password: string) => new Browser().post('login', { email, password });
const userOf = ({ body }: ApiResponse) => body['user'] as Record<string, unknown> | undefined;

/** Waits until an address has received this number of mails with a subject, and returns the code of the last one. */
async function waitForCode(email: string, subject: string, count = 1): Promise<string> {
  await expect
    .poll(async () => (await mailboxes.mailsTo(email)).filter((mail) => mail.subject.includes(subject)).length)
    .toBe(count);
  return mailboxes.waitForCode(email, subject);
}

describe('a second sign-up with an unverified address', () => {
  test.each(['password', 'userType', 'displayName', 'age'] as const)(
    'with another %s is the one that the mailed code verifies',
    async (field) => {
      const [email, first, second] = [uniqueEmail(), new Browser(), new Browser()];
      await first.signUp(email, { ...OWNER, [field]: SQUATTER[field] });
      await waitForCode(email, CODE);
      await second.signUp(email, OWNER);
      const verified = await second.verify(email, await waitForCode(email, CODE, 2));
      const { password: _, ...fields } = OWNER;
      expect(verified).toMatchObject({ status: 200, body: { user: { ...fields, isEmailVerified: true } } });
      expect((await logIn(email, OWNER.password)).status).toBe(200);
      expect(await first.isSignedIn()).toBe(false);
    },
  );
  test('ends the earlier sign-up: its session, its password and its code', async () => {
    const [email, squatter, owner] = [uniqueEmail(), new Browser(), new Browser()];
    await squatter.signUp(email, SQUATTER);
    const firstCode = await waitForCode(email, CODE);
    expect(await squatter.isSignedIn()).toBe(true);
    await owner.signUp(email, OWNER);
    expect(await squatter.isSignedIn()).toBe(false);
    expect((await logIn(email, SQUATTER.password)).status).toBe(401);
    expect((await squatter.verify(email, firstCode)).status).toBe(400);
    const code = await waitForCode(email, CODE, 2);
    expect((await squatter.verify(email, code)).status).toBe(400);
    expect((await owner.verify(email, code)).status).toBe(200);
  });
  test('gives nothing of the earlier sign-up to the later one', async () => {
    const [email, first, second] = [uniqueEmail(), new Browser(), new Browser()];
    await first.signUp(email, { ...SQUATTER, userType: 'client' });
    await addFavorite(first);
    const later = await second.signUp(email, { ...OWNER, userType: 'client' });
    expect(await favoritesOf(later, later)).toEqual([]);
  });
});

async function addFavorite({ token }: Browser): Promise<void> {
  const { adId } = await apiOfProvider();
  const added = await api.call('POST', '/api/favorites', { ...(token !== undefined && { token }), body: { adId } });
  expect(added.status).toBe(201);
}

/** Returns the favorites of a signed-in user, as they are after the position of a response. */
async function favoritesOf(session: ApiResponse, write: ApiResponse): Promise<unknown> {
  const { id } = userOf(session) as { id: string };
  const favorites = await api.call('GET', `/api/favorites/${id}`, {
    token: session.body['token'] as string,
    headers: after(write),
  });
  expect(favorites.status).toBe(200);
  return favorites.body['adIds'];
}

async function apiOfProvider(): Promise<{ adId: string }> {
  const [email, browser] = [uniqueEmail(), new Browser()];
  await browser.signUp(email, OWNER);
  await browser.verify(email, await waitForCode(email, CODE));
  return { adId: (await api.postAd(browser.token as string)).id };
}

describe('the code of a sign-up', () => {
  test('is rejected while signed out, so that the owner cannot verify the account of a squatter', async () => {
    const [email, squatter, owner] = [uniqueEmail(), new Browser(), new Browser()];
    await squatter.signUp(email, SQUATTER);
    const code = await waitForCode(email, CODE);
    expect((await owner.verify(email, code)).body['code']).toBe('VERIFICATION_FAILED');
    expect(userOf(await logIn(email, SQUATTER.password))).toMatchObject({ isEmailVerified: false });
  });
  test('works in the browser that signed up without its session, and elsewhere after a login', async () => {
    for (const [index, isSameBrowser] of [true, false].entries()) {
      const [email, browser] = [uniqueEmail(), new Browser()];
      await browser.signUp(email, { ...OWNER, age: 30 + index });
      const code = await waitForCode(email, CODE);
      if (isSameBrowser) {
        expect((await browser.post('verify-email', { email, code }, { isSignedIn: false })).status).toBe(200);
        continue;
      }
      const other = new Browser();
      await other.post('login', { email, password: OWNER.password });
      expect((await other.verify(email, code)).status).toBe(200);
    }
  });
  test('survives any number of wrong codes of strangers', async () => {
    const [email, owner, stranger] = [uniqueEmail(), new Browser(), new Browser()];
    await owner.signUp(email, OWNER);
    const code = await waitForCode(email, CODE);
    await stranger.signUp(uniqueEmail(), SQUATTER);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      expect((await new Browser().verify(email, wrongCodeFor(code))).status).toBe(400);
      expect((await stranger.verify(email, wrongCodeFor(code))).status).toBe(400);
    }
    expect((await owner.verify(email, code)).status).toBe(200);
  });
  test('is not renewed for a stranger', async () => {
    const [email, owner] = [uniqueEmail(), new Browser()];
    await owner.signUp(email, OWNER);
    const code = await waitForCode(email, CODE);
    expect((await new Browser().post('resend-verification', { email })).status).toBe(200);
    expect((await owner.verify(email, code)).status).toBe(200);
  });
});

describe('a password reset', () => {
  const { password: _password, ...profile } = OWNER;

  test('of an unverified address asks for type, name and age, and ends the sign-up of a squatter', async () => {
    const [email, squatter, owner] = [uniqueEmail(), new Browser(), new Browser()];
    await squatter.signUp(email, SQUATTER);
    await owner.post('forgot-password', { email });
    const code = await waitForCode(email, RESET);
    expect(await owner.reset(email, code)).toMatchObject({
      status: 422,
      body: { code: 'PROFILE_REQUIRED', message: 'Please enter your account type, display name and age' },
    });
    expect((await owner.reset(email, code, { ...profile, age: 17 })).status).toBe(400);
    expect((await owner.reset(email, code, profile)).status).toBe(200);
    expect(await squatter.isSignedIn()).toBe(false);
    expect((await logIn(email, SQUATTER.password)).status).toBe(401);
    expect(userOf(await logIn(email, NEW_PASSWORD))).toMatchObject({ ...profile, isEmailVerified: true });
  });
  test('gives nothing of the sign-up of a squatter to the owner', async () => {
    const [email, squatter, owner] = [uniqueEmail(), new Browser(), new Browser()];
    await squatter.signUp(email, { ...SQUATTER, userType: 'client' });
    await addFavorite(squatter);
    await owner.post('forgot-password', { email });
    const reset = await owner.reset(email, await waitForCode(email, RESET), { ...profile, userType: 'client' });
    expect(await favoritesOf(await logIn(email, NEW_PASSWORD), reset)).toEqual([]);
  });
  test('of a verified address keeps type, name and age, and ends the session of a later sign-up', async () => {
    const [email, squatter, owner] = [uniqueEmail(), new Browser(), new Browser()];
    await owner.signUp(email, OWNER);
    await owner.verify(email, await waitForCode(email, CODE));
    await squatter.signUp(email, SQUATTER);
    expect(await squatter.isSignedIn()).toBe(true);
    await owner.post('forgot-password', { email });
    expect((await owner.reset(email, await waitForCode(email, RESET))).status).toBe(200);
    expect(await squatter.isSignedIn()).toBe(false);
    expect((await logIn(email, SQUATTER.password)).status).toBe(401);
    expect(userOf(await logIn(email, NEW_PASSWORD))).toMatchObject(profile);
  });
  test('is not prevented by wrong codes, other requests or sign-ups of a stranger', async () => {
    const [email, owner, stranger] = [uniqueEmail(), new Browser(), new Browser()];
    await owner.signUp(email, OWNER);
    await owner.verify(email, await waitForCode(email, CODE));
    // The sign-up with another address gives the stranger a cookie.
    await stranger.signUp(uniqueEmail(), SQUATTER);
    await owner.post('forgot-password', { email });
    const code = await waitForCode(email, RESET);
    await stranger.post('forgot-password', { email });
    for (let attempt = 0; attempt < 6; attempt += 1) {
      expect((await stranger.reset(email, wrongCodeFor(code))).status).toBe(400);
      expect((await new Browser().reset(email, wrongCodeFor(code))).status).toBe(400);
    }
    await stranger.signUp(email, SQUATTER);
    expect((await owner.reset(email, code)).status).toBe(200);
  });
  test('accepts the code only from the client that requested it', async () => {
    const [email, owner, stranger] = [uniqueEmail(), new Browser(), new Browser()];
    await owner.signUp(email, OWNER);
    await stranger.signUp(uniqueEmail(), SQUATTER);
    await owner.post('forgot-password', { email });
    const code = await waitForCode(email, RESET);
    expect((await stranger.reset(email, code, profile)).body['code']).toBe('RESET_FAILED');
    expect((await owner.reset(email, code, profile)).status).toBe(200);
  });
});

/** An action of one of the two persons. Only the owner can read the mails. */
type Action = readonly [
  'owner' | 'squatter',
  'sign-up' | 'sign-up-again' | 'verify' | 'resend' | 'guess' | 'request-reset' | 'reset' | 'log-in',
];
const actions = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constant('owner' as const),
      fc.constantFrom('sign-up', 'verify', 'resend', 'request-reset', 'reset', 'log-in'),
    ),
    fc.tuple(
      fc.constant('squatter' as const),
      fc.constantFrom('sign-up', 'sign-up-again', 'verify', 'resend', 'guess', 'request-reset', 'reset', 'log-in'),
    ),
  ),
  { minLength: 1, maxLength: 12 },
) as fc.Arbitrary<readonly Action[]>;

describe('in every order of actions of an owner and a squatter', () => {
  const { password: _password, ...profile } = OWNER;

  const findCode = (text: string | undefined) => /\b\d{6}\b/u.exec(text ?? '')?.[0];

  /** Returns the last code that was mailed to the address, which may belong to another sign-up, or a wrong code. */
  async function readCode(email: string, subject: string): Promise<string> {
    const mail = (await mailboxes.mailsTo(email)).findLast((each) => each.subject.includes(subject));
    return findCode(mail?.text) ?? '000000';
  }

  /**
   * Waits for the mail with the valid verification code of an account, and returns the code. Entering codes of earlier
   * mails in the meantime would use up the attempts.
   */
  async function waitForValidCode(email: string, accountId: string): Promise<string> {
    const { state } = await recording.commands.load(account, accountId);
    const mailId = createMailId('verification', state?.openVerificationCode?.issuanceId ?? '');
    return eventually(async () => {
      const code = findCode((await mailboxes.mailsTo(email)).find(({ id }) => id === mailId)?.text);
      if (code === undefined) throw new Error('The mail with the code has not arrived');
      return code;
    });
  }

  async function act([person, action]: Action, email: string, browser: Browser): Promise<void> {
    const isOwner = person === 'owner';
    const details = isOwner ? OWNER : SQUATTER;
    const enteredCode = async (subject: string) => (isOwner ? readCode(email, subject) : '123456');
    switch (action) {
      case 'sign-up':
        await browser.signUp(email, details);
        return;
      case 'sign-up-again':
        await browser.signUp(email, { ...details, password: 'two ponies in the rain' });
        return;
      case 'verify':
        await browser.verify(email, await enteredCode(CODE));
        return;
      case 'resend':
        await browser.post('resend-verification', { email });
        return;
      case 'guess':
        for (let attempt = 0; attempt < 5; attempt += 1) await browser.verify(email, '123456');
        return;
      case 'request-reset':
        await browser.post('forgot-password', { email });
        return;
      case 'reset':
        await browser.reset(email, await enteredCode(RESET), profile);
        return;
      case 'log-in':
        await browser.post('login', { email, password: details.password });
        return;
    }
  }

  test('the squatter gets no verified account, and the owner can always get one with the owner’s data', async () => {
    await assertProperty(
      fc.asyncProperty(actions, async (sequence) => {
        const email = uniqueEmail();
        const browsers = { owner: new Browser(), squatter: new Browser() };
        // Both persons have a cookie of an earlier visit.
        for (const browser of Object.values(browsers)) await browser.post('forgot-password', { email: uniqueEmail() });
        for (const action of sequence) {
          await act(action, email, browsers[action[0]]);
          for (const password of [SQUATTER.password, 'two ponies in the rain'])
            expect(userOf(await logIn(email, password))?.['isEmailVerified'] ?? false).toBe(false);
        }
        // Whatever has happened, a last sign-up with its code, or a reset, gives the account to the owner.
        const signedUp = await browsers.owner.signUp(email, OWNER);
        expect(signedUp.status).toBe(201);
        const isVerified = userOf(await logIn(email, NEW_PASSWORD)) ?? userOf(await logIn(email, OWNER.password));
        if (isVerified?.['isEmailVerified'] !== true) {
          const session = browsers.owner.token;
          const code = await waitForValidCode(email, userOf(signedUp)?.['id'] as string);
          expect((await browsers.owner.verify(email, code)).status).toBe(200);
          expect(session).toBe(browsers.owner.token);
        }
        const owned = [userOf(await logIn(email, OWNER.password)), userOf(await logIn(email, NEW_PASSWORD))].find(
          (user) => user?.['isEmailVerified'] === true,
        );
        expect(owned).toMatchObject(profile);
        // No session of the squatter is verified.
        expect(userOf(await browsers.squatter.post('verify', undefined))?.['isEmailVerified'] ?? false).toBe(false);
      }),
      { name: 'sequences of an owner and a squatter', short: 4, minimum: 10, maximum: 60, time_s: 30 },
      { endOnFailure: true },
    );
  });
});
