import type { RegisteredAccount, StaffRole } from './state.ts';

/** Commands that change an account. The fields are already validated, and passwords are already hashed. */

export interface RegisterAccount
  extends Pick<RegisteredAccount, 'accountId' | 'email' | 'passwordHash' | 'userType' | 'displayName' | 'age'> {
  readonly isDemo: boolean;
  /** Keyed hash of the browser that signs up. */
  readonly browser?: string | undefined;
}

/**
 * A sign-up with an e-mail address that has a verified account. The command creates a stand-in account, i.e. a
 * placeholder, so that the response does not reveal the existing account. `accountId` is the id of the stand-in
 * account. `ofAccountId` is the id of the existing account.
 */
export interface CreateStandIn extends Omit<RegisterAccount, 'isDemo'> {
  readonly ofAccountId: string;
}

/** Derives the 6-digit code of a mail from a secret of the installation and `issuanceId`, the id of the issued code. */
export type DeriveVerificationCode = (issuanceId: string) => string;

/**
 * Shows that the client signed up with the account's current data. `passwordVersion` is the version of the
 * client's session, or null without a session. `browser` is the keyed hash of the client's browser, or null.
 */
export interface SignUpProof {
  readonly passwordVersion: number | null;
  readonly browser: string | null;
}

export interface VerifyEmail {
  readonly code: string;
  readonly deriveCode: DeriveVerificationCode;
  readonly proof: SignUpProof;
}

export interface ResendVerification {
  readonly proof: SignUpProof;
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

/** Replaces the hash of a password by another hash of the same password. */
export interface RehashPassword extends ChangePassword {
  /** The hash with which the password was compared. */
  readonly previousHash: string;
}

/**
 * Requests a mailed code. `requesters` contains the keyed hash of the client's browser. If the client sent no cookie,
 * it also contains the hash of the client's network, because the client may not store cookies.
 */
export interface RequestCode {
  readonly requesters: readonly string[];
}

/** Enters a mailed code. `requesters` contains the keyed hashes of the client's browser (if known) and network. */
export interface EnterCode {
  readonly requesters: readonly string[];
  readonly code: string;
  readonly deriveCode: DeriveVerificationCode;
}

export interface ResetPassword extends EnterCode {
  readonly passwordHash: string;
  /** The new data of an account whose e-mail address was never verified. */
  readonly profile?: Pick<RegisteredAccount, 'userType' | 'displayName' | 'age'> | undefined;
}

/** An admin gives the account a staff role. */
export interface GrantRole {
  readonly role: StaffRole;
  readonly reason: string;
}

/** An admin revokes an unused verification code. `reason` is null if the admin gave no reason. */
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

/** Marks `code` as used. `code` is a code of the authenticator app or a recovery code. */
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
 * Checks the codes of two-step sign-in. An adapter implements the algorithm. The domain decides whether a correct code
 * is accepted, because each code may be used only once.
 */
export interface TwoStepCodeVerifier {
  /**
   * Returns the number of the time step for which `code` is valid, or null. A time step is the period in which the app
   * shows the same code. Only time steps around `now` (ISO 8601) that are later than `after` are considered.
   */
  findTimeStep(secret: string, code: string, now: string, after: number): number | null;
  /** Returns the hash under which a recovery code is stored. */
  hashRecoveryCode(accountId: string, code: string): string;
}
