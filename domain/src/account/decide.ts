import type { Decider, DecisionContext, EmptyCommand } from '../aggregate.ts';
import {
  LOGIN_CODE_LIFETIME_ms,
  LOGIN_CODE_MAX_ATTEMPTS,
  LOGIN_CODE_WAIT_ms,
  MINIMUM_AGE_years,
  PASSWORD_RESET_LIFETIME_ms,
  PASSWORD_RESET_MAX_ATTEMPTS,
  PASSWORD_RESET_WAIT_ms,
  VERIFICATION_CODE_LIFETIME_ms,
  VERIFICATION_MAX_ATTEMPTS,
  VERIFICATION_RESEND_WAIT_ms,
} from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';
import type {
  ChangePassword,
  ClearVerification,
  CloseAccount,
  GrantRole,
  RegisterAccount,
  RehashPassword,
  CreateStandIn,
  EnterCode,
  RequestCode,
  ResendVerification,
  ResetPassword,
  SignUpProof,
  UpdateProfile,
  VerifyAccountByAdmin,
  VerifyEmail,
  WithdrawRole,
} from './commands.ts';
import type { AccountEvent } from './events.ts';
import {
  hasOwner,
  isStandIn,
  type AccountState,
  type IssuedCode,
  type RegisteredAccount,
  type RequestedCode,
} from './state.ts';

/**
 * Opens an account and issues its first verification code. Replaces an account without an owner, whose sessions and
 * code then become invalid. A repeated request with the same data changes nothing while the code is valid. A
 * demo account is verified at once, so it gets no code. Throws UNDER_AGE for a person under 18. Throws
 * CONFLICT if the account has an owner. The caller then uses `createStandIn` instead.
 */
export const registerAccount: Decider<RegisterAccount, AccountState, AccountEvent> = (command, state, context) => {
  requireAge(command.age);
  if (state && hasOwner(state)) throw new DomainError('CONFLICT');
  if (state && isSameSignUp(command, state, context.now)) return [];
  const { accountId } = command;
  return [
    { type: 'AccountRegistered', data: command },
    command.isDemo ? { type: 'EmailVerified', data: { accountId } } : issueVerification(accountId, context),
  ];
};

/**
 * Creates a stand-in account for a sign-up with an e-mail address that has a verified account. Replaces an earlier
 * stand-in account of this address. The stand-in account hides the verified account, and can never be verified
 * (decision 0055). It gets the same number of events as a new account, because a different number would reveal the
 * verified account. Its verification code is never mailed. `state` is the state of the stand-in account. Throws
 * UNDER_AGE.
 */
export const createStandIn: Decider<CreateStandIn, AccountState, AccountEvent> = (command, state, context) => {
  requireAge(command.age);
  if (state && isSameSignUp(command, state, context.now)) return [];
  const issued = issueVerification(command.accountId, context);
  return [
    { type: 'SignUpRepeated', data: { ...command, issuanceId: context.newId(), expiresAt: issued.data.expiresAt } },
    issued,
  ];
};

/**
 * Issues a new verification code, which invalidates the previous one. Does nothing if the e-mail address is already
 * verified, or if the client did not sign up with the current data of the account. A stand-in account also gets a code,
 * which is never mailed, so that the responses do not differ. Throws NO_USER_EMAIL if there is no account, and
 * RESEND_TOO_SOON within a minute of the last code.
 */
export const resendVerification: Decider<ResendVerification, AccountState, AccountEvent> = (
  { proof },
  state,
  context,
) => {
  if (!state) throw new DomainError('NO_USER_EMAIL');
  if (state.emailVerified || !matchesSignUp(proof, state)) return [];
  const wait_ms = remainingWait_ms(state.openVerificationCode, VERIFICATION_RESEND_WAIT_ms, context.now);
  if (wait_ms > 0) throw new DomainError('RESEND_TOO_SOON', {}, Math.ceil(wait_ms / 1000));
  return [issueVerification(state.accountId, context)];
};

/**
 * Verifies the e-mail address if the code is correct. Only the last issued code is valid, until it expires or has too
 * many failed attempts. A wrong code causes an `EmailVerificationFailed` event, so that attempts are counted across
 * restarts. Codes of clients that did not sign up are not counted, so that no stranger can use up the attempts. Every
 * code of a stand-in account counts as wrong: without the count, the next sign-up would show which kind of account it
 * is. The caller responds with VERIFICATION_FAILED if the events do not contain `EmailVerified`. Throws
 * VERIFICATION_FAILED if the account has no valid code, or if the client did not sign up with the current data of the
 * account.
 */
export const verifyEmail: Decider<VerifyEmail, AccountState, AccountEvent> = (command, state, { now }) => {
  if (!state || !matchesSignUp(command.proof, state)) throw new DomainError('VERIFICATION_FAILED');
  if (state.emailVerified) return [];
  const issued = state.openVerificationCode;
  if (!canBeEntered(issued, VERIFICATION_MAX_ATTEMPTS, now)) throw new DomainError('VERIFICATION_FAILED');
  const { accountId } = state;
  return command.deriveCode(issued.issuanceId) === command.code && !isStandIn(state)
    ? [{ type: 'EmailVerified', data: { accountId } }]
    : [{ type: 'EmailVerificationFailed', data: { accountId, issuanceId: issued.issuanceId } }];
};

/** Revokes the unused verification code of an account. Does nothing if the account has no unused code. */
export const clearVerification: Decider<ClearVerification, AccountState, AccountEvent> = ({ reason }, state) => {
  if (!state?.openVerificationCode) return [];
  return [
    {
      type: 'EmailVerificationCleared',
      data: { accountId: state.accountId, issuanceId: state.openVerificationCode.issuanceId, reason },
    },
  ];
};

/**
 * Records the profile fields that differ from the current values. Throws UNDER_AGE, and AUTHENTICATION_REQUIRED if the
 * account no longer exists.
 */
export const updateProfile: Decider<UpdateProfile, AccountState, AccountEvent> = (command, state) => {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  const { displayName, age } = command;
  if (age !== undefined) requireAge(age);
  const changes = {
    ...(displayName !== undefined && displayName !== state.displayName && { displayName }),
    ...(age !== undefined && age !== state.age && { age }),
  };
  return Object.keys(changes).length === 0
    ? []
    : [{ type: 'ProfileUpdated', data: { accountId: state.accountId, ...changes } }];
};

/**
 * Sets a new password, which ends all sessions opened with the old password. Throws AUTHENTICATION_REQUIRED if the
 * account no longer exists. Throws VERIFICATION_REQUIRED before the e-mail address is verified. A stand-in account is
 * never verified, so its password can never change (decision 0055).
 */
export const changePassword: Decider<ChangePassword, AccountState, AccountEvent> = ({ passwordHash }, state) => {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  if (!state.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  return [{ type: 'PasswordChanged', data: { accountId: state.accountId, passwordHash } }];
};

/** Stores another hash of the same password. Does nothing if the password has changed since. Never throws. */
export const rehashPassword: Decider<RehashPassword, AccountState, AccountEvent> = (
  { passwordHash, previousHash },
  state,
) =>
  state?.passwordHash === previousHash
    ? [{ type: 'PasswordRehashed', data: { accountId: state.accountId, passwordHash } }]
    : [];

/**
 * Issues a password reset code, which invalidates the previous code of the same requester. Does nothing within a minute
 * of this previous code, without an account, and for stand-in and demo accounts. Never throws.
 */
export const issuePasswordReset: Decider<RequestCode, AccountState, AccountEvent> = (
  { requesters },
  state,
  context,
) => {
  if (!state || isStandIn(state) || state.passwordHash === null) return [];
  const previous = findCode(state.openResetCodes, requesters);
  if (remainingWait_ms(previous, PASSWORD_RESET_WAIT_ms, context.now) > 0) return [];
  const { accountId } = state;
  return [
    {
      type: 'PasswordResetIssued',
      data: { ...newCode(accountId, PASSWORD_RESET_LIFETIME_ms, context), requesters: [...requesters] },
    },
  ];
};

/**
 * Sets a new password with a mailed code. The code proves access to the mailbox. If the e-mail address was never
 * verified, the account belongs to no person. `profile` then replaces its data and the address becomes verified
 * . A wrong code causes a `PasswordResetFailed` event, so that attempts are counted across restarts. The
 * caller responds with RESET_FAILED if this event is returned. Throws RESET_FAILED if the requester has no valid code.
 * Throws PROFILE_REQUIRED if the code is correct and `profile` is missing, and UNDER_AGE.
 */
export const resetPassword: Decider<ResetPassword, AccountState, AccountEvent> = (command, state, { now }) => {
  if (!state || isStandIn(state)) throw new DomainError('RESET_FAILED');
  const { accountId, email, emailVerified, openResetCodes } = state;
  const { passwordHash, profile, requesters } = command;
  const issued = findCode(openResetCodes, requesters);
  if (!canBeEntered(issued, PASSWORD_RESET_MAX_ATTEMPTS, now)) throw new DomainError('RESET_FAILED');
  if (command.deriveCode(issued.issuanceId) !== command.code)
    return [{ type: 'PasswordResetFailed', data: { accountId, ...toFailure(issued) } }];
  if (emailVerified) return [{ type: 'PasswordChanged', data: { accountId, passwordHash } }];
  if (!profile) throw new DomainError('PROFILE_REQUIRED');
  requireAge(profile.age);
  const { userType, displayName, age } = profile;
  return [
    {
      type: 'AccountRegistered',
      data: { accountId, email, passwordHash, userType, displayName, age, isDemo: false },
    },
    { type: 'EmailVerified', data: { accountId } },
  ];
};

/**
 * Issues a login code, which invalidates the previous code of the same requester. The caller has already checked the
 * password. Does nothing within a minute of this previous code, without an account, and for stand-in accounts.
 */
export const issueLoginCode: Decider<RequestCode, AccountState, AccountEvent> = ({ requesters }, state, context) => {
  if (!state || isStandIn(state)) return [];
  if (remainingWait_ms(findCode(state.openLoginCodes, requesters), LOGIN_CODE_WAIT_ms, context.now) > 0) return [];
  const { accountId } = state;
  return [
    {
      type: 'LoginCodeIssued',
      data: { ...newCode(accountId, LOGIN_CODE_LIFETIME_ms, context), requesters: [...requesters] },
    },
  ];
};

/**
 * Uses a login code, so that it cannot be used again. A wrong code causes a `LoginCodeFailed` event, so that attempts
 * are counted across restarts. The caller responds with LOGIN_FAILED if the events do not contain `LoginCodeUsed`.
 * Throws LOGIN_FAILED if the requester has no valid code.
 */
export const consumeLoginCode: Decider<EnterCode, AccountState, AccountEvent> = (command, state, { now }) => {
  const issued = state && findCode(state.openLoginCodes, command.requesters);
  if (!state || !canBeEntered(issued, LOGIN_CODE_MAX_ATTEMPTS, now)) throw new DomainError('LOGIN_FAILED');
  const { accountId } = state;
  return command.deriveCode(issued.issuanceId) === command.code
    ? [{ type: 'LoginCodeUsed', data: { accountId, issuanceId: issued.issuanceId } }]
    : [{ type: 'LoginCodeFailed', data: { accountId, ...toFailure(issued) } }];
};

/** Records that an admin has verified the identity of the owner. Idempotent. Throws USER_NOT_FOUND. */
export const verifyAccountByAdmin: Decider<VerifyAccountByAdmin, AccountState, AccountEvent> = ({ reason }, state) => {
  const { accountId, verifiedByAdmin } = requireUser(state);
  return verifiedByAdmin ? [] : [{ type: 'AccountVerifiedByAdmin', data: { accountId, reason } }];
};

/**
 * Gives an account the role of admin or moderator, which replaces any previous role. Granting the same role
 * again changes nothing. Throws USER_NOT_FOUND.
 */
export const grantRole: Decider<GrantRole, AccountState, AccountEvent> = ({ role, reason }, state) => {
  const { accountId, role: before } = requireUser(state);
  return before === role ? [] : [{ type: 'RoleGranted', data: { accountId, role, reason } }];
};

/** Withdraws the staff role of an account. Does nothing if the account has no staff role. Throws USER_NOT_FOUND. */
export const withdrawRole: Decider<WithdrawRole, AccountState, AccountEvent> = ({ reason }, state) => {
  const { accountId, role } = requireUser(state);
  return role === null ? [] : [{ type: 'RoleWithdrawn', data: { accountId, role, reason } }];
};

/** Closes the account. Its e-mail address can then be used for a new account. Throws USER_NOT_FOUND. */
export const closeAccount: Decider<CloseAccount, AccountState, AccountEvent> = ({ reason }, state) => {
  return [{ type: 'AccountClosed', data: { accountId: requireUser(state).accountId, reason } }];
};

/**
 * Closes a stand-in account when the existing account with the same e-mail address is erased (decision 0055). The
 * personal data of the stand-in account is encrypted with the key of the existing account. An erasure destroys this
 * key, so the data of both accounts is erased.
 */
export const closeStandIn: Decider<EmptyCommand, AccountState, AccountEvent> = (_command, state) => {
  return state && isStandIn(state)
    ? [{ type: 'AccountClosed', data: { accountId: state.accountId, reason: null } }]
    : [];
};

/**
 * Returns the registered account. Throws USER_NOT_FOUND if the account does not exist or is a stand-in account. A
 * stand-in account counts as not found, because only the person who created it may know about it (decision 0055).
 */
function requireUser(state: AccountState): RegisteredAccount {
  if (!state || isStandIn(state)) throw new DomainError('USER_NOT_FOUND');
  return state;
}

function requireAge(age_years: number): void {
  if (age_years < MINIMUM_AGE_years) throw new DomainError('UNDER_AGE');
}

/** Checks whether a sign-up repeats the sign-up that created this account, and the code can still be entered. */
function isSameSignUp(
  { passwordHash, userType, displayName, age }: Omit<RegisterAccount, 'isDemo'>,
  state: RegisteredAccount,
  now: string,
): boolean {
  return (
    passwordHash === state.passwordHash &&
    userType === state.userType &&
    displayName === state.displayName &&
    age === state.age &&
    canBeEntered(state.openVerificationCode, VERIFICATION_MAX_ATTEMPTS, now)
  );
}

function matchesSignUp({ passwordVersion, browser }: SignUpProof, state: RegisteredAccount): boolean {
  return passwordVersion === state.passwordVersion || (browser !== null && browser === state.browser);
}

/** Returns the code that the first possible of these requesters can enter, or null. */
function findCode(codes: readonly RequestedCode[], requesters: readonly string[]): RequestedCode | null {
  for (const requester of [...requesters, null]) {
    const found = codes.find((code) => code.requester === requester);
    if (found) return found;
  }
  return null;
}

function toFailure({ issuanceId, requester }: RequestedCode) {
  return { issuanceId, ...(requester !== null && { requester }) };
}

function issueVerification(
  accountId: string,
  context: DecisionContext,
): Extract<AccountEvent, { type: 'EmailVerificationIssued' }> {
  return { type: 'EmailVerificationIssued', data: newCode(accountId, VERIFICATION_CODE_LIFETIME_ms, context) };
}

function newCode(accountId: string, lifetime_ms: number, { now, newId }: DecisionContext) {
  return { accountId, issuanceId: newId(), expiresAt: addTime(now, lifetime_ms) };
}

function canBeEntered<Code extends IssuedCode>(code: Code | null, maxAttempts: number, now: string): code is Code {
  return code !== null && code.expiresAt > now && code.failedAttempts < maxAttempts;
}

/**
 * Returns the waiting time in milliseconds until another code may be issued. The result is 0 or negative if the code
 * may be issued immediately.
 */
function remainingWait_ms(code: IssuedCode | null, wait_ms: number, now: string): number {
  return code ? Date.parse(code.issuedAt) + wait_ms - Date.parse(now) : 0;
}

function addTime(now: string, lifetime_ms: number): string {
  return new Date(Date.parse(now) + lifetime_ms).toISOString();
}
