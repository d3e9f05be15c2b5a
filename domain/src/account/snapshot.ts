import type { RecordedDomainEvent } from '../events.ts';
import type { HistoryReducer } from '../history/history-reducer.ts';
import { findChanges } from '../history/changes.ts';
import type { AccountEvent } from './events.ts';
import { account, type RegisteredAccount, type StaffRole } from './state.ts';

/** The state of an account at one moment. It contains no secrets. Times are ISO 8601 in UTC. */
export interface AccountSnapshot {
  readonly status: 'open' | 'closed';
  /** Empty after the personal data of the owner is erased. The display name is then empty too. */
  readonly email: string;
  readonly displayName: string;
  readonly userType: 'client' | 'provider';
  readonly age: number;
  readonly isEmailVerified: boolean;
  /** True if an admin has verified the identity of the owner. */
  readonly isVerified: boolean;
  readonly role: StaffRole | null;
  readonly hasTwoStep: boolean;
  /** True if a verification code was mailed and has not been used yet. */
  readonly hasOpenCode: boolean;
  /** True if a password reset code was mailed and has not been used yet. */
  readonly hasOpenReset: boolean;
  readonly passwordChanges: number;
  /**
   * For a stand-in account, which hides that its e-mail address already has an account: the id of the existing account
   * (decision 0055). Otherwise null.
   */
  readonly repeatOf: string | null;
  readonly registeredAt: string;
  readonly closedAt: string | null;
  readonly isErased: boolean;
}

/** The account and the time of its last closing, computed from the events of the account. */
export interface AccountHistoryState {
  /**
   * The state of the account that the deciders use. After the account is closed, the last state before it was closed.
   * Null before the first sign-up.
   */
  readonly account: RegisteredAccount | null;
  readonly closedAt: string | null;
}

/**
 * Computes the history of an account from its events. A sign-up with the e-mail address of a closed account continues
 * the same event stream, so the history contains both accounts.
 */
export const accountHistoryReducer: HistoryReducer<AccountHistoryState> = {
  initial: { account: null, closedAt: null },
  evolve(state, recorded) {
    const event = recorded as RecordedDomainEvent<AccountEvent>;
    const before = state.closedAt === null ? state.account : null;
    const after = account.evolve(before, event, event.meta.at);
    return after
      ? { account: after, closedAt: null }
      : { account: state.account, closedAt: event.type === 'AccountClosed' ? event.meta.at : state.closedAt };
  },
  findChanges: (before, after) => findChanges(toAccountSnapshot(before), toAccountSnapshot(after)),
};

/** Returns the snapshot of an account, or null before the first sign-up. */
export function toAccountSnapshot({ account: registered, closedAt }: AccountHistoryState): AccountSnapshot | null {
  if (!registered) return null;
  return {
    status: closedAt === null ? 'open' : 'closed',
    email: registered.email,
    displayName: registered.displayName,
    userType: registered.userType,
    age: registered.age,
    isEmailVerified: registered.emailVerified,
    isVerified: registered.verifiedByAdmin,
    role: registered.role,
    hasTwoStep: registered.twoStep !== null,
    hasOpenCode: registered.openVerificationCode !== null,
    hasOpenReset: registered.openResetCodes.length > 0,
    passwordChanges: registered.passwordVersion,
    repeatOf: registered.standInFor,
    registeredAt: registered.registeredAt,
    closedAt,
    isErased: registered.email === '',
  };
}
