import { describe, expect, test } from 'vitest';
import type { CreateStandIn } from '../../src/account/commands.ts';
import { registerAccount, createStandIn } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import {
  anna,
  closed,
  contextAt,
  failed,
  given,
  issued,
  registered,
  repeatedSignUp,
  repeatSignUpCommand,
  verified,
  verifiedByAdmin,
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
  test('is rejected if the account has an owner', () => {
    given(registered, issued, verified).when(registering()).thenThrows('CONFLICT');
    given(registered, issued, verifiedByAdmin).when(registering()).thenThrows('CONFLICT');
  });
  test.each([{ passwordHash: 'other hash' }, { userType: 'client' as 'provider' }, { displayName: 'B' }, { age: 40 }])(
    'replaces an unverified account if %j differs, and ends its sessions',
    (changes) => {
      const second: AccountEvent = { type: 'AccountRegistered', data: { ...anna, ...changes } };
      given(registered, issued).when(registering(changes)).then(second, issued);
      expect(given(registered, issued, second, issued).state).toMatchObject({ ...changes, passwordVersion: 1 });
    },
  );
  test('changes nothing if it repeats the same sign-up, unless the code is no longer valid', () => {
    given(registered, issued).when(registering()).then();
    given(registered, issued, failed, failed, failed, failed, failed).when(registering()).then(registered, issued);
  });
  test('removes the role of the replaced account', () => {
    const granted: AccountEvent = { type: 'RoleGranted', data: { accountId: 'anna', role: 'admin', reason: 'r' } };
    expect(given(registered, issued, granted, registered, issued).state?.role).toBeNull();
  });
  test('is possible again after the account is closed', () => {
    given(registered, issued, verified, closed).when(registering()).then(registered, issued);
  });
});

describe('signing up with an address that has an account', () => {
  const again =
    (changes: Partial<CreateStandIn> = {}) =>
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
  test('changes nothing if it repeats the same sign-up, unless the code is no longer valid', () => {
    given(...repeatedSignUp)
      .when(again())
      .then();
    const failedOfStandIn: AccountEvent = {
      type: 'EmailVerificationFailed',
      data: { accountId: 'stand-in', issuanceId: 'issuance-1' },
    };
    given(...repeatedSignUp, ...Array.from({ length: 5 }, () => failedOfStandIn))
      .when(again())
      .then(...repeatedSignUp);
  });
  test('remembers the browser, so that codes are counted like those of any account', () => {
    const [first, code] = repeatedSignUp as readonly [AccountEvent, AccountEvent];
    given()
      .when(again({ browser: 'a browser' }))
      .then({ ...first, data: { ...first.data, browser: 'a browser' } } as AccountEvent, code);
    expect(given({ ...first, data: { ...first.data, browser: 'a browser' } } as AccountEvent).state?.browser).toBe(
      'a browser',
    );
  });
  test('replaces an earlier stand-in, and ends its sessions', () => {
    const [first, code] = repeatedSignUp as readonly [AccountEvent, AccountEvent];
    const second = { ...first, data: { ...first.data, displayName: 'Another' } } as AccountEvent;
    given(...repeatedSignUp)
      .when(again({ displayName: 'Another' }))
      .then(second, code);
    expect(given(...repeatedSignUp, second, code).state).toMatchObject({ displayName: 'Another', passwordVersion: 1 });
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
