import { describe, expect, test } from 'vitest';
import { accounts as projection } from '../src/projections/accounts.ts';
import type { Projection } from '../src/projection.ts';
import { minutesLater, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const accounts = projection as unknown as Projection;
const accountRegistered = SAMPLES.AccountRegistered;

describe('accounts', () => {
  test('AccountRegistered adds the account, without its password', () => {
    const rows = project(accounts, accountRegistered);
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
    expect(project(accounts, accountRegistered, SAMPLES.EmailVerified)['anna']).toMatchObject({
      email_verified: true,
      verified: false,
    });
  });
  test('AccountVerifiedByAdmin verifies the person, not the address', () => {
    expect(project(accounts, accountRegistered, SAMPLES.AccountVerifiedByAdmin)['anna']).toMatchObject({
      email_verified: false,
      verified: true,
    });
  });
  test('RoleGranted sets the role, RoleWithdrawn removes it', () => {
    const granted = project(accounts, accountRegistered, SAMPLES.RoleGranted);
    expect(granted['anna']).toMatchObject({ role: 'moderator' });
    expect(project(accounts, accountRegistered, SAMPLES.RoleGranted, SAMPLES.RoleWithdrawn)['anna']).toMatchObject({
      role: null,
    });
  });
  test('TwoStepEnabled enables two-step login, TwoStepDisabled disables it', () => {
    expect(project(accounts, accountRegistered, SAMPLES.TwoStepEnabled)['anna']).toMatchObject({ two_step: true });
    expect(project(accounts, accountRegistered, SAMPLES.TwoStepEnabled, SAMPLES.TwoStepDisabled)['anna']).toMatchObject(
      {
        two_step: false,
      },
    );
  });
  test('ProfileUpdated changes name and age, and nothing else', () => {
    expect(project(accounts, accountRegistered, SAMPLES.ProfileUpdated)['anna']).toMatchObject({
      display_name: 'Annabel',
      age: 31,
      email: 'a@example.com',
      registered_at: minutesLater(0),
    });
  });
  test.each([
    ['only the name', { displayName: 'Annabel' }, { display_name: 'Annabel', age: 30 }],
    ['only the age', { age: 31 }, { display_name: 'Anna', age: 31 }],
  ])('ProfileUpdated with %s does not change the other values', (_title, changes, row) => {
    expect(
      project(accounts, accountRegistered, { type: 'ProfileUpdated', data: { accountId: 'anna', ...changes } })['anna'],
    ).toMatchObject(row);
  });
  test('ProfileUpdated with another age ends the verification', () => {
    const verifiedWith = (changes: { displayName?: string; age?: number }) =>
      project(accounts, accountRegistered, SAMPLES.AccountVerifiedByAdmin, {
        type: 'ProfileUpdated',
        data: { accountId: 'anna', ...changes },
      })['anna']?.verified;
    expect([verifiedWith({ displayName: 'Annabel' }), verifiedWith({ age: 30 }), verifiedWith({ age: 31 })]).toEqual([
      true,
      true,
      false,
    ]);
  });
  test('AccountClosed removes the account', () => {
    expect(project(accounts, accountRegistered, SAMPLES.EmailVerified, SAMPLES.AccountClosed)).toEqual({});
  });
  test('a new registration after AccountClosed has default values again', () => {
    const again = {
      ...accountRegistered,
      data: { ...accountRegistered.data, displayName: 'Somebody else', userType: 'client' as const },
    };
    expect(
      project(
        accounts,
        accountRegistered,
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
  test('SignUpRepeated and later events of the stand-in account create no row', () => {
    const standIn = { accountId: SAMPLES.SignUpRepeated.data.accountId };
    expect(
      project(
        accounts,
        SAMPLES.SignUpRepeated,
        { type: 'ProfileUpdated', data: { ...standIn, age: 40 } },
        { type: 'AccountVerifiedByAdmin', data: { ...standIn, reason: null } },
      ),
    ).toEqual({});
  });
  test('later events of a closed account change nothing', () => {
    expect(
      project(accounts, accountRegistered, SAMPLES.AccountClosed, SAMPLES.ProfileUpdated, SAMPLES.EmailVerified),
    ).toEqual({});
  });
});
