import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { closeAccount, closeStandIn, grantRole, verifyAccountByAdmin, withdrawRole } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import { closed, given, issued, registered, repeatedSignUp, verified, verifiedByAdmin } from './anna.ts';

describe('verifying an account as an admin', () => {
  test('marks the account as verified', () => {
    given(registered, issued).decide(verifyAccountByAdmin, { reason: null }).then(verifiedByAdmin);
    given(registered, issued, verified).decide(verifyAccountByAdmin, { reason: null }).then(verifiedByAdmin);
  });
  test('changes nothing the second time', () => {
    given(registered, issued, verifiedByAdmin).decide(verifyAccountByAdmin, { reason: null }).then();
  });
  test('is rejected for an unknown account, a closed account and a stand-in', () => {
    given().decide(verifyAccountByAdmin, { reason: null }).thenThrows('USER_NOT_FOUND', { message: 'User not found' });
    given(registered, closed).decide(verifyAccountByAdmin, { reason: null }).thenThrows('USER_NOT_FOUND');
    given(...repeatedSignUp)
      .decide(verifyAccountByAdmin, { reason: null })
      .thenThrows('USER_NOT_FOUND');
  });
  test('does not carry over to a new account with the same address', () => {
    expect(given(registered, verified, verifiedByAdmin, closed, registered).state).toMatchObject({
      verifiedByAdmin: false,
      emailVerified: false,
    });
  });
});

describe('closing an account', () => {
  test('closes the account', () => {
    given(registered, issued, verified).decide(closeAccount, { reason: null }).then(closed);
    expect(given(registered, issued, verified, closed).state).toBeNull();
  });
  test('is rejected the second time', () => {
    given(registered, issued, closed).decide(closeAccount, { reason: null }).thenThrows('USER_NOT_FOUND');
  });
  test('is rejected for an unknown account and a stand-in', () => {
    given().decide(closeAccount, { reason: null }).thenThrows('USER_NOT_FOUND');
    given(...repeatedSignUp)
      .decide(closeAccount, { reason: null })
      .thenThrows('USER_NOT_FOUND');
  });
});

test('a stand-in is closed when the account with its address is erased, and an account is not', () => {
  given(...repeatedSignUp)
    .decide(closeStandIn, {})
    .then({ type: 'AccountClosed', data: { accountId: 'stand-in', reason: null } });
  for (const history of [[], [registered]])
    given(...history)
      .decide(closeStandIn, {})
      .then();
});

describe('the role of an account', () => {
  const reason = 'Joins us';
  const granted = (role: 'admin' | 'moderator'): AccountEvent => ({
    type: 'RoleGranted',
    data: { accountId: 'anna', role, reason },
  });
  const withdrawn: AccountEvent = { type: 'RoleWithdrawn', data: { accountId: 'anna', role: 'moderator', reason } };
  const granting = (role: 'admin' | 'moderator') => (state: AccountState, context: DecisionContext) =>
    grantRole({ role, reason }, state, context);
  const withdrawing = (state: AccountState, context: DecisionContext) => withdrawRole({ reason }, state, context);

  test('is granted, and replaced by another role', () => {
    given(registered, verified).when(granting('moderator')).then(granted('moderator'));
    given(registered, verified, granted('moderator')).when(granting('admin')).then(granted('admin'));
    expect(given(registered, verified, granted('moderator'), granted('admin')).state).toMatchObject({ role: 'admin' });
  });
  test('is withdrawn', () => {
    given(registered, verified, granted('moderator')).when(withdrawing).then(withdrawn);
    expect(given(registered, verified, granted('moderator'), withdrawn).state).toMatchObject({ role: null });
  });
  test('does not change when it is granted or withdrawn again', () => {
    given(registered, verified, granted('moderator')).when(granting('moderator')).then();
    given(registered, verified).when(withdrawing).then();
  });
  test('cannot be changed for an unknown account, a closed account or a stand-in', () => {
    for (const events of [[], [registered, closed], repeatedSignUp]) {
      given(...events)
        .when(granting('admin'))
        .thenThrows('USER_NOT_FOUND');
      given(...events)
        .when(withdrawing)
        .thenThrows('USER_NOT_FOUND');
    }
  });
  test('does not carry over to a new account with the same address', () => {
    expect(given(registered, verified, granted('admin'), closed, registered).state).toMatchObject({ role: null });
  });
});
