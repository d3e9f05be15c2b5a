import type { Decider, DecisionContext, EmptyCommand } from '../aggregate.ts';
import {
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
  CreateStandIn,
  ResetPassword,
  UpdateProfile,
  VerifyAccountByAdmin,
  VerifyEmail,
  WithdrawRole,
} from './commands.ts';
import type { AccountEvent } from './events.ts';
import { isStandIn, type AccountState, type IssuedCode, type RegisteredAccount } from './state.ts';

/**
 * Opens an account and issues its first verification code. A demo account is verified at once, so it gets no code.
 * Throws UNDER_AGE for a person under 18. Throws CONFLICT if the e-mail address already has an account. The
 * caller then uses `createStandIn` instead.
 */
export const registerAccount: Decider<RegisterAccount, AccountState, AccountEvent> = (command, state, context) => {
  requireAge(command.age);
  if (state) throw new DomainError('CONFLICT');
  const { accountId } = command;
  return [
    { type: 'AccountRegistered', data: command },
    command.isDemo ? { type: 'EmailVerified', data: { accountId } } : issueVerification(accountId, context),
  ];
};

/**
 * Creates a stand-in account for a sign-up with an e-mail address that already has an account. The stand-in account
 * hides this fact and can never be verified (decision 0022). It starts with as many events as a new account, because a
 * different number of events would reveal the existing account. Its verification code is never mailed. Repeating the
 * sign-up with the same address and password changes nothing. `state` is the state of the stand-in account. Throws
 * UNDER_AGE.
 */
export const createStandIn: Decider<CreateStandIn, AccountState, AccountEvent> = (command, state, context) => {
  requireAge(command.age);
  if (state) return [];
  const issued = issueVerification(command.accountId, context);
  return [
    { type: 'SignUpRepeated', data: { ...command, issuanceId: context.newId(), expiresAt: issued.data.expiresAt } },
    issued,
  ];
};

/**
 * Issues a new verification code, which invalidates the previous one. Does nothing if the e-mail address is already
 * verified. Throws NO_USER_EMAIL if there is no account, and RESEND_TOO_SOON within a minute of the last code.
 */
export const resendVerification: Decider<EmptyCommand, AccountState, AccountEvent> = (_command, state, context) => {
  if (!state || isStandIn(state)) throw new DomainError('NO_USER_EMAIL');
  if (state.emailVerified) return [];
  const wait_ms = remainingWait_ms(state.openVerificationCode, VERIFICATION_RESEND_WAIT_ms, context.now);
  if (wait_ms > 0) throw new DomainError('RESEND_TOO_SOON', {}, Math.ceil(wait_ms / 1000));
  return [issueVerification(state.accountId, context)];
};

/**
 * Verifies the e-mail address if the code is correct. Only the last issued code is valid, until it expires or has too
 * many failed attempts. A wrong code causes an `EmailVerificationFailed` event, so that attempts are counted across
 * restarts. The caller responds with VERIFICATION_FAILED if the events do not contain `EmailVerified`. Throws
 * VERIFICATION_FAILED if the account has no valid code.
 */
export const verifyEmail: Decider<VerifyEmail, AccountState, AccountEvent> = (command, state, { now }) => {
  if (!state || isStandIn(state)) throw new DomainError('VERIFICATION_FAILED');
  if (state.emailVerified) return [];
  const issued = state.openVerificationCode;
  if (!canBeEntered(issued, VERIFICATION_MAX_ATTEMPTS, now)) throw new DomainError('VERIFICATION_FAILED');
  const { accountId } = state;
  return command.deriveCode(issued.issuanceId) === command.code
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
 * never verified, so its password can never change. The reason is that the id of a stand-in account depends on its
 * password (decision 0022).
 */
export const changePassword: Decider<ChangePassword, AccountState, AccountEvent> = ({ passwordHash }, state) => {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  if (!state.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  return [{ type: 'PasswordChanged', data: { accountId: state.accountId, passwordHash } }];
};

/**
 * Issues a password reset code, which invalidates the previous code. Does nothing within a minute of the previous code,
 * without an account, and for stand-in and demo accounts. Never throws.
 */
export const issuePasswordReset: Decider<EmptyCommand, AccountState, AccountEvent> = (
  _command,
  state,
  { now, newId },
) => {
  if (!state || isStandIn(state) || state.passwordHash === null) return [];
  if (remainingWait_ms(state.openResetCode, PASSWORD_RESET_WAIT_ms, now) > 0) return [];
  return [
    {
      type: 'PasswordResetIssued',
      data: { accountId: state.accountId, issuanceId: newId(), expiresAt: addTime(now, PASSWORD_RESET_LIFETIME_ms) },
    },
  ];
};

/**
 * Sets a new password with a mailed code. The code also verifies the e-mail address, because it proves access to the
 * mailbox. A wrong code causes a `PasswordResetFailed` event, so that attempts are counted across restarts. The caller
 * responds with RESET_FAILED if the events do not contain `PasswordChanged`. Throws RESET_FAILED if the account has no
 * valid code.
 */
export const resetPassword: Decider<ResetPassword, AccountState, AccountEvent> = (command, state, { now }) => {
  if (!state || isStandIn(state)) throw new DomainError('RESET_FAILED');
  const { accountId, openResetCode, emailVerified } = state;
  if (!canBeEntered(openResetCode, PASSWORD_RESET_MAX_ATTEMPTS, now)) throw new DomainError('RESET_FAILED');
  if (command.deriveCode(openResetCode.issuanceId) !== command.code)
    return [{ type: 'PasswordResetFailed', data: { accountId, issuanceId: openResetCode.issuanceId } }];
  const changed: AccountEvent = { type: 'PasswordChanged', data: { accountId, passwordHash: command.passwordHash } };
  return emailVerified ? [changed] : [changed, { type: 'EmailVerified', data: { accountId } }];
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
 * Closes a stand-in account when the existing account with the same e-mail address is erased (decision 0022). The
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
 * stand-in account counts as not found, because only the person who created it may know about it (decision 0022).
 */
function requireUser(state: AccountState): RegisteredAccount {
  if (!state || isStandIn(state)) throw new DomainError('USER_NOT_FOUND');
  return state;
}

function requireAge(age_years: number): void {
  if (age_years < MINIMUM_AGE_years) throw new DomainError('UNDER_AGE');
}

function issueVerification(
  accountId: string,
  { now, newId }: DecisionContext,
): Extract<AccountEvent, { type: 'EmailVerificationIssued' }> {
  return {
    type: 'EmailVerificationIssued',
    data: { accountId, issuanceId: newId(), expiresAt: addTime(now, VERIFICATION_CODE_LIFETIME_ms) },
  };
}

function canBeEntered(code: IssuedCode | null, maxAttempts: number, now: string): code is IssuedCode {
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
