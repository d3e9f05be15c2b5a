import { describe, test } from 'vitest';
import { clearVerification, resendVerification, verifyEmail } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import {
  at,
  closed,
  codeOf,
  contextAt,
  failed,
  given,
  issued,
  MINUTE_ms,
  registered,
  repeatedSignUp,
  verified,
} from './anna.ts';

const issuedAgain: AccountEvent = {
  type: 'EmailVerificationIssued',
  data: { accountId: 'anna', issuanceId: 'issuance-2', expiresAt: at(15 * MINUTE_ms) },
};
const cleared: AccountEvent = {
  type: 'EmailVerificationCleared',
  data: { accountId: 'anna', issuanceId: 'issuance-1', reason: null },
};

describe('verifying the e-mail address', () => {
  const verifying =
    (code: string, offset_ms = 0) =>
    (state: AccountState) =>
      verifyEmail({ code, deriveCode: codeOf }, state, contextAt(offset_ms));

  test('succeeds with the code issued last', () => {
    given(registered, issued).when(verifying('111111')).then(verified);
  });
  test('counts a wrong code', () => {
    given(registered, issued).when(verifying('000000')).then(failed);
  });
  test('still succeeds on the fifth attempt', () => {
    given(registered, issued, failed, failed, failed, failed).when(verifying('111111')).then(verified);
  });
  test('is rejected after five wrong codes, even with the right code', () => {
    given(registered, issued, failed, failed, failed, failed, failed)
      .when(verifying('111111'))
      .thenThrows('VERIFICATION_FAILED', { message: 'Verification failed' });
  });
  test('succeeds until the code expires, and is rejected after', () => {
    given(registered, issued)
      .when(verifying('111111', 15 * MINUTE_ms - 1))
      .then(verified);
    given(registered, issued)
      .when(verifying('111111', 15 * MINUTE_ms))
      .thenThrows('VERIFICATION_FAILED');
  });
  test('is rejected for an unknown address', () => {
    given().when(verifying('111111')).thenThrows('VERIFICATION_FAILED');
  });
  test('is rejected after the account is closed', () => {
    given(registered, issued, closed).when(verifying('111111')).thenThrows('VERIFICATION_FAILED');
  });
  test('is rejected for a stand-in, even with its code', () => {
    given(...repeatedSignUp)
      .when(verifying('111111'))
      .thenThrows('VERIFICATION_FAILED');
  });
  test('changes nothing the second time', () => {
    given(registered, issued, verified).when(verifying('111111')).then();
  });
  test('invalidates the old code and allows five attempts again after a new code', () => {
    const history = [registered, issued, failed, failed, failed, failed, failed, issuedAgain];
    given(...history)
      .when(verifying('111111'))
      .then({ type: 'EmailVerificationFailed', data: { accountId: 'anna', issuanceId: 'issuance-2' } });
    given(...history)
      .when(verifying('222222'))
      .then(verified);
  });
});

describe('requesting another code', () => {
  const requesting =
    (offset_ms = 0) =>
    (state: AccountState) =>
      resendVerification({}, state, contextAt(offset_ms, 2));

  test('issues a code after a minute', () => {
    given(registered, issued)
      .when(requesting(MINUTE_ms))
      .then({
        type: 'EmailVerificationIssued',
        data: { accountId: 'anna', issuanceId: 'issuance-2', expiresAt: at(16 * MINUTE_ms) },
      });
  });
  test('is rejected within the first minute', () => {
    given(registered, issued)
      .when(requesting(MINUTE_ms - 1))
      .thenThrows('RESEND_TOO_SOON', { retryAfter_s: 1, message: 'Failed to resend verification code' });
  });
  test('is rejected the second time within a minute', () => {
    given(registered, issued, { at: at(MINUTE_ms), event: issuedAgain })
      .when(requesting(MINUTE_ms + 1))
      .thenThrows('RESEND_TOO_SOON', { retryAfter_s: 60 });
  });
  test('issues a code at once if the previous code was revoked', () => {
    given(registered, issued, cleared).when(requesting()).then(issuedAgain);
  });
  test('does nothing for a verified address', () => {
    given(registered, issued, verified).when(requesting()).then();
  });
  test('is rejected for an unknown address, a closed account and a stand-in', () => {
    given().when(requesting()).thenThrows('NO_USER_EMAIL', { message: 'No user email found' });
    given(registered, issued, closed).when(requesting(MINUTE_ms)).thenThrows('NO_USER_EMAIL');
    given(...repeatedSignUp)
      .when(requesting(MINUTE_ms))
      .thenThrows('NO_USER_EMAIL');
  });
});

describe('clearing a verification code as an admin', () => {
  test('invalidates the open code', () => {
    given(registered, issued)
      .when((state, context) => clearVerification({ reason: null }, state, context))
      .then(cleared);
    given(registered, issued, cleared)
      .when((state) => verifyEmail({ code: '111111', deriveCode: codeOf }, state, contextAt()))
      .thenThrows('VERIFICATION_FAILED');
  });
  test('changes nothing the second time', () => {
    given(registered, issued, cleared)
      .when((state, context) => clearVerification({ reason: null }, state, context))
      .then();
  });
  test('does nothing for a verified address, an unknown address or a closed account', () => {
    given(registered, issued, verified)
      .when((state, context) => clearVerification({ reason: null }, state, context))
      .then();
    given()
      .when((state, context) => clearVerification({ reason: null }, state, context))
      .then();
    given(registered, issued, closed)
      .when((state, context) => clearVerification({ reason: null }, state, context))
      .then();
  });
});
