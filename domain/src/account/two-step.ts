import type { DecisionContext } from '../aggregate.ts';
import { TWO_STEP_SET_UP_LIFETIME_ms } from '../constants.ts';
import { DomainError } from '../errors.ts';
import type { AccountEvent } from './events.ts';
import type { AccountState, RegisteredAccount, TwoStep } from './state.ts';

/** Two-step sign-in of an account (decision 0038). */

/** What codes are made of is the world's: the domain says which may be used. */
export interface TwoStepCodes {
  /** The time step whose code this is, of those around `now` (ISO 8601) that come after the step `after`; null: it is none of theirs. */
  timeStepOf(secret: string, code: string, now: string, after: number): number | null;
  /** What a recovery code is known by. */
  recoveryCodeHash(accountId: string, code: string): string;
}

/** Before any code was used. */
const NO_TIME_STEP = 0;

/**
 * Begins with a fresh secret, in place of one whose set-up was not finished. Refuses with AUTHENTICATION_REQUIRED when the account is gone,
 * VERIFICATION_REQUIRED before the e-mail is verified (nobody else's sign-in is made harder by a stand-in of decision 0022), TWO_STEP_IS_ON.
 */
export function beginTwoStep(secret: string, state: AccountState, { now }: DecisionContext): readonly AccountEvent[] {
  const { accountId, emailVerified, twoStep } = requireAccount(state);
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (twoStep) throw new DomainError('TWO_STEP_IS_ON');
  const expiresAt = new Date(Date.parse(now) + TWO_STEP_SET_UP_LIFETIME_ms).toISOString();
  return [{ type: 'TwoStepSetUpBegun', data: { accountId, secret, expiresAt } }];
}

/** Switches it on once a code shows that the app has the secret. Refuses with TWO_STEP_IS_ON, TWO_STEP_NOT_BEGUN (or begun too long ago), TWO_STEP_CODE_WRONG. */
export function confirmTwoStep(
  code: string,
  recoveryCodeHashes: readonly string[],
  state: AccountState,
  codes: TwoStepCodes,
  { now }: DecisionContext,
): readonly AccountEvent[] {
  const { accountId, twoStep, twoStepSetUp } = requireAccount(state);
  if (twoStep) throw new DomainError('TWO_STEP_IS_ON');
  if (!twoStepSetUp || twoStepSetUp.expiresAt <= now) throw new DomainError('TWO_STEP_NOT_BEGUN');
  const { secret } = twoStepSetUp;
  const timeStep = codes.timeStepOf(secret, code, now, NO_TIME_STEP);
  if (timeStep === null) throw new DomainError('TWO_STEP_CODE_WRONG');
  return [
    { type: 'TwoStepEnabled', data: { accountId, secret, recoveryCodeHashes: [...recoveryCodeHashes], timeStep } },
  ];
}

/** Uses a code, of the app or a recovery code, up. Nothing happens where the account asks for none. Refuses with AUTHENTICATION_REQUIRED, TWO_STEP_CODE_WRONG. */
export function passTwoStep(
  code: string,
  state: AccountState,
  codes: TwoStepCodes,
  { now }: DecisionContext,
): readonly AccountEvent[] {
  const { accountId, twoStep } = requireAccount(state);
  return twoStep ? [useCode(accountId, code, twoStep, codes, now)] : [];
}

/** Switches it off; whoever asks has shown the password. Off stays off. Refuses with AUTHENTICATION_REQUIRED, TWO_STEP_CODE_WRONG. */
export function disableTwoStep(
  code: string,
  state: AccountState,
  codes: TwoStepCodes,
  { now }: DecisionContext,
): readonly AccountEvent[] {
  const { accountId, twoStep } = requireAccount(state);
  return twoStep
    ? [useCode(accountId, code, twoStep, codes, now), { type: 'TwoStepDisabled', data: { accountId } }]
    : [];
}

function useCode(
  accountId: string,
  code: string,
  { secret, lastTimeStep, recoveryCodeHashes }: TwoStep,
  codes: TwoStepCodes,
  now: string,
): AccountEvent {
  const timeStep = codes.timeStepOf(secret, code, now, lastTimeStep);
  if (timeStep !== null) return { type: 'TwoStepCodeUsed', data: { accountId, timeStep } };
  const recoveryCodeHash = codes.recoveryCodeHash(accountId, code);
  if (!recoveryCodeHashes.includes(recoveryCodeHash)) throw new DomainError('TWO_STEP_CODE_WRONG');
  return { type: 'RecoveryCodeUsed', data: { accountId, recoveryCodeHash } };
}

function requireAccount(state: AccountState): RegisteredAccount {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  return state;
}
