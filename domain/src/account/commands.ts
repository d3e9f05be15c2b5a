/** What may be asked of an account. Fields have passed `fields.ts` already. */

export interface RegisterAccount {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly userType: 'client' | 'provider';
  readonly displayName: string;
  readonly age: number;
  readonly isDemo: boolean;
}

export interface VerifyEmail {
  readonly code: string;
}

/** Derives the 6-digit code of one issuance from a secret. */
export type VerificationCodeOf = (issuanceId: string) => string;
