import { describe, expect, test } from 'vitest';
import { registerAccount, repeatSignUp } from '../../src/account/decide.ts';
import type { AccountState } from '../../src/account/state.ts';
import { anna, closed, contextAt, given, issued, registered, repeated, repeating, verified } from './people.ts';

describe('registering', () => {
  const registering =
    (changes: Partial<typeof anna> = {}) =>
    (state: AccountState) =>
      registerAccount({ ...anna, ...changes }, state, contextAt());

  test('opens the account and issues a code for 15 minutes', () => {
    given().when(registering()).then(registered, issued);
  });
  test('a demo account counts as verified', () => {
    given()
      .when(registering({ isDemo: true }))
      .then({ type: 'AccountRegistered', data: { ...anna, isDemo: true } }, verified);
  });
  test('is open to those who are 18', () => {
    given()
      .when(registering({ age: 18 }))
      .then({ type: 'AccountRegistered', data: { ...anna, age: 18 } }, issued);
  });
  test('is refused below 18', () => {
    given()
      .when(registering({ age: 17 }))
      .thenRefused('UNDER_AGE', { message: 'You must be at least 18 years old' });
  });
  test('twice is refused: the address has an account by now', () => {
    given(registered, issued).when(registering()).thenRefused('CONFLICT');
  });
  test('is possible again once the account is closed', () => {
    given(registered, issued, verified, closed).when(registering()).then(registered, issued);
  });
});

describe('signing up with an address that has an account', () => {
  const again =
    (changes: Partial<typeof repeating> = {}) =>
    (state: AccountState) =>
      repeatSignUp({ ...repeating, ...changes }, state, contextAt());

  test('gives a stand-in, which begins with as many events as any account', () => {
    given()
      .when(again())
      .then(...repeated);
    expect(repeated).toHaveLength(2);
  });
  test('is refused below 18', () => {
    given()
      .when(again({ age: 17 }))
      .thenRefused('UNDER_AGE');
  });
  test('twice with the same password changes nothing', () => {
    given(...repeated)
      .when(again({ displayName: 'Another' }))
      .then();
  });
  test('is remembered as what it is', () => {
    expect(given(...repeated).state).toMatchObject({
      accountId: 'stand-in',
      repeatOf: 'anna',
      emailVerified: false,
      verifiedByAdmin: false,
      passwordVersion: 0,
      displayName: 'Somebody',
    });
    expect(given(registered).state).toMatchObject({ repeatOf: null });
  });
});
