import type { Member } from '@alpenglow/domain';
import type { Principal } from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';

/** Dependencies of the community operations. */
export type CommunityDependencies = Dependencies<'commands' | 'authentication' | 'community' | 'log'>;

/** Returns the properties of the caller that the rules of the community check. An admin counts as a moderator. */
export function createMember({ account, user }: Principal): Member {
  return {
    accountId: account.accountId,
    emailVerified: user.isEmailVerified,
    isModerator: user.isModerator,
    registeredAt: account.registeredAt,
  };
}
