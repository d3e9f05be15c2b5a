import type { UserView } from '../contracts/views.ts';
import type { RegisteredAccount } from './state.ts';

/** What of an account its owner sees: what a read model has of it is enough. */
export type ShownAccount = Pick<RegisteredAccount, 'accountId' | 'email' | 'userType' | 'displayName' | 'age' | 'emailVerified' | 'verifiedByAdmin'>;

/**
 * The account as its owner sees it. `verified` says that an admin has looked into who this is. An admin is the configured address,
 * case-insensitively, once its e-mail is verified (product decisions, "Who may do what").
 */
export function userView(account: ShownAccount, adminEmail: string | null): UserView {
  const isProvider = account.userType === 'provider';
  return {
    id: account.accountId,
    email: account.email,
    userType: account.userType,
    verified: account.verifiedByAdmin,
    isEmailVerified: account.emailVerified,
    isAdmin: account.emailVerified && adminEmail !== null && account.email.toLowerCase() === adminEmail.toLowerCase(),
    isProvider,
    displayName: account.displayName,
    age: account.age,
    subscriptionStatus: 'none',
    subscriptionPlan: null,
    isFreeTrial: false,
    canPostAds: isProvider && (account.emailVerified || account.verifiedByAdmin),
  };
}
