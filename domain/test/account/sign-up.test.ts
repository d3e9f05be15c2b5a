import { describe, expect, test } from 'vitest';
import { registerAccount, createStandIn } from '../../src/account/decide.ts';
import type { AccountState } from '../../src/account/state.ts';
import {
  anna,
  closed,
  contextAt,
  given,
  issued,
  registered,
  repeatedSignUp,
  repeatSignUpCommand,
  verified,
} from './anna.ts';

describe('registering', () => {
  const registering =
    (changes: Partial<typeof anna> = {}) =>
    (state: AccountState) =>
      registerAccount({ ...anna, ...changes }, state, contextAt());

  test('opens the account and issues a code that is valid for 15 minutes', () => {
    given().when(registering()).then(registered, issued);
  });
  test('counts a demo account as verified', () => {
    given()
      .when(registering({ isDemo: true }))
      .then({ type: 'AccountRegistered', data: { ...anna, isDemo: true } }, verified);
  });
  test('accepts people who are 18', () => {
    given()
      .when(registering({ age: 18 }))
      .then({ type: 'AccountRegistered', data: { ...anna, age: 18 } }, issued);
  });
  test('rejects people below 18', () => {
    given()
      .when(registering({ age: 17 }))
      .thenThrows('UNDER_AGE', { message: 'You must be at least 18 years old' });
  });
  test('is rejected if the address already has an account', () => {
    given(registered, issued).when(registering()).thenThrows('CONFLICT');
  });
  test('is possible again after the account is closed', () => {
    given(registered, issued, verified, closed).when(registering()).then(registered, issued);
  });
});

describe('signing up with an address that has an account', () => {
  const again =
    (changes: Partial<typeof repeatSignUpCommand> = {}) =>
    (state: AccountState) =>
      createStandIn({ ...repeatSignUpCommand, ...changes }, state, contextAt());

  test('creates a stand-in that begins with as many events as any account', () => {
    given()
      .when(again())
      .then(...repeatedSignUp);
    expect(repeatedSignUp).toHaveLength(2);
  });
  test('rejects people below 18', () => {
    given()
      .when(again({ age: 17 }))
      .thenThrows('UNDER_AGE');
  });
  test('changes nothing the second time with the same password', () => {
    given(...repeatedSignUp)
      .when(again({ displayName: 'Another' }))
      .then();
  });
  test('is recorded in the state of the stand-in', () => {
    expect(given(...repeatedSignUp).state).toMatchObject({
      accountId: 'stand-in',
      standInFor: 'anna',
      emailVerified: false,
      verifiedByAdmin: false,
      passwordVersion: 0,
      displayName: 'Somebody',
    });
    expect(given(registered).state).toMatchObject({ standInFor: null });
  });
});
