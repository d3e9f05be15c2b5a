import { describe, expect, test } from 'vitest';
import { accounts as projection } from '../src/projections/accounts.ts';
import type { Projection } from '../src/projection.ts';
import { minutesLater, project } from './given.ts';
import { SAMPLES } from './samples.ts';

const accounts = projection as unknown as Projection;
const registered = SAMPLES.AccountRegistered;

describe('accounts', () => {
  test('AccountRegistered lists the account, without its password', () => {
    const rows = project(accounts, registered);
    expect(rows).toEqual({
      anna: {
        account_id: 'anna',
        email: 'a@example.com',
        display_name: 'Anna',
        user_type: 'provider',
        age: 30,
        email_verified: false,
        verified: false,
        role: null,
        two_step: false,
        is_demo: false,
        registered_at: minutesLater(0),
      },
    });
  });
  test('EmailVerified verifies the address, not the person', () => {
    expect(project(accounts, registered, SAMPLES.EmailVerified)['anna']).toMatchObject({
      email_verified: true,
      verified: false,
    });
  });
  test('AccountVerifiedByAdmin verifies the person, not the address', () => {
    expect(project(accounts, registered, SAMPLES.AccountVerifiedByAdmin)['anna']).toMatchObject({
      email_verified: false,
      verified: true,
    });
  });
  test('RoleGranted says what somebody may do, RoleWithdrawn that they may not', () => {
    const granted = project(accounts, registered, SAMPLES.RoleGranted);
    expect(granted['anna']).toMatchObject({ role: 'moderator' });
    expect(project(accounts, registered, SAMPLES.RoleGranted, SAMPLES.RoleWithdrawn)['anna']).toMatchObject({
      role: null,
    });
  });
  test('TwoStepEnabled says that signing in takes a code, TwoStepDisabled that it does not', () => {
    expect(project(accounts, registered, SAMPLES.TwoStepEnabled)['anna']).toMatchObject({ two_step: true });
    expect(project(accounts, registered, SAMPLES.TwoStepEnabled, SAMPLES.TwoStepDisabled)['anna']).toMatchObject({
      two_step: false,
    });
  });
  test('ProfileUpdated changes name and age', () => {
    expect(project(accounts, registered, SAMPLES.ProfileUpdated)['anna']).toMatchObject({
      display_name: 'Annabel',
      age: 31,
      email: 'a@example.com',
      registered_at: minutesLater(0),
    });
  });
  test.each([
    ['the name alone', { displayName: 'Annabel' }, { display_name: 'Annabel', age: 30 }],
    ['the age alone', { age: 31 }, { display_name: 'Anna', age: 31 }],
  ])('ProfileUpdated with %s leaves the rest', (_what, changes, row) => {
    expect(
      project(accounts, registered, { type: 'ProfileUpdated', data: { accountId: 'anna', ...changes } })['anna'],
    ).toMatchObject(row);
  });
  test('AccountClosed takes it off', () => {
    expect(project(accounts, registered, SAMPLES.EmailVerified, SAMPLES.AccountClosed)).toEqual({});
  });
  test('whoever signs up after closing starts anew', () => {
    const again = {
      ...registered,
      data: { ...registered.data, displayName: 'Somebody else', userType: 'client' as const },
    };
    expect(
      project(
        accounts,
        registered,
        SAMPLES.EmailVerified,
        SAMPLES.AccountVerifiedByAdmin,
        SAMPLES.AccountClosed,
        again,
      )['anna'],
    ).toMatchObject({
      display_name: 'Somebody else',
      user_type: 'client',
      email_verified: false,
      verified: false,
      registered_at: minutesLater(4),
    });
  });
  test('SignUpRepeated makes no account, nor does what follows it', () => {
    const shadow = { accountId: SAMPLES.SignUpRepeated.data.accountId };
    expect(
      project(
        accounts,
        SAMPLES.SignUpRepeated,
        { type: 'ProfileUpdated', data: { ...shadow, age: 40 } },
        { type: 'AccountVerifiedByAdmin', data: { ...shadow, reason: null } },
      ),
    ).toEqual({});
  });
  test('what happens to an account that is gone changes nothing', () => {
    expect(project(accounts, registered, SAMPLES.AccountClosed, SAMPLES.ProfileUpdated, SAMPLES.EmailVerified)).toEqual(
      {},
    );
  });
});
