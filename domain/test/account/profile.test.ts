import { describe, expect, test } from 'vitest';
import { updateProfile } from '../../src/account/decide.ts';
import type { UpdateProfile } from '../../src/account/commands.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState, RegisteredAccount } from '../../src/account/state.ts';
import { userView } from '../../src/account/views.ts';
import { anna, closed, given, issued, registered, repeated, verified, verifiedByAdmin } from './people.ts';

describe('updating the profile', () => {
  const updating = (changes: UpdateProfile) => (state: AccountState) => updateProfile(changes, state);

  test('changes what is sent', () => {
    given(registered)
      .when(updating({ displayName: 'Anna B.' }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'anna', displayName: 'Anna B.' } });
    given(registered)
      .when(updating({ age: 31 }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'anna', age: 31 } });
  });
  test('leaves the rest as it is', () => {
    const named: AccountEvent = { type: 'ProfileUpdated', data: { accountId: 'anna', displayName: 'Anna B.' } };
    expect(given(registered, named).state).toMatchObject({ displayName: 'Anna B.', age: 30 });
  });
  test('to what it is already changes nothing', () => {
    given(registered)
      .when(updating({ displayName: 'Anna', age: 30 }))
      .then();
    given(registered).when(updating({})).then();
  });
  test('is refused below 18', () => {
    given(registered)
      .when(updating({ age: 17 }))
      .thenRefused('UNDER_AGE');
    given(registered)
      .when(updating({ age: 18 }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'anna', age: 18 } });
  });
  test('works for a stand-in as for anybody', () => {
    given(...repeated)
      .when(updating({ age: 40 }))
      .then({ type: 'ProfileUpdated', data: { accountId: 'stand-in', age: 40 } });
  });
  test('is refused once the account is closed', () => {
    given(registered, closed)
      .when(updating({ age: 31 }))
      .thenRefused('AUTHENTICATION_REQUIRED');
  });
});

describe('a user', () => {
  const viewed = (events: readonly AccountEvent[], adminEmail: string | null = null) =>
    userView(given(...events).state as RegisteredAccount, adminEmail);

  test('is verified once an admin has looked into who they are, not by an e-mail', () => {
    expect(viewed([registered, issued])).toMatchObject({ verified: false, isEmailVerified: false });
    expect(viewed([registered, issued, verified])).toMatchObject({ verified: false, isEmailVerified: true });
    expect(viewed([registered, issued, verifiedByAdmin])).toMatchObject({ verified: true, isEmailVerified: false });
  });
  test('may post as a provider verified in either way', () => {
    const client: AccountEvent = { type: 'AccountRegistered', data: { ...anna, userType: 'client' } };
    expect(viewed([registered, issued]).canPostAds).toBe(false);
    expect(viewed([registered, issued, verified]).canPostAds).toBe(true);
    expect(viewed([registered, issued, verifiedByAdmin]).canPostAds).toBe(true);
    expect(viewed([client, verified, verifiedByAdmin]).canPostAds).toBe(false);
  });
  test('is an admin at the configured address in any case, once it is verified', () => {
    expect(viewed([registered, issued, verified], 'ANNA@example.com').isAdmin).toBe(true);
    expect(viewed([registered, issued], 'anna@example.com').isAdmin).toBe(false);
  });
  test('is no admin by an admin having verified them', () => {
    expect(viewed([registered, issued, verifiedByAdmin], 'anna@example.com').isAdmin).toBe(false);
  });
  test('is no admin when none is configured', () => {
    expect(viewed([registered, issued, verified]).isAdmin).toBe(false);
  });
  test('who signed up with the admin address a second time is none', () => {
    expect(viewed(repeated, 'anna@example.com')).toMatchObject({ isAdmin: false, canPostAds: false, verified: false });
  });
});
