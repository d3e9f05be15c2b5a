import type { RegisteredAccount } from '../account/state.ts';

/** The provider that requests verification, with its current data. */
export type VerificationRequester = Pick<
  RegisteredAccount,
  'accountId' | 'userType' | 'emailVerified' | 'verifiedByAdmin' | 'registeredAt'
>;

export interface RequestIdentityCheck {
  readonly provider: VerificationRequester;
  readonly checkId: string;
  /** Number of uploaded pictures. */
  readonly files: number;
}

export interface DecideIdentityCheck {
  readonly accountId: string;
  /** The account that currently has the id `accountId`. Null if the account is closed. */
  readonly owner: Pick<RegisteredAccount, 'registeredAt'> | null;
  readonly isAccepted: boolean;
  readonly reason: string;
}

export interface DestroyIdentityEvidence {
  readonly accountId: string;
}
