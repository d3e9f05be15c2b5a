import type { UserView } from '@alpenglow/domain/contracts';

/** Checks whether the user is a provider, who posts an ad. Either field is sufficient. */
export const isProvider = (user: UserView): boolean => user.userType === 'provider' || user.isProvider;
