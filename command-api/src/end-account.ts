import { account, closeAccount, DomainError, favorites, listing, removeAdByAdmin, removeAllFavorites, type Position } from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin, Sessions } from '@alpenglow/infra';
import { lastPositionOf } from './last-position.ts';

export interface EndAccountDependencies {
  readonly commands: CommandHandler;
  readonly sessions: Sessions;
}

/**
 * Ends an account and what belongs to it: its ad, its favorites, its sessions. Each step may be done already, so that a call that broke
 * off is finished by the next one. Throws USER_NOT_FOUND for an id that never was a user's.
 */
export async function endAccount({ commands, sessions }: EndAccountDependencies, accountId: string, origin: CommandOrigin): Promise<{ readonly revision: number; readonly position: Position | null }> {
  const { state, revision } = await commands.load(account, accountId);
  const isStandIn = state !== null && state.repeatOf !== null;
  if (revision < 0 || isStandIn) throw new DomainError('USER_NOT_FOUND');

  const takeAdDown = () => commands.handle(listing, accountId, (slot) => (slot.ad ? removeAdByAdmin(slot.ad.adId, accountId, slot) : []), origin);
  const ad = await takeAdDown();
  const kept = await commands.handle(favorites, accountId, (now) => removeAllFavorites(accountId, now), origin);
  // Once before: a call that breaks off between the two must leave no session to whoever signs up with the address next.
  await sessions.revokeAll(accountId);
  const closed = await commands.handle(account, accountId, (now) => (now ? closeAccount(now) : []), origin);
  await sessions.revokeAll(accountId);
  // Nobody posts from here on; somebody may have until now.
  const lastAd = await takeAdDown();
  return { revision: closed.revision, position: lastPositionOf([ad, kept, closed, lastAd]) };
}
