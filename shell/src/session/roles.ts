import type { UserView } from '@alpenglow/domain/contracts';

/**
 * Checks whether the user is a provider, which is an account that posts an ad. `userType` or `isProvider` alone is
 * sufficient.
 */
export const isProvider = (user: UserView): boolean => user.userType === 'provider' || user.isProvider;

/** Returns the page that opens after a login or a sign-up if the visitor requested no other page. */
export const startPageOf = (user: UserView): string => (isProvider(user) ? '/provider-profile' : '/');
