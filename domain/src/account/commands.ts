import type { StaffRole } from './state.ts';

/** What may be asked of an account. Fields have passed `fields.ts` already; passwords arrive hashed. */

export interface RegisterAccount {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly userType: 'client' | 'provider';
  readonly displayName: string;
  readonly age: number;
  readonly isDemo: boolean;
}

/** A sign-up with an address that has an account: `accountId` is the stand-in's, `ofAccountId` the account's. */
export interface RepeatSignUp extends Omit<RegisterAccount, 'isDemo'> {
  readonly ofAccountId: string;
}

export interface VerifyEmail {
  readonly code: string;
}

/** What is absent stays as it is. */
export interface UpdateProfile {
  readonly displayName?: string | undefined;
  readonly age?: number | undefined;
}

/** Whoever asks has shown the current password. */
export interface ChangePassword {
  readonly passwordHash: string;
}

export interface ResetPassword {
  readonly code: string;
  readonly passwordHash: string;
}

/** An admin's word. */
export interface GrantRole {
  readonly role: StaffRole;
  readonly reason: string;
}

/** Derives the 6-digit code of one issuance from a secret. */
export type VerificationCodeOf = (issuanceId: string) => string;
