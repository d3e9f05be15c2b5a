import { closeAccount } from '../account/decide.ts';
import type { AccountEvent } from '../account/events.ts';
import { account, isStandIn, type AccountState, type RegisteredAccount } from '../account/state.ts';
import type { Decision } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import { removeAllFavorites, removeFavorite } from '../favorites/decide.ts';
import { favorites } from '../favorites/state.ts';
import { unfollowAllThreads, unfollowThread } from '../follows/decide.ts';
import { follows } from '../follows/state.ts';
import { removeAdByAdmin } from '../listing/decide.ts';
import { listing } from '../listing/state.ts';
import type { AccountSessions } from '../ports/account-sessions.ts';
import type { CommandHandler, CommandOrigin } from '../ports/command-handler.ts';
import { findLastPosition, type Position, type Writes } from '../ports/event-store.ts';

/** Options for closing an account. */
export interface EndAccountOptions {
  readonly reason?: string | null;
  /** ISO 8601. An account that was registered after this time belongs to another person, so it stays open. */
  readonly registeredBy?: string;
}

export interface EndAccountDependencies {
  readonly commands: CommandHandler;
  readonly sessions: Pick<AccountSessions, 'findIds' | 'revokeByIds' | 'revokeAll'>;
}

/** The ids of the ad, favorites and followed threads to remove. Content that is added later is not removed. */
interface AccountContent {
  /** The id of the ad. Null if there is none. */
  readonly adId: string | null;
  readonly favoriteAdIds: readonly string[];
  readonly threadIds: readonly string[];
}

/**
 * Closes an account, ends its sessions, and removes its ad, favorites and followed threads. Each step may already be
 * done, so a repeated call completes an interrupted one. Returns the revision of the account and the position of the
 * last write. Throws USER_NOT_FOUND if no user ever had this id.
 */
export async function endAccount(
  { commands, sessions }: EndAccountDependencies,
  accountId: string,
  origin: CommandOrigin,
  { reason = null, registeredBy }: EndAccountOptions = {},
): Promise<{ readonly revision: number; readonly position: Position | null }> {
  // A job repeats the closing. In the meantime, a new account may have been registered with the same address. It has
  // the same id, and its sessions must not end. The ids of the sessions to end are therefore read before the account.
  const earlierSessions = await sessions.findIds(accountId);
  const { state, revision } = await commands.load(account, accountId);
  if (revision < 0 || (state && isStandIn(state))) throw new DomainError('USER_NOT_FOUND');
  if (state && registeredBy !== undefined && state.registeredAt > registeredBy) return { revision, position: null };
  // An account that is registered after this one has the same id, but belongs to another person.
  const lastRegisteredAt = state?.registeredAt ?? '';
  const removeOwnContent = async () =>
    removeContent(commands, accountId, await findContent(commands, accountId, lastRegisteredAt), reason, origin);

  const removed = await removeOwnContent();
  // Sessions are revoked before the account is closed, in case the call is interrupted between the two steps.
  // Otherwise, old sessions would become valid again when the same address is registered again. Sessions that are
  // opened in the meantime are revoked after closing.
  await sessions.revokeByIds(earlierSessions);
  const close: Decision<AccountState, AccountEvent> = (current, context) =>
    current && current.registeredAt <= lastRegisteredAt ? closeAccount({ reason }, current, context) : [];
  const closed = await commands.handle(account, accountId, close, origin);
  if (closed.events.length > 0) await sessions.revokeAll(accountId);
  // The account may have changed its ad, favorites or followed threads before it was closed, so they are removed again.
  const removedAgain = await removeOwnContent();
  return { revision: closed.revision, position: findLastPosition([...removed, closed, ...removedAgain]) };
}

/**
 * Ends the sign-ups that the given one has replaced, because they may belong to other persons. Ends their
 * sessions, and removes the ad, the favorites and the followed threads that they left in this account. The same work is
 * done if there was no earlier sign-up, so the duration does not show whether the e-mail address is known. Returns the
 * position of the last write, or null if nothing was written.
 */
export async function endEarlierSignUps(
  {
    commands,
    sessions,
  }: { readonly commands: CommandHandler; readonly sessions: Pick<AccountSessions, 'revokeEarlier'> },
  { accountId, passwordVersion }: Pick<RegisteredAccount, 'accountId' | 'passwordVersion'>,
  origin: CommandOrigin,
): Promise<Position | null> {
  const [writes] = await Promise.all([
    // The new account has nothing yet, because its owner waits for this.
    removeContent(commands, accountId, null, null, origin),
    sessions.revokeEarlier(accountId, passwordVersion),
  ]);
  return findLastPosition(writes);
}

/**
 * Returns what belongs to the account that is ended. A new account with the same id can only add content after it is
 * registered, so the content is loaded before the account. If there is a new account by then, an ad belongs to the
 * account in whose time it was posted, and the rest to the new account.
 * @param lastRegisteredAt ISO 8601. An account that was registered after this time is a new one.
 */
async function findContent(
  commands: CommandHandler,
  accountId: string,
  lastRegisteredAt: string,
): Promise<AccountContent> {
  const { ad } = (await commands.load(listing, accountId)).state;
  const { adIds } = (await commands.load(favorites, accountId)).state;
  const { threads } = (await commands.load(follows, accountId)).state;
  const { state } = await commands.load(account, accountId);
  if (!state || state.registeredAt <= lastRegisteredAt)
    return { adId: ad?.adId ?? null, favoriteAdIds: adIds, threadIds: Object.keys(threads) };
  const isOfEnded = ad !== null && ad.postedAt < state.registeredAt;
  return { adId: isOfEnded ? ad.adId : null, favoriteAdIds: [], threadIds: [] };
}

/**
 * Removes the ad, the favorites and the followed threads of an account. Its posts in the community remain without an
 * author. A step does nothing if its effect has already been achieved.
 * @param content what to remove, or null for everything that the account has when the commands are handled
 */
async function removeContent(
  commands: CommandHandler,
  accountId: string,
  content: AccountContent | null,
  reason: string | null,
  origin: CommandOrigin,
): Promise<Writes> {
  return [
    await commands.handle(
      listing,
      accountId,
      (slot, context) =>
        slot.ad && (content === null || slot.ad.adId === content.adId)
          ? removeAdByAdmin({ adId: slot.ad.adId, accountId, reason }, slot, context)
          : [],
      origin,
    ),
    await commands.handle(
      favorites,
      accountId,
      (state, context) =>
        content === null
          ? removeAllFavorites({ accountId }, state, context)
          : content.favoriteAdIds.flatMap((adId) => removeFavorite({ accountId, adId }, state, context)),
      origin,
    ),
    await commands.handle(
      follows,
      accountId,
      (state, context) =>
        content === null
          ? unfollowAllThreads({ accountId }, state, context)
          : content.threadIds.flatMap((threadId) => unfollowThread({ accountId, threadId }, state, context)),
      origin,
    ),
  ];
}
