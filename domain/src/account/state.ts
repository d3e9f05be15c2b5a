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
  /** Time of the sign-up in ISO 8601. */
  readonly registeredAt: string;
  readonly emailVerified: boolean;
  /** True if an admin has verified the identity of the owner. */
  readonly verifiedByAdmin: boolean;
  /** The staff role of the account. Null for an account without a staff role. */
  readonly role: StaffRole | null;
  /**
   * For a stand-in account, which hides that its e-mail address already has an account: the id of the existing account
   * (decision 0022). Otherwise null.
   */
  readonly standInFor: string | null;
  /** Number of password changes. A session that was opened with a lower number is no longer valid. */
  readonly passwordVersion: number;
  /** The settings of two-step sign-in. Null while it is off. */
  readonly twoStep: TwoStep | null;
  /**
   * Number of times that two-step sign-in was switched on. A session with a lower number was opened before the last of
   * these times, so it has not passed two-step sign-in.
   */
  readonly twoStepVersion: number;
  /** A set-up of two-step sign-in that the user has not confirmed with a code yet, or null. */
  readonly twoStepSetUp: TwoStepSetUp | null;
  /** The last verification code that was issued. Null after it is used or revoked. */
  readonly openVerificationCode: IssuedCode | null;
  /** The last password reset code that was issued. Null after it is used. */
  readonly openResetCode: IssuedCode | null;
}

/** The settings of two-step sign-in, which requires a code in addition to the password. */
export interface TwoStep {
  /** The secret shared with the authenticator app, base32-encoded. */
  readonly secret: string;
  /** Hashes of the recovery codes that are not used yet. */
  readonly recoveryCodeHashes: readonly string[];
  /**
   * The time step of the code that was used last. A time step is the period in which the app shows the same code. Codes
   * of this time step and earlier ones are rejected.
   */
  readonly lastTimeStep: number;
}

interface TwoStepSetUp {
  readonly secret: string;
  /** The time at which the set-up expires, in ISO 8601. */
  readonly expiresAt: string;
}

/**
 * A code that was mailed to the owner of an account. The code is not stored, because it is derived from `issuanceId`.
 * Times are ISO 8601.
 */
export interface IssuedCode {
  readonly issuanceId: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** Number of wrong codes that were entered. */
  readonly failedAttempts: number;
}

/**
 * Checks whether the account is a stand-in account. A sign-up with an e-mail address that already has an account
 * creates a stand-in account, so that the response does not reveal the existing account (decision 0022). A stand-in
 * account is never verified, receives no mail, and is known only to its creator.
 */
export function isStandIn({ standInFor }: Pick<RegisteredAccount, 'standInFor'>): boolean {
  return standInFor !== null;
}

/** State of an account. Null before the first sign-up with its e-mail address and after the account is closed. */
export type AccountState = RegisteredAccount | null;

const UNVERIFIED = {
  emailVerified: false,
  verifiedByAdmin: false,
  role: null,
  standInFor: null,
  passwordVersion: 0,
  twoStep: null,
  twoStepVersion: 0,
  twoStepSetUp: null,
  openVerificationCode: null,
  openResetCode: null,
} as const;

function newCode(issuanceId: string, issuedAt: string, expiresAt: string): IssuedCode {
  return { issuanceId, issuedAt, expiresAt, failedAttempts: 0 };
}

function withOneFailure(code: IssuedCode | null): IssuedCode | null {
  return code && { ...code, failedAttempts: code.failedAttempts + 1 };
}

function evolve(state: AccountState, event: AccountEvent, at: string): AccountState {
  switch (event.type) {
    case 'AccountRegistered': {
      const { accountId, email, passwordHash, userType, displayName, age } = event.data;
      return { ...UNVERIFIED, accountId, email, passwordHash, userType, displayName, age, registeredAt: at };
    }
    case 'SignUpRepeated': {
      const { ofAccountId, issuanceId, expiresAt, ...fields } = event.data;
      return {
        ...UNVERIFIED,
        ...fields,
        registeredAt: at,
        standInFor: ofAccountId,
        openVerificationCode: newCode(issuanceId, at, expiresAt),
      };
    }
    case 'EmailVerificationIssued': {
      const { issuanceId, expiresAt } = event.data;
      return state && { ...state, openVerificationCode: newCode(issuanceId, at, expiresAt) };
    }
    case 'EmailVerificationFailed':
      return state && { ...state, openVerificationCode: withOneFailure(state.openVerificationCode) };
    case 'EmailVerified':
      return state && { ...state, emailVerified: true, openVerificationCode: null };
    case 'EmailVerificationCleared':
      return state && { ...state, openVerificationCode: null };
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
          openResetCode: null,
        }
      );
    case 'PasswordResetIssued': {
      const { issuanceId, expiresAt } = event.data;
      return state && { ...state, openResetCode: newCode(issuanceId, at, expiresAt) };
    }
    case 'PasswordResetFailed':
      return state && { ...state, openResetCode: withOneFailure(state.openResetCode) };
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
  eventDefinitions: accountEvents,
};
