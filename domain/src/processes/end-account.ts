import { closeAccount } from '../account/decide.ts';
import { account, type RegisteredAccount } from '../account/state.ts';
import { removeAllFavorites, removeFavorite } from '../favorites/decide.ts';
import { favorites, type FavoritesState } from '../favorites/state.ts';
import { unfollowAllThreads, unfollowThread } from '../follows/decide.ts';
import { follows, type FollowsState } from '../follows/state.ts';
import { removeAdByAdmin } from '../listing/decide.ts';
import type { ListingState } from '../listing/slot.ts';
import { listing } from '../listing/state.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/** Options for closing an account. */
export interface EndAccountOptions {
  readonly reason?: string | null;
  /** ISO 8601. An account that was registered after this time belongs to another person, so it stays open. */
  readonly registeredBy?: string;
}

/** What an account has at one moment. The removal names it, so that it removes nothing that is added later. */
export interface AccountContent {
  /** The id of the ad. Null if there is none. */
  readonly adId: string | null;
  readonly favoriteAdIds: readonly string[];
  readonly threadIds: readonly string[];
}

/**
 * Returns what belongs to an account that is closed or is to be closed. After the closing, a new account may have been
 * registered with the same id. `content` may then be of both accounts: an ad is of the account in whose time it was
 * posted, and the rest is of the new account.
 * @param successor the new account, or null if there is none
 */
export function contentOfClosed(
  { ad }: ListingState,
  { adIds }: FavoritesState,
  { threads }: FollowsState,
  successor: Pick<RegisteredAccount, 'registeredAt'> | null,
): AccountContent {
  const isOfClosed = ad !== null && (successor === null || ad.postedAt < successor.registeredAt);
  return {
    adId: isOfClosed ? ad.adId : null,
    favoriteAdIds: successor === null ? adIds : [],
    threadIds: successor === null ? Object.keys(threads) : [],
  };
}

/**
 * Returns the commands that remove the ad, the favorites and the followed threads of an account. Its posts in the
 * community remain without an author. A command does nothing if its effect has already been achieved.
 * @param content what to remove, or null for everything that the account has when the commands are handled
 */
export function removeContentCommands(
  accountId: string,
  content: AccountContent | null,
  reason: string | null = null,
): readonly ProcessCommand[] {
  return [
    processCommand(listing, accountId, (slot, context) =>
      slot.ad && (content === null || slot.ad.adId === content.adId)
        ? removeAdByAdmin({ adId: slot.ad.adId, accountId, reason }, slot, context)
        : [],
    ),
    processCommand(favorites, accountId, (state, context) =>
      content === null
        ? removeAllFavorites({ accountId }, state, context)
        : content.favoriteAdIds.flatMap((adId) => removeFavorite({ accountId, adId }, state, context)),
    ),
    processCommand(follows, accountId, (state, context) =>
      content === null
        ? unfollowAllThreads({ accountId }, state, context)
        : content.threadIds.flatMap((threadId) => unfollowThread({ accountId, threadId }, state, context)),
    ),
  ];
}

/**
 * Returns the command that closes an account. Until it is handled, the account can add content, so load its content
 * again afterwards.
 */
export function closeAccountCommand(
  accountId: string,
  { reason = null, registeredBy }: EndAccountOptions,
): ProcessCommand {
  return processCommand(account, accountId, (current, context) =>
    current && (registeredBy === undefined || current.registeredAt <= registeredBy)
      ? closeAccount({ reason }, current, context)
      : [],
  );
}
