import { describe, expect, test } from 'vitest';
import { closeAccount, verifyAccountByAdmin } from '../../src/account/decide.ts';
import { closed, given, issued, registered, repeated, verified, verifiedByAdmin } from './people.ts';

describe('verifying an account as an admin', () => {
  test('marks it', () => {
    given(registered, issued).when(verifyAccountByAdmin).then(verifiedByAdmin);
    given(registered, issued, verified).when(verifyAccountByAdmin).then(verifiedByAdmin);
  });
  test('twice changes nothing', () => {
    given(registered, issued, verifiedByAdmin).when(verifyAccountByAdmin).then();
  });
  test('is refused where there is no user: unknown, closed, a stand-in', () => {
    given().when(verifyAccountByAdmin).thenRefused('USER_NOT_FOUND', { message: 'User not found' });
    given(registered, closed).when(verifyAccountByAdmin).thenRefused('USER_NOT_FOUND');
    given(...repeated).when(verifyAccountByAdmin).thenRefused('USER_NOT_FOUND');
  });
  test('does not outlive the account', () => {
    expect(given(registered, verified, verifiedByAdmin, closed, registered).state).toMatchObject({ verifiedByAdmin: false, emailVerified: false });
  });
});

describe('closing an account', () => {
  test('ends it', () => {
    given(registered, issued, verified).when(closeAccount).then(closed);
    expect(given(registered, issued, verified, closed).state).toBeNull();
  });
  test('twice is refused', () => {
    given(registered, issued, closed).when(closeAccount).thenRefused('USER_NOT_FOUND');
  });
  test('is refused where there is no user: unknown, a stand-in', () => {
    given().when(closeAccount).thenRefused('USER_NOT_FOUND');
    given(...repeated).when(closeAccount).thenRefused('USER_NOT_FOUND');
  });
});
