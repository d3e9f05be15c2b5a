import type { AccountEvent } from '../../src/account/events.ts';
import { account } from '../../src/account/state.ts';
import { AT, givenAggregate } from '../given.ts';

/**
 * Starts a test case in which the given events have happened to an account. This file also contains the test account
 * Anna and her events.
 */
export const given = givenAggregate(account);
export const MINUTE_ms = 60_000;
export const at = (offset_ms: number) => new Date(Date.parse(AT) + offset_ms).toISOString();

/**
 * Returns a test context for a decision, with the current time and a generator of ids. The generated ids are
 * `issuance-1`, `issuance-2` and so on.
 */
export function contextAt(offset_ms = 0, firstIssuance = 1) {
  let issuance = firstIssuance;
  return { now: at(offset_ms), newId: () => `issuance-${issuance++}` };
}

/** Returns the test code that was issued with this id. The code for the id `issuance-1` is 111111. */
export const codeOf = (issuanceId: string) => issuanceId.slice(-1).repeat(6);

export const anna = {
  accountId: 'anna',
  email: 'anna@example.com',
  passwordHash: 'hash',
  userType: 'provider' as const,
  displayName: 'Anna',
  age: 30,
  isDemo: false,
};

export const registered: AccountEvent = { type: 'AccountRegistered', data: anna };
export const issued: AccountEvent = {
  type: 'EmailVerificationIssued',
  data: { accountId: 'anna', issuanceId: 'issuance-1', expiresAt: at(15 * MINUTE_ms) },
};
export const failed: AccountEvent = {
  type: 'EmailVerificationFailed',
  data: { accountId: 'anna', issuanceId: 'issuance-1' },
};
export const verified: AccountEvent = { type: 'EmailVerified', data: { accountId: 'anna' } };
export const verifiedByAdmin: AccountEvent = {
  type: 'AccountVerifiedByAdmin',
  data: { accountId: 'anna', reason: null },
};
export const closed: AccountEvent = { type: 'AccountClosed', data: { accountId: 'anna', reason: null } };
export const passwordChanged: AccountEvent = {
  type: 'PasswordChanged',
  data: { accountId: 'anna', passwordHash: 'other hash' },
};
export const resetIssued: AccountEvent = {
  type: 'PasswordResetIssued',
  data: {
    accountId: 'anna',
    issuanceId: 'issuance-2',
    expiresAt: at(15 * MINUTE_ms),
    requesters: ['her browser', 'her network'],
  },
};
export const resetFailed: AccountEvent = {
  type: 'PasswordResetFailed',
  data: { accountId: 'anna', issuanceId: 'issuance-2', requester: 'her browser' },
};

/** The command and the events of another person's sign-up with Anna's e-mail address. */
const { isDemo: _isDemo, ...fields } = anna;
export const repeatSignUpCommand = { ...fields, accountId: 'stand-in', ofAccountId: 'anna', displayName: 'Somebody' };
export const repeatedSignUp: readonly AccountEvent[] = [
  { type: 'SignUpRepeated', data: { ...repeatSignUpCommand, issuanceId: 'issuance-2', expiresAt: at(15 * MINUTE_ms) } },
  {
    type: 'EmailVerificationIssued',
    data: { accountId: 'stand-in', issuanceId: 'issuance-1', expiresAt: at(15 * MINUTE_ms) },
  },
];
