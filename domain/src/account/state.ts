import type { Aggregate } from '../aggregate.ts';
import { accountEvents, type AccountEvent } from './events.ts';

export interface RegisteredAccount {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly userType: 'client' | 'provider';
  readonly displayName: string;
  readonly age: number;
  readonly emailVerified: boolean;
  /** The verification code last issued, until it is used. */
  readonly verification: { readonly issuanceId: string; readonly issuedAt: string; readonly expiresAt: string; readonly failures: number } | null;
}

/** Null until somebody registers with this address. */
export type AccountState = RegisteredAccount | null;

function evolve(state: AccountState, event: AccountEvent, at: string): AccountState {
  switch (event.type) {
    case 'AccountRegistered': {
      const { accountId, email, passwordHash, userType, displayName, age } = event.data;
      return { accountId, email, passwordHash, userType, displayName, age, emailVerified: false, verification: null };
    }
    case 'EmailVerificationIssued': {
      const { issuanceId, expiresAt } = event.data;
      return state && { ...state, verification: { issuanceId, issuedAt: at, expiresAt, failures: 0 } };
    }
    case 'EmailVerificationFailed':
      return state && { ...state, verification: state.verification && { ...state.verification, failures: state.verification.failures + 1 } };
    case 'EmailVerified':
      return state && { ...state, emailVerified: true, verification: null };
  }
}

export const account: Aggregate<AccountState, AccountEvent> = { name: 'account', initial: null, evolve, definitions: accountEvents };
