import { describe, test } from 'vitest';
import type { SignUpProof } from '../../src/account/commands.ts';
import { clearVerification, resendVerification, verifyEmail } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import {
  anna,
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
const HER_SESSION = { passwordVersion: 0, browser: null };
const NO_PROOF = { passwordVersion: null, browser: null };
const cleared: AccountEvent = {
  type: 'EmailVerificationCleared',
  data: { accountId: 'anna', issuanceId: 'issuance-1', reason: null },
};

const enter = (state: AccountState, proof: SignUpProof, code = '111111') =>
  verifyEmail({ code, deriveCode: codeOf, proof }, state, contextAt());

describe('verifying the e-mail address', () => {
  const verifying =
    (code: string, offset_ms = 0) =>
    (state: AccountState) =>
      verifyEmail({ code, deriveCode: codeOf, proof: HER_SESSION }, state, contextAt(offset_ms));

  test('succeeds with the code issued last', () => {
    given(registered, issued).when(verifying('111111')).then(verified);
  });
  test('succeeds in the browser that signed up, also without a session', () => {
    const inBrowser: AccountEvent = { type: 'AccountRegistered', data: { ...anna, browser: 'her browser' } };
    given(inBrowser, issued)
      .when((state) => enter(state, { passwordVersion: null, browser: 'her browser' }))
      .then(verified);
    given(inBrowser, issued)
      .when((state) => enter(state, { passwordVersion: null, browser: 'another' }))
      .thenThrows('VERIFICATION_FAILED');
  });
  test('is rejected without a session and counts no wrong code, so that no stranger can use up the attempts', () => {
    for (const code of ['111111', '000000'])
      given(registered, issued)
        .when((state) => enter(state, NO_PROOF, code))
        .thenThrows('VERIFICATION_FAILED');
  });
  test('is rejected in the session of a replaced sign-up', () => {
    given(registered, issued, registered, issuedAgain)
      .when((state) => enter(state, { passwordVersion: 0, browser: null }, '222222'))
      .thenThrows('VERIFICATION_FAILED');
    given(registered, issued, registered, issuedAgain)
      .when((state) => enter(state, { passwordVersion: 1, browser: null }, '222222'))
      .then(verified);
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
  test('counts every code of a stand-in as wrong, even its own, so that its attempts end like those of others', () => {
    const failedOfStandIn: AccountEvent = {
      type: 'EmailVerificationFailed',
      data: { accountId: 'stand-in', issuanceId: 'issuance-1' },
    };
    for (const code of ['000000', '111111'])
      given(...repeatedSignUp)
        .when(verifying(code))
        .then(failedOfStandIn);
    given(...repeatedSignUp, ...Array.from({ length: 5 }, () => failedOfStandIn))
      .when(verifying('000000'))
      .thenThrows('VERIFICATION_FAILED');
  });
  test('is rejected for a stand-in without a session and counts no wrong code', () => {
    given(...repeatedSignUp)
      .when((state) => enter(state, NO_PROOF))
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
      resendVerification({ proof: HER_SESSION }, state, contextAt(offset_ms, 2));

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
  test('issues a code for a stand-in, so that the responses do not differ', () => {
    given(...repeatedSignUp)
      .when(requesting(MINUTE_ms))
      .then({
        type: 'EmailVerificationIssued',
        data: { accountId: 'stand-in', issuanceId: 'issuance-2', expiresAt: at(16 * MINUTE_ms) },
      });
  });
  test('does nothing for a client that did not sign up', () => {
    given(registered, issued).decide(resendVerification, { proof: NO_PROOF }, contextAt(MINUTE_ms, 2)).then();
  });
  test('is rejected for an unknown address and a closed account', () => {
    given().when(requesting()).thenThrows('NO_USER_EMAIL', { message: 'No user email found' });
    given(registered, issued, closed).when(requesting(MINUTE_ms)).thenThrows('NO_USER_EMAIL');
  });
});

describe('clearing a verification code as an admin', () => {
  test('invalidates the open code', () => {
    given(registered, issued).decide(clearVerification, { reason: null }).then(cleared);
    given(registered, issued, cleared)
      .decide(verifyEmail, { code: '111111', deriveCode: codeOf, proof: HER_SESSION }, contextAt())
      .thenThrows('VERIFICATION_FAILED');
  });
  test('changes nothing the second time', () => {
    given(registered, issued, cleared).decide(clearVerification, { reason: null }).then();
  });
  test('does nothing for a verified address, an unknown address or a closed account', () => {
    given(registered, issued, verified).decide(clearVerification, { reason: null }).then();
    given().decide(clearVerification, { reason: null }).then();
    given(registered, issued, closed).decide(clearVerification, { reason: null }).then();
  });
});
