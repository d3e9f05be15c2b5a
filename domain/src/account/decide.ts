import type { DecisionContext } from '../aggregate.ts';
import {
  MINIMUM_AGE_years,
  PASSWORD_RESET_LIFETIME_ms,
  PASSWORD_RESET_MAX_ATTEMPTS,
  PASSWORD_RESET_WAIT_ms,
  VERIFICATION_CODE_LIFETIME_ms,
  VERIFICATION_MAX_ATTEMPTS,
  VERIFICATION_RESEND_WAIT_ms,
} from '../constants.ts';
import { DomainError } from '../errors.ts';
import type {
  ChangePassword,
  GrantRole,
  RegisterAccount,
  RepeatSignUp,
  ResetPassword,
  UpdateProfile,
  VerificationCodeOf,
  VerifyEmail,
} from './commands.ts';
import type { AccountEvent } from './events.ts';
import type { AccountState, IssuedCode, RegisteredAccount } from './state.ts';

/**
 * Opens an account and issues its first verification code; a demo account counts as verified. Specification, section 5; product decisions: 18 or older.
 * Refuses with UNDER_AGE; CONFLICT when the address has an account by now, to which `repeatSignUp` is the answer.
 */
export function registerAccount(
  command: RegisterAccount,
  state: AccountState,
  context: DecisionContext,
): readonly AccountEvent[] {
  requireAge(command.age);
  if (state) throw new DomainError('CONFLICT');
  const { accountId } = command;
  return [
    { type: 'AccountRegistered', data: command },
    command.isDemo ? { type: 'EmailVerified', data: { accountId } } : issueVerification(accountId, context),
  ];
}

/**
 * Gives whoever signs up with a taken address an account that stands in for it and can never be verified (decision 0022). It begins with as
 * many events as any account, a code nobody is mailed among them, so that counting events tells no address either. The same address and
 * password a second time changes nothing. `state` is the stand-in's. Refuses with UNDER_AGE.
 */
export function repeatSignUp(
  command: RepeatSignUp,
  state: AccountState,
  context: DecisionContext,
): readonly AccountEvent[] {
  requireAge(command.age);
  if (state) return [];
  const issued = issueVerification(command.accountId, context);
  return [
    { type: 'SignUpRepeated', data: { ...command, issuanceId: context.newId(), expiresAt: issued.data.expiresAt } },
    issued,
  ];
}

/**
 * Issues a fresh code; the old one stops working. Nothing happens when the address is verified already.
 * Refuses with NO_USER_EMAIL when there is no such account, RESEND_TOO_SOON within a minute of the last code.
 */
export function resendVerification(state: AccountState, context: DecisionContext): readonly AccountEvent[] {
  if (!state || state.repeatOf !== null) throw new DomainError('NO_USER_EMAIL');
  if (state.emailVerified) return [];
  const wait_ms = leftToWait(state.verification, VERIFICATION_RESEND_WAIT_ms, context.now);
  if (wait_ms > 0) throw new DomainError('RESEND_TOO_SOON', {}, Math.ceil(wait_ms / 1000));
  return [issueVerification(state.accountId, context)];
}

/**
 * Marks the address as verified when the code is the one issued last, unexpired, with attempts left. A wrong code is an event
 * too, so that attempts are counted over restarts; the caller answers VERIFICATION_FAILED when `EmailVerified` is not among the events.
 * Refuses with VERIFICATION_FAILED where no code can be right.
 */
export function verifyEmail(
  command: VerifyEmail,
  state: AccountState,
  codeOf: VerificationCodeOf,
  { now }: DecisionContext,
): readonly AccountEvent[] {
  if (!state || state.repeatOf !== null) throw new DomainError('VERIFICATION_FAILED');
  if (state.emailVerified) return [];
  const issued = state.verification;
  if (!canBeEntered(issued, VERIFICATION_MAX_ATTEMPTS, now)) throw new DomainError('VERIFICATION_FAILED');
  const { accountId } = state;
  return codeOf(issued.issuanceId) === command.code
    ? [{ type: 'EmailVerified', data: { accountId } }]
    : [{ type: 'EmailVerificationFailed', data: { accountId, issuanceId: issued.issuanceId } }];
}

/** Takes the open code back, if there is one that could still be entered or replaced. */
export function clearVerification(reason: string | null, state: AccountState): readonly AccountEvent[] {
  if (!state?.verification) return [];
  return [
    {
      type: 'EmailVerificationCleared',
      data: { accountId: state.accountId, issuanceId: state.verification.issuanceId, reason },
    },
  ];
}

/** Changes what differs. Refuses with UNDER_AGE, AUTHENTICATION_REQUIRED when the account is gone. */
export function updateProfile(command: UpdateProfile, state: AccountState): readonly AccountEvent[] {
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
}

/**
 * Sets another password; sessions opened under the old one end. Refuses with AUTHENTICATION_REQUIRED when the account is gone,
 * VERIFICATION_REQUIRED before the e-mail is verified: a stand-in of decision 0022 could not keep its promise to sign in with the new one.
 */
export function changePassword({ passwordHash }: ChangePassword, state: AccountState): readonly AccountEvent[] {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  if (!state.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  return [{ type: 'PasswordChanged', data: { accountId: state.accountId, passwordHash } }];
}

/**
 * Issues a code that resets the password; the one before stops working. Never refuses: nothing happens within a minute of the last code,
 * without an account, and for accounts nobody can sign in to.
 */
export function issuePasswordReset(state: AccountState, { now, newId }: DecisionContext): readonly AccountEvent[] {
  if (!state || state.repeatOf !== null || state.passwordHash === null) return [];
  if (leftToWait(state.reset, PASSWORD_RESET_WAIT_ms, now) > 0) return [];
  return [
    {
      type: 'PasswordResetIssued',
      data: { accountId: state.accountId, issuanceId: newId(), expiresAt: after(now, PASSWORD_RESET_LIFETIME_ms) },
    },
  ];
}

/**
 * Sets another password by a mailed code, which also verifies the address: whoever has the code has the mailbox. A wrong code is an event, as
 * in `verifyEmail`; the caller answers RESET_FAILED when `PasswordChanged` is not among the events. Refuses with RESET_FAILED where no code can be right.
 */
export function resetPassword(
  command: ResetPassword,
  state: AccountState,
  codeOf: VerificationCodeOf,
  { now }: DecisionContext,
): readonly AccountEvent[] {
  if (!state || state.repeatOf !== null) throw new DomainError('RESET_FAILED');
  const { accountId, reset, emailVerified } = state;
  if (!canBeEntered(reset, PASSWORD_RESET_MAX_ATTEMPTS, now)) throw new DomainError('RESET_FAILED');
  if (codeOf(reset.issuanceId) !== command.code)
    return [{ type: 'PasswordResetFailed', data: { accountId, issuanceId: reset.issuanceId } }];
  const changed: AccountEvent = { type: 'PasswordChanged', data: { accountId, passwordHash: command.passwordHash } };
  return emailVerified ? [changed] : [changed, { type: 'EmailVerified', data: { accountId } }];
}

/** An admin has looked into who this is. Twice changes nothing. Refuses with USER_NOT_FOUND. */
export function verifyAccountByAdmin(reason: string | null, state: AccountState): readonly AccountEvent[] {
  const { accountId, verifiedByAdmin } = requireUser(state);
  return verifiedByAdmin ? [] : [{ type: 'AccountVerifiedByAdmin', data: { accountId, reason } }];
}

/** Lets somebody act as an admin or a moderator, in place of any role they had. The same one again changes nothing. Refuses with USER_NOT_FOUND. */
export function grantRole({ role, reason }: GrantRole, state: AccountState): readonly AccountEvent[] {
  const { accountId, role: before } = requireUser(state);
  return before === role ? [] : [{ type: 'RoleGranted', data: { accountId, role, reason } }];
}

/** Takes the role somebody was given; who has none stays without. Nothing else of the account ends. Refuses with USER_NOT_FOUND. */
export function withdrawRole(reason: string, state: AccountState): readonly AccountEvent[] {
  const { accountId, role } = requireUser(state);
  return role === null ? [] : [{ type: 'RoleWithdrawn', data: { accountId, role, reason } }];
}

/** Ends the account; its address may sign up again. Refuses with USER_NOT_FOUND. */
export function closeAccount(reason: string | null, state: AccountState): readonly AccountEvent[] {
  return [{ type: 'AccountClosed', data: { accountId: requireUser(state).accountId, reason } }];
}

/** Ends what stands in for an account that is being erased (decision 0022): what it holds goes with that account's key. */
export function closeStandIn(state: AccountState): readonly AccountEvent[] {
  return state && state.repeatOf !== null
    ? [{ type: 'AccountClosed', data: { accountId: state.accountId, reason: null } }]
    : [];
}

/** A stand-in of decision 0022 is no user: nobody but whoever made it may see that it is there. */
function requireUser(state: AccountState): RegisteredAccount {
  if (!state || state.repeatOf !== null) throw new DomainError('USER_NOT_FOUND');
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
    data: { accountId, issuanceId: newId(), expiresAt: after(now, VERIFICATION_CODE_LIFETIME_ms) },
  };
}

function canBeEntered(code: IssuedCode | null, maxAttempts: number, now: string): code is IssuedCode {
  return code !== null && code.expiresAt > now && code.failures < maxAttempts;
}

/** Milliseconds until another code may be issued; 0 or less when now. */
function leftToWait(code: IssuedCode | null, wait_ms: number, now: string): number {
  return code ? Date.parse(code.issuedAt) + wait_ms - Date.parse(now) : 0;
}

function after(now: string, lifetime_ms: number): string {
  return new Date(Date.parse(now) + lifetime_ms).toISOString();
}
