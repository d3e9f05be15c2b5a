import { closeAccount } from '../account/decide.ts';
import { account } from '../account/state.ts';
import { removeAllFavorites } from '../favorites/decide.ts';
import { favorites } from '../favorites/state.ts';
import { unfollowAllThreads } from '../follows/decide.ts';
import { follows } from '../follows/state.ts';
import { removeAdByAdmin } from '../listing/decide.ts';
import { listing } from '../listing/state.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/** Options for closing an account. */
export interface EndAccountOptions {
  readonly reason?: string | null;
  /** ISO 8601. An account that was registered after this time belongs to another person, so it stays open. */
  readonly registeredBy?: string;
}

/**
 * The commands that close an account and remove its ad, its favorites and its followed threads. The account can still
 * add content until `close` is handled, so send the other commands again afterwards.
 */
export interface EndAccountCommands {
  readonly removeAd: ProcessCommand;
  readonly removeFavorites: ProcessCommand;
  readonly unfollowThreads: ProcessCommand;
  readonly close: ProcessCommand;
}

/**
 * Returns the commands that close an account and remove its ad, its favorites and its followed threads. Its posts in
 * the community remain without an author. A command does nothing if its effect has already been achieved.
 */
export function endAccountCommands(
  accountId: string,
  { reason = null, registeredBy }: EndAccountOptions,
): EndAccountCommands {
  return {
    removeAd: processCommand(listing, accountId, (slot, context) =>
      slot.ad ? removeAdByAdmin({ adId: slot.ad.adId, accountId, reason }, slot, context) : [],
    ),
    removeFavorites: processCommand(favorites, accountId, (state, context) =>
      removeAllFavorites({ accountId }, state, context),
    ),
    unfollowThreads: processCommand(follows, accountId, (state, context) =>
      unfollowAllThreads({ accountId }, state, context),
    ),
    close: processCommand(account, accountId, (current, context) =>
      current && (registeredBy === undefined || current.registeredAt <= registeredBy)
        ? closeAccount({ reason }, current, context)
        : [],
    ),
  };
}
