import type { Decider } from '../aggregate.ts';
import { MAX_FOLLOWS } from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';
import type { FollowThread, StopFollowMails, UnfollowAllThreads, UnfollowThread } from './commands.ts';
import type { FollowsEvent } from './events.ts';
import type { FollowsState } from './state.ts';

/** Follows a thread, or changes the mail setting of a followed thread. Throws TOO_MANY_FOLLOWS. */
export const followThread: Decider<FollowThread, FollowsState, FollowsEvent> = (
  { accountId, threadId, mail },
  { threads },
) => {
  if (threads[threadId] === mail) return [];
  if (!(threadId in threads) && Object.keys(threads).length >= MAX_FOLLOWS)
    throw new DomainError('TOO_MANY_FOLLOWS', { max: MAX_FOLLOWS });
  return [{ type: 'ThreadFollowed', data: { accountId, threadId, mail } }];
};

/** Stops following a thread. Does nothing if the account does not follow the thread. */
export const unfollowThread: Decider<UnfollowThread, FollowsState, FollowsEvent> = (
  { threadId, accountId },
  { threads },
) => {
  return threadId in threads ? [{ type: 'ThreadUnfollowed', data: { accountId, threadId } }] : [];
};

/**
 * Switches off the mails about one thread, or about all threads if `threadId` is null. The account still follows the
 * threads.
 */
export const stopFollowMails: Decider<StopFollowMails, FollowsState, FollowsEvent> = (
  { threadId, accountId },
  { threads },
) => {
  const selected = Object.entries(threads).filter(
    ([id, mail]) => mail !== 'off' && (threadId === null || id === threadId),
  );
  return selected.map(([id]) => ({ type: 'ThreadFollowed', data: { accountId, threadId: id, mail: 'off' } }));
};

/** Stops following all threads, because the account is closed. */
export const unfollowAllThreads: Decider<UnfollowAllThreads, FollowsState, FollowsEvent> = (
  { accountId },
  { threads },
) => {
  return Object.keys(threads).map((threadId) => ({ type: 'ThreadUnfollowed', data: { accountId, threadId } }));
};
