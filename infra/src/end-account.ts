import {
  account,
  closeAccount,
  comparePositions,
  DomainError,
  favorites,
  follows,
  listing,
  removeAdByAdmin,
  removeAllFavorites,
  unfollowAll,
  type Position,
} from '@alpenglow/domain';
import type { Sessions } from './adapters/postgres/sessions.ts';
import type { CommandHandler, CommandOrigin } from './command-handling.ts';

export interface EndAccountDependencies {
  readonly commands: CommandHandler;
  readonly sessions: Pick<Sessions, 'revokeAll'>;
}

export interface Ending {
  readonly reason?: string | null;
  /** ISO 8601: whoever signed up with the address after that is somebody else, whose account stays. */
  readonly registeredBy?: string;
}

/**
 * Ends an account and what belongs to it: its ad, its favorites, the threads it follows, its sessions. What it has posted in the community
 * stays, by nobody. Each step may be done already, so that a call that broke off is finished by the next one. Throws USER_NOT_FOUND for an id that never was a user's.
 */
export async function endAccount(
  { commands, sessions }: EndAccountDependencies,
  accountId: string,
  origin: CommandOrigin,
  { reason = null, registeredBy }: Ending = {},
): Promise<{ readonly revision: number; readonly position: Position | null }> {
  const { state, revision } = await commands.load(account, accountId);
  const isStandIn = state !== null && state.repeatOf !== null;
  if (revision < 0 || isStandIn) throw new DomainError('USER_NOT_FOUND');

  const takeAdDown = () =>
    commands.handle(
      listing,
      accountId,
      (slot) => (slot.ad ? removeAdByAdmin(slot.ad.adId, accountId, slot, reason) : []),
      origin,
    );
  const ad = await takeAdDown();
  const kept = await commands.handle(favorites, accountId, (now) => removeAllFavorites(accountId, now), origin);
  const followed = await commands.handle(follows, accountId, (now) => unfollowAll(accountId, now), origin);
  // Once before: a call that breaks off between the two must leave no session to whoever signs up with the address next.
  await sessions.revokeAll(accountId);
  const closed = await commands.handle(
    account,
    accountId,
    (now) => (now && (registeredBy === undefined || now.registeredAt <= registeredBy) ? closeAccount(reason, now) : []),
    origin,
  );
  await sessions.revokeAll(accountId);
  // Nobody posts from here on; somebody may have until now.
  const lastAd = await takeAdDown();
  return { revision: closed.revision, position: lastOf([ad, kept, followed, closed, lastAd]) };
}

/** Of where several commands stand, the last: a reader that has reached it sees the effect of all. */
function lastOf(handled: readonly { readonly position: Position | null }[]): Position | null {
  return handled.reduce<Position | null>(
    (last, { position }) =>
      position !== null && (last === null || comparePositions(position, last) > 0) ? position : last,
    null,
  );
}
