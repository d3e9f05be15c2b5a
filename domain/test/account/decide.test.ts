import { describe, expect, test } from 'vitest';
import { registerAccount, resendVerification, verifyEmail } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import { account, type RegisteredAccount } from '../../src/account/state.ts';
import { userView } from '../../src/account/views.ts';
import { AT, given as givenOf } from '../given.ts';

const given = givenOf(account);
const at = (offset_ms: number) => new Date(Date.parse(AT) + offset_ms).toISOString();
const context = { now: AT, newId: () => 'issuance-1' };
const minutes = 60_000;

const anna = { accountId: 'anna', email: 'anna@example.com', passwordHash: 'hash', userType: 'provider' as const, displayName: 'Anna', age: 30, isDemo: false };
const registered: AccountEvent = { type: 'AccountRegistered', data: anna };
const issued: AccountEvent = { type: 'EmailVerificationIssued', data: { accountId: 'anna', issuanceId: 'issuance-1', expiresAt: at(15 * minutes) } };
const failed: AccountEvent = { type: 'EmailVerificationFailed', data: { accountId: 'anna', issuanceId: 'issuance-1' } };
const verified: AccountEvent = { type: 'EmailVerified', data: { accountId: 'anna' } };

describe('registering', () => {
  test('opens the account and issues a code for 15 minutes', () => {
    given().when((state) => registerAccount(anna, state, context)).then(registered, issued);
  });
  test('a demo account counts as verified', () => {
    given().when((state) => registerAccount({ ...anna, isDemo: true }, state, context)).then({ type: 'AccountRegistered', data: { ...anna, isDemo: true } }, verified);
  });
  test('is refused below 18', () => {
    given().when((state) => registerAccount({ ...anna, age: 17 }, state, context)).thenRefused('UNDER_AGE');
  });
  test('is refused for an address that has an account', () => {
    given(registered, issued).when((state) => registerAccount(anna, state, context)).thenRefused('EMAIL_TAKEN');
  });
});

describe('verifying the e-mail address', () => {
  const verifying = (code: string, offset_ms = 0) => (state: RegisteredAccount | null) => verifyEmail({ code }, state, (id) => (id === 'issuance-1' ? '123456' : '999999'), { ...context, now: at(offset_ms) });

  test('succeeds with the code issued last', () => {
    given(registered, issued).when(verifying('123456')).then(verified);
  });
  test('counts a wrong code', () => {
    given(registered, issued).when(verifying('000000')).then(failed);
  });
  test('still succeeds on the fifth attempt', () => {
    given(registered, issued, failed, failed, failed, failed).when(verifying('123456')).then(verified);
  });
  test('is refused after five wrong codes, even with the right one', () => {
    given(registered, issued, failed, failed, failed, failed, failed).when(verifying('123456')).thenRefused('VERIFICATION_FAILED', { message: 'Verification failed' });
  });
  test('is refused once the code has expired', () => {
    given(registered, issued).when(verifying('123456', 15 * minutes)).thenRefused('VERIFICATION_FAILED');
  });
  test('is refused for an unknown address', () => {
    given().when(verifying('123456')).thenRefused('VERIFICATION_FAILED');
  });
  test('twice changes nothing', () => {
    given(registered, issued, verified).when(verifying('123456')).then();
  });
  test('a new code makes the old one useless and gives five attempts again', () => {
    const again: AccountEvent = { type: 'EmailVerificationIssued', data: { accountId: 'anna', issuanceId: 'issuance-2', expiresAt: at(15 * minutes) } };
    given(registered, issued, failed, failed, failed, failed, failed, again).when(verifying('123456')).then({ ...failed, data: { accountId: 'anna', issuanceId: 'issuance-2' } });
    given(registered, issued, failed, failed, failed, failed, failed, again).when(verifying('999999')).then(verified);
  });
});

describe('asking for another code', () => {
  test('issues one after a minute', () => {
    const now = at(minutes);
    given(registered, issued)
      .when((state) => resendVerification(state, { now, newId: () => 'issuance-2' }))
      .then({ type: 'EmailVerificationIssued', data: { accountId: 'anna', issuanceId: 'issuance-2', expiresAt: at(16 * minutes) } });
  });
  test('is refused before', () => {
    given(registered, issued).when((state) => resendVerification(state, { ...context, now: at(minutes - 1) })).thenRefused('RESEND_TOO_SOON', { retryAfter_s: 1 });
  });
  test('does nothing for a verified address', () => {
    given(registered, issued, verified).when((state) => resendVerification(state, context)).then();
  });
  test('is refused for an unknown address', () => {
    given().when((state) => resendVerification(state, context)).thenRefused('NO_USER_EMAIL');
  });
});

describe('an admin', () => {
  const viewed = (events: AccountEvent[], adminEmail: string | null) => userView(given(...events).state as RegisteredAccount, adminEmail);

  test('is the configured address in any case, once verified', () => {
    expect(viewed([registered, issued, verified], 'ANNA@example.com').isAdmin).toBe(true);
  });
  test('is nobody who has not verified it', () => {
    expect(viewed([registered, issued], 'anna@example.com').isAdmin).toBe(false);
  });
  test('is nobody when none is configured', () => {
    expect(viewed([registered, issued, verified], null).isAdmin).toBe(false);
  });
});
