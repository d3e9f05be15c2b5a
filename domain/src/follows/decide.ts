import { MAX_FOLLOWS } from '../constants.ts';
import { DomainError } from '../errors.ts';
import type { FollowsEvent } from './events.ts';
import type { FollowMail } from './fields.ts';
import type { FollowsState } from './state.ts';

export interface FollowThread {
  readonly accountId: string;
  /** Of a thread that is known to be there. */
  readonly threadId: string;
  readonly mail: FollowMail;
}

/** Follows a thread, or changes how one is mailed of it. Refuses with TOO_MANY_FOLLOWS. */
export function followThread(
  { accountId, threadId, mail }: FollowThread,
  { threads }: FollowsState,
): readonly FollowsEvent[] {
  if (threads[threadId] === mail) return [];
  if (!(threadId in threads) && Object.keys(threads).length >= MAX_FOLLOWS)
    throw new DomainError('TOO_MANY_FOLLOWS', { max: MAX_FOLLOWS });
  return [{ type: 'ThreadFollowed', data: { accountId, threadId, mail } }];
}

/** Follows a thread no longer. Nothing happens when one did not. */
export function unfollowThread(
  threadId: string,
  accountId: string,
  { threads }: FollowsState,
): readonly FollowsEvent[] {
  return threadId in threads ? [{ type: 'ThreadUnfollowed', data: { accountId, threadId } }] : [];
}

/** Ends the mails of one thread, or of all of them with null; the threads are still followed. */
export function stopFollowMails(
  threadId: string | null,
  accountId: string,
  { threads }: FollowsState,
): readonly FollowsEvent[] {
  const meant = Object.entries(threads).filter(
    ([id, mail]) => mail !== 'off' && (threadId === null || id === threadId),
  );
  return meant.map(([id]) => ({ type: 'ThreadFollowed', data: { accountId, threadId: id, mail: 'off' } }));
}

/** Follows nothing any more: the account ends. */
export function unfollowAll(accountId: string, { threads }: FollowsState): readonly FollowsEvent[] {
  return Object.keys(threads).map((threadId) => ({ type: 'ThreadUnfollowed', data: { accountId, threadId } }));
}
