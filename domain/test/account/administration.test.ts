import { describe, expect, test } from 'vitest';
import { closeAccount, grantRole, verifyAccountByAdmin, withdrawRole } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import { closed, given, issued, registered, repeated, verified, verifiedByAdmin } from './people.ts';

describe('verifying an account as an admin', () => {
  test('marks it', () => {
    given(registered, issued)
      .when((state) => verifyAccountByAdmin(null, state))
      .then(verifiedByAdmin);
    given(registered, issued, verified)
      .when((state) => verifyAccountByAdmin(null, state))
      .then(verifiedByAdmin);
  });
  test('twice changes nothing', () => {
    given(registered, issued, verifiedByAdmin)
      .when((state) => verifyAccountByAdmin(null, state))
      .then();
  });
  test('is refused where there is no user: unknown, closed, a stand-in', () => {
    given()
      .when((state) => verifyAccountByAdmin(null, state))
      .thenRefused('USER_NOT_FOUND', { message: 'User not found' });
    given(registered, closed)
      .when((state) => verifyAccountByAdmin(null, state))
      .thenRefused('USER_NOT_FOUND');
    given(...repeated)
      .when((state) => verifyAccountByAdmin(null, state))
      .thenRefused('USER_NOT_FOUND');
  });
  test('does not outlive the account', () => {
    expect(given(registered, verified, verifiedByAdmin, closed, registered).state).toMatchObject({
      verifiedByAdmin: false,
      emailVerified: false,
    });
  });
});

describe('closing an account', () => {
  test('ends it', () => {
    given(registered, issued, verified)
      .when((state) => closeAccount(null, state))
      .then(closed);
    expect(given(registered, issued, verified, closed).state).toBeNull();
  });
  test('twice is refused', () => {
    given(registered, issued, closed)
      .when((state) => closeAccount(null, state))
      .thenRefused('USER_NOT_FOUND');
  });
  test('is refused where there is no user: unknown, a stand-in', () => {
    given()
      .when((state) => closeAccount(null, state))
      .thenRefused('USER_NOT_FOUND');
    given(...repeated)
      .when((state) => closeAccount(null, state))
      .thenRefused('USER_NOT_FOUND');
  });
});

describe('the role of an account', () => {
  const reason = 'Joins us';
  const granted = (role: 'admin' | 'moderator'): AccountEvent => ({
    type: 'RoleGranted',
    data: { accountId: 'anna', role, reason },
  });
  const withdrawn: AccountEvent = { type: 'RoleWithdrawn', data: { accountId: 'anna', role: 'moderator', reason } };
  const granting = (role: 'admin' | 'moderator') => (state: AccountState) => grantRole({ role, reason }, state);
  const withdrawing = (state: AccountState) => withdrawRole(reason, state);

  test('is granted, and another takes its place', () => {
    given(registered, verified).when(granting('moderator')).then(granted('moderator'));
    given(registered, verified, granted('moderator')).when(granting('admin')).then(granted('admin'));
    expect(given(registered, verified, granted('moderator'), granted('admin')).state).toMatchObject({ role: 'admin' });
  });
  test('is withdrawn', () => {
    given(registered, verified, granted('moderator')).when(withdrawing).then(withdrawn);
    expect(given(registered, verified, granted('moderator'), withdrawn).state).toMatchObject({ role: null });
  });
  test('twice changes nothing', () => {
    given(registered, verified, granted('moderator')).when(granting('moderator')).then();
    given(registered, verified).when(withdrawing).then();
  });
  test('is refused where there is no user: unknown, closed, a stand-in', () => {
    for (const events of [[], [registered, closed], repeated]) {
      given(...events)
        .when(granting('admin'))
        .thenRefused('USER_NOT_FOUND');
      given(...events)
        .when(withdrawing)
        .thenRefused('USER_NOT_FOUND');
    }
  });
  test('does not outlive the account', () => {
    expect(given(registered, verified, granted('admin'), closed, registered).state).toMatchObject({ role: null });
  });
});
