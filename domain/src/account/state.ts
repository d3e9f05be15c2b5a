import type { Aggregate } from '../aggregate.ts';
import { accountEvents, type AccountEvent } from './events.ts';

export type StaffRole = 'admin' | 'moderator';

export interface RegisteredAccount {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly userType: 'client' | 'provider';
  readonly displayName: string;
  readonly age: number;
  /** ISO 8601. */
  readonly registeredAt: string;
  readonly emailVerified: boolean;
  /** An admin has looked into who this is. */
  readonly verifiedByAdmin: boolean;
  /** What they may do beyond their own account; null for nearly everybody. */
  readonly role: StaffRole | null;
  /** Stands in for an address that has another account (decision 0022); null for every other. */
  readonly repeatOf: string | null;
  /** How often the password was changed: a session opened under another is over. */
  readonly passwordVersion: number;
  /** Two-step sign-in; null where it is off. */
  readonly twoStep: TwoStep | null;
  /** How often it was switched on: a session opened under another has not passed it. */
  readonly twoStepVersion: number;
  /** A set-up that no code has confirmed; null where none was begun, or it was finished. */
  readonly twoStepSetUp: TwoStepSetUp | null;
  /** The verification code last issued, until it is used. */
  readonly verification: IssuedCode | null;
  /** The same of a password reset. */
  readonly reset: IssuedCode | null;
}

/** What signing in takes beside the password. */
export interface TwoStep {
  /** What the app makes its codes of, in base32. */
  readonly secret: string;
  /** Of recovery codes that were not used yet. */
  readonly recoveryCodeHashes: readonly string[];
  /** Of the last code that was used. */
  readonly lastTimeStep: number;
}

export interface TwoStepSetUp {
  readonly secret: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A code that was mailed. The code itself is derived from `issuanceId`. Times are ISO 8601. */
export interface IssuedCode {
  readonly issuanceId: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** Wrong codes entered so far. */
  readonly failures: number;
}

/** Null until somebody registers with this address, and again once the account is closed. */
export type AccountState = RegisteredAccount | null;

const UNVERIFIED = {
  emailVerified: false,
  verifiedByAdmin: false,
  role: null,
  repeatOf: null,
  passwordVersion: 0,
  twoStep: null,
  twoStepVersion: 0,
  twoStepSetUp: null,
  verification: null,
  reset: null,
} as const;

function issued(issuanceId: string, issuedAt: string, expiresAt: string): IssuedCode {
  return { issuanceId, issuedAt, expiresAt, failures: 0 };
}

function failedOnce(code: IssuedCode | null): IssuedCode | null {
  return code && { ...code, failures: code.failures + 1 };
}

function evolve(state: AccountState, event: AccountEvent, at: string): AccountState {
  switch (event.type) {
    case 'AccountRegistered': {
      const { accountId, email, passwordHash, userType, displayName, age } = event.data;
      return { ...UNVERIFIED, accountId, email, passwordHash, userType, displayName, age, registeredAt: at };
    }
    case 'SignUpRepeated': {
      const { accountId, ofAccountId, email, passwordHash, userType, displayName, age, issuanceId, expiresAt } =
        event.data;
      return {
        ...UNVERIFIED,
        accountId,
        email,
        passwordHash,
        userType,
        displayName,
        age,
        registeredAt: at,
        repeatOf: ofAccountId,
        verification: issued(issuanceId, at, expiresAt),
      };
    }
    case 'EmailVerificationIssued': {
      const { issuanceId, expiresAt } = event.data;
      return state && { ...state, verification: issued(issuanceId, at, expiresAt) };
    }
    case 'EmailVerificationFailed':
      return state && { ...state, verification: failedOnce(state.verification) };
    case 'EmailVerified':
      return state && { ...state, emailVerified: true, verification: null };
    case 'EmailVerificationCleared':
      return state && { ...state, verification: null };
    case 'ProfileUpdated': {
      const { displayName, age } = event.data;
      return (
        state && { ...state, ...(displayName !== undefined && { displayName }), ...(age !== undefined && { age }) }
      );
    }
    case 'PasswordChanged':
      return (
        state && {
          ...state,
          passwordHash: event.data.passwordHash,
          passwordVersion: state.passwordVersion + 1,
          reset: null,
        }
      );
    case 'PasswordResetIssued': {
      const { issuanceId, expiresAt } = event.data;
      return state && { ...state, reset: issued(issuanceId, at, expiresAt) };
    }
    case 'PasswordResetFailed':
      return state && { ...state, reset: failedOnce(state.reset) };
    case 'AccountVerifiedByAdmin':
      return state && { ...state, verifiedByAdmin: true };
    case 'RoleGranted':
      return state && { ...state, role: event.data.role };
    case 'RoleWithdrawn':
      return state && { ...state, role: null };
    case 'TwoStepSetUpBegun': {
      const { secret, expiresAt } = event.data;
      return state && { ...state, twoStepSetUp: { secret, expiresAt } };
    }
    case 'TwoStepEnabled': {
      const { secret, recoveryCodeHashes, timeStep } = event.data;
      return (
        state && {
          ...state,
          twoStep: { secret, recoveryCodeHashes, lastTimeStep: timeStep },
          twoStepVersion: state.twoStepVersion + 1,
          twoStepSetUp: null,
        }
      );
    }
    case 'TwoStepCodeUsed':
      return state && { ...state, twoStep: state.twoStep && { ...state.twoStep, lastTimeStep: event.data.timeStep } };
    case 'RecoveryCodeUsed': {
      const { recoveryCodeHash } = event.data;
      return (
        state && {
          ...state,
          twoStep: state.twoStep && {
            ...state.twoStep,
            recoveryCodeHashes: state.twoStep.recoveryCodeHashes.filter((hash) => hash !== recoveryCodeHash),
          },
        }
      );
    }
    case 'TwoStepDisabled':
      return state && { ...state, twoStep: null };
    case 'AccountClosed':
      return null;
  }
}

export const account: Aggregate<AccountState, AccountEvent> = {
  name: 'account',
  initial: null,
  evolve,
  definitions: accountEvents,
};
