import { describe, expect, test } from 'vitest';
import { changePassword, issuePasswordReset, resetPassword } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import {
  anna,
  at,
  closed,
  codeOf,
  contextAt,
  given,
  issued,
  minutes,
  passwordChanged,
  registered,
  repeated,
  resetFailed,
  resetIssued,
  verified,
} from './people.ts';

const open = [registered, issued, verified];

describe('changing the password', () => {
  const changing = (state: AccountState) => changePassword({ passwordHash: 'other hash' }, state);

  test('sets another one', () => {
    given(...open)
      .when(changing)
      .then(passwordChanged);
  });
  test('ends the sessions opened before, each time it is done', () => {
    expect(given(...open).state?.passwordVersion).toBe(0);
    expect(given(...open, passwordChanged).state).toMatchObject({ passwordVersion: 1, passwordHash: 'other hash' });
    given(...open, passwordChanged)
      .when(changing)
      .then(passwordChanged);
    expect(given(...open, passwordChanged, passwordChanged).state?.passwordVersion).toBe(2);
  });
  test('makes a reset code on its way useless', () => {
    given(...open, resetIssued, passwordChanged)
      .when((state) => resetPassword({ code: '222222', passwordHash: 'x' }, state, codeOf, contextAt()))
      .thenRefused('RESET_FAILED');
  });
  test('is refused before the e-mail is verified, and possible from then on', () => {
    given(registered, issued).when(changing).thenRefused('VERIFICATION_REQUIRED');
    given(registered, issued, verified).when(changing).then(passwordChanged);
  });
  test('is refused to a stand-in as to anybody who has not verified', () => {
    given(...repeated)
      .when(changing)
      .thenRefused('VERIFICATION_REQUIRED');
  });
  test('is refused once the account is closed', () => {
    given(...open, closed)
      .when(changing)
      .thenRefused('AUTHENTICATION_REQUIRED');
  });
});

describe('forgetting the password', () => {
  const forgetting =
    (offset_ms = 0) =>
    (state: AccountState) =>
      issuePasswordReset(state, contextAt(offset_ms, 2));

  test('issues a code for 15 minutes', () => {
    given(...open)
      .when(forgetting())
      .then(resetIssued);
  });
  test('does so for an address not verified yet: whoever has the code has the mailbox', () => {
    given(registered, issued).when(forgetting()).then(resetIssued);
  });
  test('twice within a minute issues one code, later another', () => {
    given(...open, resetIssued)
      .when(forgetting(minutes - 1))
      .then();
    given(...open, resetIssued)
      .when(forgetting(minutes))
      .then({
        type: 'PasswordResetIssued',
        data: { accountId: 'anna', issuanceId: 'issuance-2', expiresAt: at(16 * minutes) },
      });
  });
  test('does nothing, and says nothing, for an unknown address, a closed account, a stand-in and an account nobody can sign in to', () => {
    const demo: AccountEvent = { type: 'AccountRegistered', data: { ...anna, passwordHash: null, isDemo: true } };
    given().when(forgetting()).then();
    given(...open, closed)
      .when(forgetting())
      .then();
    given(...repeated)
      .when(forgetting())
      .then();
    given(demo, verified).when(forgetting()).then();
  });
});

describe('resetting the password', () => {
  const resetting =
    (code: string, offset_ms = 0) =>
    (state: AccountState) =>
      resetPassword({ code, passwordHash: 'other hash' }, state, codeOf, contextAt(offset_ms));

  test('succeeds with the code issued last', () => {
    given(...open, resetIssued)
      .when(resetting('222222'))
      .then(passwordChanged);
  });
  test('verifies an address that was not verified yet', () => {
    given(registered, issued, resetIssued).when(resetting('222222')).then(passwordChanged, verified);
  });
  test('counts a wrong code, the one that verifies the address among them', () => {
    given(registered, issued, resetIssued).when(resetting('000000')).then(resetFailed);
    given(registered, issued, resetIssued).when(resetting('111111')).then(resetFailed);
  });
  test('still succeeds on the fifth attempt, and is refused after five wrong codes', () => {
    const four = [...open, resetIssued, resetFailed, resetFailed, resetFailed, resetFailed];
    given(...four)
      .when(resetting('222222'))
      .then(passwordChanged);
    given(...four, resetFailed)
      .when(resetting('222222'))
      .thenRefused('RESET_FAILED', { message: 'Password reset failed' });
  });
  test('succeeds until the code expires, and is refused from then on', () => {
    given(...open, resetIssued)
      .when(resetting('222222', 15 * minutes - 1))
      .then(passwordChanged);
    given(...open, resetIssued)
      .when(resetting('222222', 15 * minutes))
      .thenRefused('RESET_FAILED');
  });
  test('twice with the same code is refused', () => {
    given(...open, resetIssued, passwordChanged)
      .when(resetting('222222'))
      .thenRefused('RESET_FAILED');
  });
  test('is refused where no code was issued: unknown, closed, a stand-in', () => {
    given().when(resetting('222222')).thenRefused('RESET_FAILED');
    given(...open)
      .when(resetting('222222'))
      .thenRefused('RESET_FAILED');
    given(...open, resetIssued, closed)
      .when(resetting('222222'))
      .thenRefused('RESET_FAILED');
    given(...repeated)
      .when(resetting('111111'))
      .thenRefused('RESET_FAILED');
  });
  test('is refused to a stand-in whatever its history says', () => {
    const issuedToStandIn: AccountEvent = {
      type: 'PasswordResetIssued',
      data: { accountId: 'stand-in', issuanceId: 'issuance-2', expiresAt: at(15 * minutes) },
    };
    given(...repeated, issuedToStandIn)
      .when(resetting('222222'))
      .thenRefused('RESET_FAILED');
  });
});
