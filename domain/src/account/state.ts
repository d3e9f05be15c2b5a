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
  /** Keyed hash of the browser that signed up, or null if it is unknown. */
  readonly browser: string | null;
  /** Time of the sign-up in ISO 8601. */
  readonly registeredAt: string;
  /** Time of the sign-up, or of the last change of the profile, in ISO 8601. */
  readonly profileChangedAt: string;
  readonly emailVerified: boolean;
  /** True if an admin has verified the identity of the owner. */
  readonly verifiedByAdmin: boolean;
  /** The staff role of the account. Null for an account without a staff role. */
  readonly role: StaffRole | null;
  /**
   * For a stand-in account, which hides that its e-mail address already has an account: the id of the existing account
   * (decision 0055). Otherwise null.
   */
  readonly standInFor: string | null;
  /**
   * Number of password changes, and of sign-ups that replaced this unverified account. A session that was opened with a
   * lower number is no longer valid.
   */
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
  /** The last password reset code of each requester. Empty after one of them is used. */
  readonly openResetCodes: readonly RequestedCode[];
  /** The last login code of each requester. */
  readonly openLoginCodes: readonly RequestedCode[];
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
 * A code that only its requester can enter, so that wrong codes of other clients do not use it up. `requester` is null
 * for an older code, which every client can enter.
 */
export interface RequestedCode extends IssuedCode {
  readonly requester: string | null;
}

/**
 * Checks whether the account is a stand-in account. A sign-up with an e-mail address that has a verified account
 * creates a stand-in account, so that the response does not reveal the existing account (decision 0055). A stand-in
 * account is never verified, receives no mail, and is known only to its creator.
 */
export function isStandIn({ standInFor }: Pick<RegisteredAccount, 'standInFor'>): boolean {
  return standInFor !== null;
}

/**
 * Checks whether the account belongs to a person. Until then, another sign-up with its e-mail address replaces it
 * (R-10.12).
 */
export function hasOwner({ emailVerified, verifiedByAdmin }: RegisteredAccount): boolean {
  return emailVerified || verifiedByAdmin;
}

/** State of an account. Null before the first sign-up with its e-mail address and after the account is closed. */
export type AccountState = RegisteredAccount | null;

const UNVERIFIED = {
  browser: null,
  emailVerified: false,
  verifiedByAdmin: false,
  role: null,
  standInFor: null,
  passwordVersion: 0,
  twoStep: null,
  twoStepVersion: 0,
  twoStepSetUp: null,
  openVerificationCode: null,
  openResetCodes: [],
  openLoginCodes: [],
} as const;

function newCode(issuanceId: string, issuedAt: string, expiresAt: string): IssuedCode {
  return { issuanceId, issuedAt, expiresAt, failedAttempts: 0 };
}

function withOneFailure<Code extends IssuedCode>(code: Code): Code {
  return { ...code, failedAttempts: code.failedAttempts + 1 };
}

/**
 * Maximum number of open codes of one kind. The rate limits allow 100 requests in 15 minutes, and a request may add two
 * codes. A code can outlive one such window, so that two windows count.
 */
const OPEN_CODES_MAX = 400;

interface RequestedCodeIssue {
  readonly issuanceId: string;
  readonly expiresAt: string;
  readonly requesters?: readonly (string | null)[] | undefined;
}

/** Adds a code for each requester, which replaces an earlier one. Codes that have expired at `at` are removed. */
function withCode(
  codes: readonly RequestedCode[],
  { issuanceId, expiresAt, requesters = [null] }: RequestedCodeIssue,
  at: string,
): readonly RequestedCode[] {
  const others = codes.filter((code) => !requesters.includes(code.requester) && code.expiresAt > at);
  const added = requesters.map((requester) => ({ ...newCode(issuanceId, at, expiresAt), requester }));
  return [...others, ...added].slice(-OPEN_CODES_MAX);
}

/** Counts a wrong code. Wrong codes of one requester do not use up the attempts of the other one. */
function withFailureOf(
  codes: readonly RequestedCode[],
  failed: { readonly issuanceId: string; readonly requester?: string | undefined },
): readonly RequestedCode[] {
  const { issuanceId, requester = null } = failed;
  return codes.map((code) =>
    code.issuanceId === issuanceId && code.requester === requester ? withOneFailure(code) : code,
  );
}

/**
 * The values of an account that a new sign-up does not reset. A reset code proves access to the mailbox, so another
 * person's sign-up must not invalidate it.
 */
function replacing(state: AccountState): Pick<RegisteredAccount, 'passwordVersion' | 'openResetCodes'> {
  return state
    ? { passwordVersion: state.passwordVersion + 1, openResetCodes: state.openResetCodes }
    : { passwordVersion: 0, openResetCodes: [] };
}

function evolve(state: AccountState, event: AccountEvent, at: string): AccountState {
  switch (event.type) {
    case 'AccountRegistered': {
      const { accountId, email, passwordHash, userType, displayName, age, browser = null } = event.data;
      const fields = { accountId, email, passwordHash, userType, displayName, age, browser };
      return { ...UNVERIFIED, ...fields, ...replacing(state), registeredAt: at, profileChangedAt: at };
    }
    case 'SignUpRepeated': {
      const { ofAccountId, issuanceId, expiresAt, browser = null, ...fields } = event.data;
      return {
        ...UNVERIFIED,
        ...fields,
        browser,
        ...replacing(state),
        registeredAt: at,
        profileChangedAt: at,
        standInFor: ofAccountId,
        openVerificationCode: newCode(issuanceId, at, expiresAt),
      };
    }
    case 'EmailVerificationIssued': {
      const { issuanceId, expiresAt } = event.data;
      return state && { ...state, openVerificationCode: newCode(issuanceId, at, expiresAt) };
    }
    case 'EmailVerificationFailed':
      return (
        state && {
          ...state,
          openVerificationCode: state.openVerificationCode && withOneFailure(state.openVerificationCode),
        }
      );
    case 'EmailVerified':
      return state && { ...state, emailVerified: true, openVerificationCode: null, openResetCodes: [] };
    case 'EmailVerificationCleared':
      return state && { ...state, openVerificationCode: null };
    case 'ProfileUpdated': {
      const { displayName, age } = event.data;
      return (
        state && {
          ...state,
          ...(displayName !== undefined && { displayName }),
          ...(age !== undefined && { age }),
          // The identity check has confirmed the earlier age.
          ...(age !== undefined && age !== state.age && { verifiedByAdmin: false }),
          profileChangedAt: at,
        }
      );
    }
    case 'PasswordRehashed':
      return state && { ...state, passwordHash: event.data.passwordHash };
    case 'PasswordChanged':
      return (
        state && {
          ...state,
          passwordHash: event.data.passwordHash,
          passwordVersion: state.passwordVersion + 1,
          openResetCodes: [],
          openLoginCodes: [],
        }
      );
    case 'PasswordResetIssued':
      return state && { ...state, openResetCodes: withCode(state.openResetCodes, event.data, at) };
    case 'PasswordResetFailed':
      return state && { ...state, openResetCodes: withFailureOf(state.openResetCodes, event.data) };
    case 'LoginCodeIssued':
      return state && { ...state, openLoginCodes: withCode(state.openLoginCodes, event.data, at) };
    case 'LoginCodeFailed':
      return state && { ...state, openLoginCodes: withFailureOf(state.openLoginCodes, event.data) };
    case 'LoginCodeUsed': {
      const { issuanceId } = event.data;
      return (
        state && { ...state, openLoginCodes: state.openLoginCodes.filter((code) => code.issuanceId !== issuanceId) }
      );
    }
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
