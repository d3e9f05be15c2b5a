import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { updateProfile } from '../../src/account/decide.ts';
import type { UpdateProfile } from '../../src/account/commands.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState, RegisteredAccount } from '../../src/account/state.ts';
import { toUserView } from '../../src/account/views.ts';
import { anna, closed, given, issued, registered, repeatedSignUp, verified, verifiedByAdmin } from './anna.ts';

describe('updating the profile', () => {
  const updating = (changes: UpdateProfile) => (state: AccountState, context: DecisionContext) =>
    updateProfile(changes, state, context);

  test('changes the sent fields', () => {
    given(registered)
      .when(updating({ displayName: 'Anna B.' }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'anna', displayName: 'Anna B.' } });
    given(registered)
      .when(updating({ age: 31 }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'anna', age: 31 } });
  });
  test('keeps the other fields', () => {
    const named: AccountEvent = { type: 'ProfileUpdated', data: { accountId: 'anna', displayName: 'Anna B.' } };
    expect(given(registered, named).state).toMatchObject({ displayName: 'Anna B.', age: 30 });
  });
  test('ends the verification of the person with a new age, not with a new name', () => {
    const named: AccountEvent = {
      type: 'ProfileUpdated',
      data: { accountId: 'anna', displayName: 'Anna B.', age: 30 },
    };
    const aged: AccountEvent = { type: 'ProfileUpdated', data: { accountId: 'anna', age: 31 } };
    expect(given(registered, verified, verifiedByAdmin, named).state).toMatchObject({ verifiedByAdmin: true });
    expect(given(registered, verified, verifiedByAdmin, aged).state).toMatchObject({ verifiedByAdmin: false, age: 31 });
  });
  test('changes nothing if the values are the same', () => {
    given(registered)
      .when(updating({ displayName: 'Anna', age: 30 }))
      .then();
    given(registered).when(updating({})).then();
  });
  test('rejects an age below 18', () => {
    given(registered)
      .when(updating({ age: 17 }))
      .thenThrows('UNDER_AGE');
    given(registered)
      .when(updating({ age: 18 }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'anna', age: 18 } });
  });
  test('works for a stand-in like for any account', () => {
    given(...repeatedSignUp)
      .when(updating({ age: 40 }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'stand-in', age: 40 } });
  });
  test('is rejected after the account is closed', () => {
    given(registered, closed)
      .when(updating({ age: 31 }))
      .thenThrows('AUTHENTICATION_REQUIRED');
  });
});

describe('a user', () => {
  const viewed = (events: readonly AccountEvent[], adminEmail: string | null = null) =>
    toUserView(given(...events).state as RegisteredAccount, adminEmail);

  test('is verified by an admin, not by the verification of the e-mail address', () => {
    expect(viewed([registered, issued])).toMatchObject({ verified: false, isEmailVerified: false });
    expect(viewed([registered, issued, verified])).toMatchObject({ verified: false, isEmailVerified: true });
    expect(viewed([registered, issued, verifiedByAdmin])).toMatchObject({ verified: true, isEmailVerified: false });
  });
  test('may post ads as a provider with either kind of verification', () => {
    const client: AccountEvent = { type: 'AccountRegistered', data: { ...anna, userType: 'client' } };
    expect(viewed([registered, issued]).canPostAds).toBe(false);
    expect(viewed([registered, issued, verified]).canPostAds).toBe(true);
    expect(viewed([registered, issued, verifiedByAdmin]).canPostAds).toBe(true);
    expect(viewed([client, verified, verifiedByAdmin]).canPostAds).toBe(false);
  });
  test('may write in the community ten minutes after the sign-up, and a moderator at once', () => {
    const at = '2026-02-01T12:00:00.000Z';
    const events = [registered, issued, verified].map((event) => ({ at, event }));
    const { state } = given(...events);
    const view = (adminEmail: string | null) => toUserView(state as RegisteredAccount, adminEmail);
    expect(view(null).writesFrom).toBe('2026-02-01T12:10:00.000Z');
    expect(view('anna@example.com')).not.toHaveProperty('writesFrom');
  });
  test('is an admin with the configured address in any case, after its verification', () => {
    expect(viewed([registered, issued, verified], 'ANNA@example.com').isAdmin).toBe(true);
    expect(viewed([registered, issued], 'anna@example.com').isAdmin).toBe(false);
  });
  test('is not an admin after a verification by an admin only', () => {
    expect(viewed([registered, issued, verifiedByAdmin], 'anna@example.com').isAdmin).toBe(false);
  });
  test('is not an admin if no admin address is configured', () => {
    expect(viewed([registered, issued, verified]).isAdmin).toBe(false);
  });
  test('is not an admin after a repeated sign-up with the admin address', () => {
    expect(viewed(repeatedSignUp, 'anna@example.com')).toMatchObject({
      isAdmin: false,
      canPostAds: false,
      verified: false,
    });
  });
});
