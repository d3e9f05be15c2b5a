import type { Decider } from '../aggregate.ts';
import { TWO_STEP_SET_UP_LIFETIME_ms } from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';
import type {
  BeginTwoStep,
  ConfirmTwoStep,
  DisableTwoStep,
  ConsumeTwoStepCode,
  TwoStepCodeVerifier,
} from './commands.ts';
import type { AccountEvent } from './events.ts';
import type { AccountState, RegisteredAccount, TwoStep } from './state.ts';

/** Deciders for two-step sign-in, which requires a code in addition to the password (decision 0038). */

/** The last used time step of an account that has not used a code yet. All real time steps are later. */
const NO_TIME_STEP = 0;

/**
 * Begins the set-up of two-step sign-in with a new secret, which replaces a secret that is not confirmed yet. Throws
 * AUTHENTICATION_REQUIRED if the account no longer exists, and TWO_STEP_IS_ON. Throws VERIFICATION_REQUIRED before the
 * e-mail address is verified. Without this check, a person could sign up with another person's e-mail address and make
 * the sign-in of the other person harder (decision 0022).
 */
export const beginTwoStep: Decider<BeginTwoStep, AccountState, AccountEvent> = ({ secret }, state, { now }) => {
  const { accountId, emailVerified, twoStep } = requireAccount(state);
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (twoStep) throw new DomainError('TWO_STEP_IS_ON');
  const expiresAt = new Date(Date.parse(now) + TWO_STEP_SET_UP_LIFETIME_ms).toISOString();
  return [{ type: 'TwoStepSetUpBegun', data: { accountId, secret, expiresAt } }];
};

/**
 * Switches two-step sign-in on if a code proves that the authenticator app has the secret. Throws TWO_STEP_IS_ON,
 * TWO_STEP_CODE_WRONG, and TWO_STEP_NOT_BEGUN if no set-up was begun or the set-up has expired.
 */
export const confirmTwoStep: Decider<ConfirmTwoStep, AccountState, AccountEvent> = (
  { code, recoveryCodeHashes, codeVerifier },
  state,
  { now },
) => {
  const { accountId, twoStep, twoStepSetUp } = requireAccount(state);
  if (twoStep) throw new DomainError('TWO_STEP_IS_ON');
  if (!twoStepSetUp || twoStepSetUp.expiresAt <= now) throw new DomainError('TWO_STEP_NOT_BEGUN');
  const { secret } = twoStepSetUp;
  const timeStep = codeVerifier.findTimeStep(secret, code, now, NO_TIME_STEP);
  if (timeStep === null) throw new DomainError('TWO_STEP_CODE_WRONG');
  return [
    { type: 'TwoStepEnabled', data: { accountId, secret, recoveryCodeHashes: [...recoveryCodeHashes], timeStep } },
  ];
};

/**
 * Marks a code of the authenticator app or a recovery code as used, so that it cannot be used again. Does nothing while
 * two-step sign-in is off. Throws AUTHENTICATION_REQUIRED and TWO_STEP_CODE_WRONG.
 */
export const consumeTwoStepCode: Decider<ConsumeTwoStepCode, AccountState, AccountEvent> = (
  { code, codeVerifier },
  state,
  { now },
) => {
  const { accountId, twoStep } = requireAccount(state);
  return twoStep ? [useCode(accountId, code, twoStep, codeVerifier, now)] : [];
};

/**
 * Switches two-step sign-in off. The caller has already checked the password. Idempotent. Throws
 * AUTHENTICATION_REQUIRED and TWO_STEP_CODE_WRONG.
 */
export const disableTwoStep: Decider<DisableTwoStep, AccountState, AccountEvent> = (
  { code, codeVerifier },
  state,
  { now },
) => {
  const { accountId, twoStep } = requireAccount(state);
  return twoStep
    ? [useCode(accountId, code, twoStep, codeVerifier, now), { type: 'TwoStepDisabled', data: { accountId } }]
    : [];
};

function useCode(
  accountId: string,
  code: string,
  { secret, lastTimeStep, recoveryCodeHashes }: TwoStep,
  codes: TwoStepCodeVerifier,
  now: string,
): AccountEvent {
  const timeStep = codes.findTimeStep(secret, code, now, lastTimeStep);
  if (timeStep !== null) return { type: 'TwoStepCodeUsed', data: { accountId, timeStep } };
  const recoveryCodeHash = codes.hashRecoveryCode(accountId, code);
  if (!recoveryCodeHashes.includes(recoveryCodeHash)) throw new DomainError('TWO_STEP_CODE_WRONG');
  return { type: 'RecoveryCodeUsed', data: { accountId, recoveryCodeHash } };
}

function requireAccount(state: AccountState): RegisteredAccount {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  return state;
}
