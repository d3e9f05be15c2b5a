import type { DecisionContext } from '../aggregate.ts';
import { MINIMUM_AGE_years, VERIFICATION_CODE_LIFETIME_ms, VERIFICATION_MAX_ATTEMPTS, VERIFICATION_RESEND_WAIT_ms } from '../constants.ts';
import { DomainError } from '../errors.ts';
import type { RegisterAccount, VerificationCodeOf, VerifyEmail } from './commands.ts';
import type { AccountEvent } from './events.ts';
import type { AccountState } from './state.ts';

function issueVerification(accountId: string, { now, newId }: DecisionContext): AccountEvent {
  const expiresAt = new Date(Date.parse(now) + VERIFICATION_CODE_LIFETIME_ms).toISOString();
  return { type: 'EmailVerificationIssued', data: { accountId, issuanceId: newId(), expiresAt } };
}

/**
 * Opens an account and issues its first verification code; a demo account counts as verified. Specification, section 5; product decisions: 18 or older.
 * Refuses with UNDER_AGE, EMAIL_TAKEN.
 */
export function registerAccount(command: RegisterAccount, state: AccountState, context: DecisionContext): readonly AccountEvent[] {
  if (command.age < MINIMUM_AGE_years) throw new DomainError('UNDER_AGE');
  if (state) throw new DomainError('EMAIL_TAKEN');
  const { accountId } = command;
  return [
    { type: 'AccountRegistered', data: command },
    command.isDemo ? { type: 'EmailVerified', data: { accountId } } : issueVerification(accountId, context),
  ];
}

/**
 * Issues a fresh code; the old one stops working. Nothing happens when the address is verified already.
 * Refuses with NO_USER_EMAIL when there is no such account, RESEND_TOO_SOON within a minute of the last code.
 */
export function resendVerification(state: AccountState, context: DecisionContext): readonly AccountEvent[] {
  if (!state) throw new DomainError('NO_USER_EMAIL');
  if (state.emailVerified) return [];
  const wait_ms = state.verification ? Date.parse(state.verification.issuedAt) + VERIFICATION_RESEND_WAIT_ms - Date.parse(context.now) : 0;
  if (wait_ms > 0) throw new DomainError('RESEND_TOO_SOON', {}, Math.ceil(wait_ms / 1000));
  return [issueVerification(state.accountId, context)];
}

/**
 * Marks the address as verified when the code is the one issued last, unexpired, with attempts left. A wrong code is an event
 * too, so that attempts are counted over restarts; the caller answers VERIFICATION_FAILED when `EmailVerified` is not among the events.
 * Refuses with VERIFICATION_FAILED where no code can be right.
 */
export function verifyEmail(command: VerifyEmail, state: AccountState, codeOf: VerificationCodeOf, { now }: DecisionContext): readonly AccountEvent[] {
  if (!state) throw new DomainError('VERIFICATION_FAILED');
  if (state.emailVerified) return [];
  const issued = state.verification;
  if (!issued || issued.expiresAt <= now || issued.failures >= VERIFICATION_MAX_ATTEMPTS) throw new DomainError('VERIFICATION_FAILED');
  const { accountId } = state;
  return codeOf(issued.issuanceId) === command.code
    ? [{ type: 'EmailVerified', data: { accountId } }]
    : [{ type: 'EmailVerificationFailed', data: { accountId, issuanceId: issued.issuanceId } }];
}
