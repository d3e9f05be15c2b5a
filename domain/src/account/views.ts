import type { UserView } from '../contracts/views.ts';
import type { RegisteredAccount, TwoStep } from './state.ts';

/** What of an account its owner sees: what a read model has of it is enough. */
export type ShownAccount = Pick<
  RegisteredAccount,
  'accountId' | 'email' | 'userType' | 'displayName' | 'age' | 'emailVerified' | 'verifiedByAdmin' | 'role'
> & {
  /** Or only whether it is on. */
  readonly twoStep: TwoStep | boolean | null;
};

/**
 * The account as its owner sees it. `verified` says that an admin has looked into who this is. An admin is the configured address,
 * case-insensitively, or who was given that role, once its e-mail is verified (product decisions, "Who may do what"). An admin is a moderator, too.
 */
export function userView(account: ShownAccount, adminEmail: string | null): UserView {
  const isProvider = account.userType === 'provider';
  const isConfigured = adminEmail !== null && account.email.toLowerCase() === adminEmail.toLowerCase();
  const isAdmin = account.emailVerified && (isConfigured || account.role === 'admin');
  return {
    id: account.accountId,
    email: account.email,
    userType: account.userType,
    verified: account.verifiedByAdmin,
    isEmailVerified: account.emailVerified,
    isAdmin,
    isModerator: isAdmin || (account.emailVerified && account.role === 'moderator'),
    isProvider,
    twoStep: Boolean(account.twoStep),
    displayName: account.displayName,
    age: account.age,
    subscriptionStatus: 'none',
    subscriptionPlan: null,
    isFreeTrial: false,
    canPostAds: isProvider && (account.emailVerified || account.verifiedByAdmin),
  };
}
