import type { UserView } from '@alpenglow/domain/contracts';

/** The role is read from either (specification, section 3, "User"). */
export const isProvider = (user: UserView): boolean => user.userType === 'provider' || user.isProvider;
