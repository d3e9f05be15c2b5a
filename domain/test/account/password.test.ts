import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { changePassword, issuePasswordReset, rehashPassword, resetPassword } from '../../src/account/decide.ts';
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
  MINUTE_ms,
  passwordChanged,
  registered,
  repeatedSignUp,
  resetFailed,
  resetIssued,
  verified,
  verifiedByAdmin,
} from './anna.ts';

const open = [registered, issued, verified];

describe('changing the password', () => {
  const changing = (state: AccountState, context: DecisionContext) =>
    changePassword({ passwordHash: 'other hash' }, state, context);

  test('sets a new password', () => {
    given(...open)
      .when(changing)
      .then(passwordChanged);
  });
  test('ends all earlier sessions each time', () => {
    expect(given(...open).state?.passwordVersion).toBe(0);
    expect(given(...open, passwordChanged).state).toMatchObject({ passwordVersion: 1, passwordHash: 'other hash' });
    given(...open, passwordChanged)
      .when(changing)
      .then(passwordChanged);
    expect(given(...open, passwordChanged, passwordChanged).state?.passwordVersion).toBe(2);
  });
  test('invalidates an open reset code', () => {
    given(...open, resetIssued, passwordChanged)
      .decide(
        resetPassword,
        { code: '222222', passwordHash: 'x', deriveCode: codeOf, requesters: ['her browser'] },
        contextAt(),
      )
      .thenThrows('RESET_FAILED');
  });
  test('is rejected before the e-mail address is verified, and accepted after', () => {
    given(registered, issued).when(changing).thenThrows('VERIFICATION_REQUIRED');
    given(registered, issued, verified).when(changing).then(passwordChanged);
  });
  test('is rejected for a stand-in, like for any unverified account', () => {
    given(...repeatedSignUp)
      .when(changing)
      .thenThrows('VERIFICATION_REQUIRED');
  });
  test('is rejected after the account is closed', () => {
    given(...open, closed)
      .when(changing)
      .thenThrows('AUTHENTICATION_REQUIRED');
  });
});

function reset(state: AccountState, code: string, requesters: readonly string[], offset_ms = 0) {
  const command = { code, passwordHash: 'other hash', deriveCode: codeOf, requesters };
  return resetPassword(command, state, contextAt(offset_ms));
}

describe('requesting a password reset', () => {
  const forgetting =
    (offset_ms = 0, requesters = ['her browser', 'her network']) =>
    (state: AccountState) =>
      issuePasswordReset({ requesters }, state, contextAt(offset_ms, 2));

  test('issues a code that is valid for 15 minutes', () => {
    given(...open)
      .when(forgetting())
      .then(resetIssued);
  });
  test('issues a code for an unverified address, because the code proves access to the mailbox', () => {
    given(registered, issued).when(forgetting()).then(resetIssued);
  });
  test('issues at most one code per minute', () => {
    given(...open, resetIssued)
      .when(forgetting(MINUTE_ms - 1))
      .then();
    given(...open, resetIssued)
      .when(forgetting(MINUTE_ms))
      .then({
        type: 'PasswordResetIssued',
        data: {
          accountId: 'anna',
          issuanceId: 'issuance-2',
          expiresAt: at(16 * MINUTE_ms),
          requesters: ['her browser', 'her network'],
        },
      });
  });
  test('issues a code at once to another requester, and the first code remains valid', () => {
    const other: AccountEvent = {
      type: 'PasswordResetIssued',
      data: { accountId: 'anna', issuanceId: 'issuance-3', expiresAt: at(15 * MINUTE_ms), requesters: ['another'] },
    };
    given(...open, resetIssued)
      .decide(issuePasswordReset, { requesters: ['another'] }, contextAt(0, 3))
      .then(other);
    given(...open, resetIssued, other)
      .when((state) => reset(state, '222222', ['her browser']))
      .then(passwordChanged);
  });
  test('does nothing for an unknown address, a closed account, a stand-in or an account without a password', () => {
    const demo: AccountEvent = { type: 'AccountRegistered', data: { ...anna, passwordHash: null, isDemo: true } };
    given().when(forgetting()).then();
    given(...open, closed)
      .when(forgetting())
      .then();
    given(...repeatedSignUp)
      .when(forgetting())
      .then();
    given(demo, verified).when(forgetting()).then();
  });
});

describe('resetting the password', () => {
  const resetting =
    (code: string, offset_ms = 0) =>
    (state: AccountState) =>
      reset(state, code, ['her browser', 'her network'], offset_ms);

  test('succeeds with the code issued last', () => {
    given(...open, resetIssued)
      .when(resetting('222222'))
      .then(passwordChanged);
  });
  describe('of an unverified address', () => {
    const profile = { userType: 'client', displayName: 'The owner', age: 40 } as const;
    const resettingWith =
      (changes: Partial<typeof profile> | null) =>
      (state: AccountState): readonly AccountEvent[] =>
        resetPassword(
          {
            code: '222222',
            passwordHash: 'other hash',
            deriveCode: codeOf,
            requesters: ['her browser'],
            ...(changes && { profile: { ...profile, ...changes } }),
          },
          state,
          contextAt(),
        );
    const replaced: AccountEvent = {
      type: 'AccountRegistered',
      data: { ...anna, ...profile, passwordHash: 'other hash' },
    };

    test('asks for type, name and age, and the code stays valid', () => {
      given(registered, issued, resetIssued).when(resettingWith(null)).thenThrows('PROFILE_REQUIRED');
    });
    test('replaces the data of the sign-up, verifies the address and ends all sessions', () => {
      given(registered, issued, resetIssued).when(resettingWith({})).then(replaced, verified);
      expect(given(registered, issued, resetIssued, replaced, verified).state).toMatchObject({
        ...profile,
        passwordHash: 'other hash',
        emailVerified: true,
        passwordVersion: 1,
        openVerificationCode: null,
        openResetCodes: [],
      });
    });
    test('does not keep an admin’s check of the person who signed up', () => {
      given(registered, issued, verifiedByAdmin, resetIssued).when(resettingWith({})).then(replaced, verified);
      expect(given(registered, verifiedByAdmin, replaced, verified).state?.verifiedByAdmin).toBe(false);
    });
    test('rejects people below 18', () => {
      given(registered, issued, resetIssued)
        .when(resettingWith({ age: 17 as 40 }))
        .thenThrows('UNDER_AGE');
    });
    test('does not reveal to a client without the code that the address is unverified', () => {
      given(registered, issued, resetIssued).when(resetting('000000')).then(resetFailed);
    });
    test('is still possible after another person has signed up with the address', () => {
      given(registered, issued, resetIssued, registered, issued).when(resettingWith({})).then(replaced, verified);
    });
  });
  test('is only possible for the requester of the code', () => {
    given(...open, resetIssued)
      .when((state) => reset(state, '222222', ['a stranger']))
      .thenThrows('RESET_FAILED');
  });
  test('counts the wrong codes of the browser and of its network separately', () => {
    const failedInNetwork: AccountEvent = {
      type: 'PasswordResetFailed',
      data: { accountId: 'anna', issuanceId: 'issuance-2', requester: 'her network' },
    };
    given(...open, resetIssued)
      .when((state) => reset(state, '000000', ['her network']))
      .then(failedInNetwork);
    const used = [...open, resetIssued, ...Array.from({ length: 5 }, () => failedInNetwork)];
    given(...used)
      .when((state) => reset(state, '222222', ['her network']))
      .thenThrows('RESET_FAILED');
    given(...used)
      .when(resetting('222222'))
      .then(passwordChanged);
  });
  test('counts a wrong code, even if it is the code that verifies the address', () => {
    given(registered, issued, resetIssued).when(resetting('000000')).then(resetFailed);
    given(registered, issued, resetIssued).when(resetting('111111')).then(resetFailed);
  });
  test('succeeds on the fifth attempt, and is rejected after five wrong codes', () => {
    const four = [...open, resetIssued, resetFailed, resetFailed, resetFailed, resetFailed];
    given(...four)
      .when(resetting('222222'))
      .then(passwordChanged);
    given(...four, resetFailed)
      .when(resetting('222222'))
      .thenThrows('RESET_FAILED', { message: 'Password reset failed' });
  });
  test('succeeds until the code expires, and is rejected after', () => {
    given(...open, resetIssued)
      .when(resetting('222222', 15 * MINUTE_ms - 1))
      .then(passwordChanged);
    given(...open, resetIssued)
      .when(resetting('222222', 15 * MINUTE_ms))
      .thenThrows('RESET_FAILED');
  });
  test('is rejected the second time with the same code', () => {
    given(...open, resetIssued, passwordChanged)
      .when(resetting('222222'))
      .thenThrows('RESET_FAILED');
  });
  test('is rejected if the account has no code, is unknown or closed, or is a stand-in', () => {
    given().when(resetting('222222')).thenThrows('RESET_FAILED');
    given(...open)
      .when(resetting('222222'))
      .thenThrows('RESET_FAILED');
    given(...open, resetIssued, closed)
      .when(resetting('222222'))
      .thenThrows('RESET_FAILED');
    given(...repeatedSignUp)
      .when(resetting('111111'))
      .thenThrows('RESET_FAILED');
  });
  test('is rejected for a stand-in, even if a code was issued for it', () => {
    const issuedToStandIn: AccountEvent = {
      type: 'PasswordResetIssued',
      data: { accountId: 'stand-in', issuanceId: 'issuance-2', expiresAt: at(15 * MINUTE_ms) },
    };
    given(...repeatedSignUp, issuedToStandIn)
      .when(resetting('222222'))
      .thenThrows('RESET_FAILED');
  });
});

describe('a new hash of the same password', () => {
  const rehashed: AccountEvent = {
    type: 'PasswordRehashed',
    data: { accountId: 'anna', passwordHash: 'new hash' },
  };
  const rehashing = (previousHash: string) => (state: AccountState, context: DecisionContext) =>
    rehashPassword({ passwordHash: 'new hash', previousHash }, state, context);

  test('is stored, and keeps the sessions', () => {
    const previousHash = given(...open).state?.passwordHash ?? '';
    given(...open)
      .when(rehashing(previousHash))
      .then(rehashed);
    expect(given(...open, rehashed).state).toMatchObject({ passwordVersion: 0, passwordHash: 'new hash' });
  });
  test('is not stored if the password has changed meanwhile', () => {
    const previousHash = given(...open).state?.passwordHash ?? '';
    given(...open, passwordChanged)
      .when(rehashing(previousHash))
      .then();
  });
});
