import { endOfWait } from './end-of-wait.ts';
import type { UserView } from '../contracts/views.ts';
import type { RegisteredAccount, TwoStep } from './state.ts';

/** The fields of an account that `toUserView` needs. A read model also provides all of these fields. */
export type UserViewSource = Pick<
  RegisteredAccount,
  'accountId' | 'email' | 'userType' | 'displayName' | 'age' | 'emailVerified' | 'verifiedByAdmin' | 'role'
> & {
  /**
   * The settings of two-step sign-in, or null. A read model stores only a boolean, which is true if two-step sign-in is
   * on.
   */
  readonly twoStep: TwoStep | boolean | null;
  /** Time of the sign-up in ISO 8601. It is absent where the view needs no `writesFrom`. */
  readonly registeredAt?: string;
};

/**
 * Returns the account as shown to its owner. `verified` is true if an admin has verified the identity of the owner.
 * `isAdmin` requires a verified e-mail address, and either the admin role or the e-mail address `adminEmail`,
 * regardless of case. An admin is also a moderator.
 */
export function toUserView(account: UserViewSource, adminEmail: string | null): UserView {
  const isProvider = account.userType === 'provider';
  const isConfigured = adminEmail !== null && account.email.toLowerCase() === adminEmail.toLowerCase();
  const isAdmin = account.emailVerified && (isConfigured || account.role === 'admin');
  const isModerator = isAdmin || (account.emailVerified && account.role === 'moderator');
  return {
    id: account.accountId,
    email: account.email,
    userType: account.userType,
    verified: account.verifiedByAdmin,
    isEmailVerified: account.emailVerified,
    isAdmin,
    isModerator,
    isProvider,
    twoStep: Boolean(account.twoStep),
    displayName: account.displayName,
    age: account.age,
    subscriptionStatus: 'none',
    subscriptionPlan: null,
    isFreeTrial: false,
    ...(account.registeredAt !== undefined && !isModerator && { writesFrom: endOfWait(account.registeredAt) }),
    canPostAds: isProvider && (account.emailVerified || account.verifiedByAdmin),
  };
}
