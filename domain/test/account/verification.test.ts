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
  minutes,
  registered,
  repeated,
  verified,
} from './people.ts';

const issuedAgain: AccountEvent = {
  type: 'EmailVerificationIssued',
  data: { accountId: 'anna', issuanceId: 'issuance-2', expiresAt: at(15 * minutes) },
};
const cleared: AccountEvent = {
  type: 'EmailVerificationCleared',
  data: { accountId: 'anna', issuanceId: 'issuance-1', reason: null },
};

describe('verifying the e-mail address', () => {
  const verifying =
    (code: string, offset_ms = 0) =>
    (state: AccountState) =>
      verifyEmail({ code }, state, codeOf, contextAt(offset_ms));

  test('succeeds with the code issued last', () => {
    given(registered, issued).when(verifying('111111')).then(verified);
  });
  test('counts a wrong code', () => {
    given(registered, issued).when(verifying('000000')).then(failed);
  });
  test('still succeeds on the fifth attempt', () => {
    given(registered, issued, failed, failed, failed, failed).when(verifying('111111')).then(verified);
  });
  test('is refused after five wrong codes, even with the right one', () => {
    given(registered, issued, failed, failed, failed, failed, failed)
      .when(verifying('111111'))
      .thenRefused('VERIFICATION_FAILED', { message: 'Verification failed' });
  });
  test('succeeds until the code expires, and is refused from then on', () => {
    given(registered, issued)
      .when(verifying('111111', 15 * minutes - 1))
      .then(verified);
    given(registered, issued)
      .when(verifying('111111', 15 * minutes))
      .thenRefused('VERIFICATION_FAILED');
  });
  test('is refused for an unknown address', () => {
    given().when(verifying('111111')).thenRefused('VERIFICATION_FAILED');
  });
  test('is refused once the account is closed', () => {
    given(registered, issued, closed).when(verifying('111111')).thenRefused('VERIFICATION_FAILED');
  });
  test('is refused to a stand-in, even with its code', () => {
    given(...repeated)
      .when(verifying('111111'))
      .thenRefused('VERIFICATION_FAILED');
  });
  test('twice changes nothing', () => {
    given(registered, issued, verified).when(verifying('111111')).then();
  });
  test('a new code makes the old one useless and gives five attempts again', () => {
    const history = [registered, issued, failed, failed, failed, failed, failed, issuedAgain];
    given(...history)
      .when(verifying('111111'))
      .then({ type: 'EmailVerificationFailed', data: { accountId: 'anna', issuanceId: 'issuance-2' } });
    given(...history)
      .when(verifying('222222'))
      .then(verified);
  });
});

describe('asking for another code', () => {
  const asking =
    (offset_ms = 0) =>
    (state: AccountState) =>
      resendVerification(state, contextAt(offset_ms, 2));

  test('issues one after a minute', () => {
    given(registered, issued)
      .when(asking(minutes))
      .then({
        type: 'EmailVerificationIssued',
        data: { accountId: 'anna', issuanceId: 'issuance-2', expiresAt: at(16 * minutes) },
      });
  });
  test('is refused before', () => {
    given(registered, issued)
      .when(asking(minutes - 1))
      .thenRefused('RESEND_TOO_SOON', { retryAfter_s: 1, message: 'Failed to resend verification code' });
  });
  test('twice within the minute is refused', () => {
    given(registered, issued, { at: at(minutes), event: issuedAgain })
      .when(asking(minutes + 1))
      .thenRefused('RESEND_TOO_SOON', { retryAfter_s: 60 });
  });
  test('issues one at once where the code before was taken back', () => {
    given(registered, issued, cleared).when(asking()).then(issuedAgain);
  });
  test('does nothing for a verified address', () => {
    given(registered, issued, verified).when(asking()).then();
  });
  test('is refused for an unknown address, a closed account and a stand-in', () => {
    given().when(asking()).thenRefused('NO_USER_EMAIL', { message: 'No user email found' });
    given(registered, issued, closed).when(asking(minutes)).thenRefused('NO_USER_EMAIL');
    given(...repeated)
      .when(asking(minutes))
      .thenRefused('NO_USER_EMAIL');
  });
});

describe('an admin who clears codes', () => {
  test('takes an open one back: it works no more', () => {
    given(registered, issued)
      .when((state) => clearVerification(null, state))
      .then(cleared);
    given(registered, issued, cleared)
      .when((state) => verifyEmail({ code: '111111' }, state, codeOf, contextAt()))
      .thenRefused('VERIFICATION_FAILED');
  });
  test('twice changes nothing', () => {
    given(registered, issued, cleared)
      .when((state) => clearVerification(null, state))
      .then();
  });
  test('finds none where the address is verified, or nobody is', () => {
    given(registered, issued, verified)
      .when((state) => clearVerification(null, state))
      .then();
    given()
      .when((state) => clearVerification(null, state))
      .then();
    given(registered, issued, closed)
      .when((state) => clearVerification(null, state))
      .then();
  });
});
