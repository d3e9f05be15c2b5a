import type { Recorded } from '../events.ts';
import type { Telling } from '../history/as-of.ts';
import { changesBetween } from '../history/changes.ts';
import type { AccountEvent } from './events.ts';
import { account, type RegisteredAccount, type StaffRole } from './state.ts';

/** An account as it stood at some moment, without any secret. Times are ISO 8601, UTC. */
export interface AccountAsOf {
  readonly status: 'open' | 'closed';
  /** Empty once its owner is erased, as is the name. */
  readonly email: string;
  readonly displayName: string;
  readonly userType: 'client' | 'provider';
  readonly age: number;
  readonly isEmailVerified: boolean;
  /** An admin has looked into who this is. */
  readonly isVerified: boolean;
  readonly role: StaffRole | null;
  readonly hasTwoStep: boolean;
  /** Whether a verification code has been mailed that was not used. */
  readonly hasOpenCode: boolean;
  /** The same of a password reset. */
  readonly hasOpenReset: boolean;
  readonly passwordChanges: number;
  /** The account it stands in for (decision 0022); null for every other. */
  readonly repeatOf: string | null;
  readonly registeredAt: string;
  readonly closedAt: string | null;
  readonly isErased: boolean;
}

/** An account told from its events. */
export interface AccountTold {
  /** As the rules have it; what it was last, once it is closed. Null before anybody registers. */
  readonly account: RegisteredAccount | null;
  readonly closedAt: string | null;
}

/** Tells an account from its events. An address that signs up again after its account was closed goes on in the same stream. */
export const accountTelling: Telling<AccountTold> = {
  initial: { account: null, closedAt: null },
  evolve(told, recorded) {
    const event = recorded as Recorded<AccountEvent>;
    const before = told.closedAt === null ? told.account : null;
    const after = account.evolve(before, event, event.meta.at);
    return after
      ? { account: after, closedAt: null }
      : { account: told.account, closedAt: event.type === 'AccountClosed' ? event.meta.at : told.closedAt };
  },
  changes: (before, after) => changesBetween(accountAsOf(before), accountAsOf(after)),
};

/** The account as it stood, as it is shown; null before anybody registered. */
export function accountAsOf({ account: told, closedAt }: AccountTold): AccountAsOf | null {
  if (!told) return null;
  const {
    email,
    displayName,
    userType,
    age,
    emailVerified,
    verifiedByAdmin,
    role,
    twoStep,
    verification,
    reset,
    passwordVersion,
    repeatOf,
    registeredAt,
  } = told;
  return {
    status: closedAt === null ? 'open' : 'closed',
    email,
    displayName,
    userType,
    age,
    isEmailVerified: emailVerified,
    isVerified: verifiedByAdmin,
    role,
    hasTwoStep: twoStep !== null,
    hasOpenCode: verification !== null,
    hasOpenReset: reset !== null,
    passwordChanges: passwordVersion,
    repeatOf,
    registeredAt,
    closedAt,
    isErased: email === '',
  };
}
