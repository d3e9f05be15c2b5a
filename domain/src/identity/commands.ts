import type { RegisteredAccount } from '../account/state.ts';

/** The provider that requests verification of their identity, with the current data of the account. */
export type VerificationRequester = Pick<
  RegisteredAccount,
  'accountId' | 'userType' | 'emailVerified' | 'verifiedByAdmin' | 'registeredAt'
>;

export interface RequestIdentityCheck {
  readonly provider: VerificationRequester;
  readonly checkId: string;
  /** Number of uploaded pictures. */
  readonly files: number;
  /** The perceptual hashes of the pictures, in their order. */
  readonly hashes?: readonly string[];
}

export interface DecideIdentityCheck {
  readonly accountId: string;
  /** The current account with the id `accountId`. Null if this account is closed. */
  readonly owner: Pick<RegisteredAccount, 'registeredAt'> | null;
  readonly isAccepted: boolean;
  readonly reason: string;
}

export interface DestroyIdentityEvidence {
  readonly accountId: string;
}
