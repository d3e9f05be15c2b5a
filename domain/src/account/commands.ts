import type { RegisteredAccount, StaffRole } from './state.ts';

/** Commands of an account. `fields.ts` has validated their fields. Passwords are already hashed. */

export interface RegisterAccount
  extends Pick<RegisteredAccount, 'accountId' | 'email' | 'passwordHash' | 'userType' | 'displayName' | 'age'> {
  readonly isDemo: boolean;
}

/**
 * A sign-up with an e-mail address that already has an account. It creates a stand-in account, so that the response
 * hides this fact. `accountId` is the id of the stand-in. `ofAccountId` is the id of the existing account.
 */
export interface CreateStandIn extends Omit<RegisterAccount, 'isDemo'> {
  readonly ofAccountId: string;
}

/** Derives the 6-digit code from the id of its issuance and a secret of the installation. */
export type DeriveVerificationCode = (issuanceId: string) => string;

export interface VerifyEmail {
  readonly code: string;
  readonly deriveCode: DeriveVerificationCode;
}

/** Changes the profile of an account. Absent fields keep their values. */
export interface UpdateProfile {
  readonly displayName?: string | undefined;
  readonly age?: number | undefined;
}

/** Sets a new password. The caller has already checked the current password. */
export interface ChangePassword {
  readonly passwordHash: string;
}

export interface ResetPassword {
  readonly code: string;
  readonly deriveCode: DeriveVerificationCode;
  readonly passwordHash: string;
}

/** An admin gives the account a role. */
export interface GrantRole {
  readonly role: StaffRole;
  readonly reason: string;
}

/** An admin revokes a verification code that is not used yet. `reason` is null if the admin gave no reason. */
export interface ClearVerification {
  readonly reason: string | null;
}

/** An admin has verified the identity of the account owner. */
export interface VerifyAccountByAdmin {
  readonly reason: string | null;
}

export interface WithdrawRole {
  readonly reason: string;
}

/** Closes an account. `reason` is the reason that an admin gave, or null. */
export interface CloseAccount {
  readonly reason: string | null;
}

/** Begins the set-up of two-step sign-in with a newly generated, base32-encoded `secret`. */
export interface BeginTwoStep {
  readonly secret: string;
}

export interface ConfirmTwoStep {
  readonly code: string;
  readonly recoveryCodeHashes: readonly string[];
  readonly codeVerifier: TwoStepCodeVerifier;
}

/** Uses up `code`, which is a code of the authenticator app or a recovery code. */
export interface ConsumeTwoStepCode {
  readonly code: string;
  readonly codeVerifier: TwoStepCodeVerifier;
}

/** Switches two-step sign-in off. The caller has already checked the password. */
export interface DisableTwoStep {
  readonly code: string;
  readonly codeVerifier: TwoStepCodeVerifier;
}

/**
 * Checks the codes of two-step sign-in. An adapter implements the algorithm. The domain decides which codes
 * are accepted.
 */
export interface TwoStepCodeVerifier {
  /**
   * Returns the time step for which `code` is valid, or null. It considers only time steps around `now` (ISO 8601) that
   * are later than the time step `after`.
   */
  findTimeStep(secret: string, code: string, now: string, after: number): number | null;
  /** Returns the hash under which a recovery code is stored. */
  hashRecoveryCode(accountId: string, code: string): string;
}
