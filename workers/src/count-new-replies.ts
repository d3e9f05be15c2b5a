import { findPost, countPosts, type ThreadState } from '@alpenglow/domain';
import type { NewReplies } from './thread-mail-texts.ts';

/** The conditions for the replies that are counted. Times are in ms since 1970. */
interface ReplyFilter {
  /** The account whose own replies are not counted. */
  readonly reader: string;
  /** The range of post numbers. Both limits are inclusive. */
  readonly from?: number;
  readonly upTo?: number;
  /** The range of posting times. `since_ms` is inclusive, and `before_ms` is exclusive. */
  readonly since_ms?: number;
  readonly before_ms?: number;
}

/**
 * Counts the visible replies of other accounts in a thread. Returns the count and the number of the first of these
 * replies. Returns null if there are no such replies, or if the thread is not visible.
 */
export function countNewReplies(
  thread: ThreadState,
  { reader, from = 1, upTo = Infinity, since_ms = -Infinity, before_ms = Infinity }: ReplyFilter,
): NewReplies | null {
  if (!thread || findPost(thread.posts, 0)?.status !== 'visible') return null;
  let count = 0;
  let first = 0;
  for (let number = Math.max(1, from); number <= Math.min(upTo, countPosts(thread.posts) - 1); number += 1) {
    const post = findPost(thread.posts, number);
    if (post?.status !== 'visible' || post.accountId === reader) continue;
    const at_ms = Date.parse(post.postedAt);
    if (at_ms < since_ms || at_ms >= before_ms) continue;
    count += 1;
    first ||= number;
  }
  return count === 0 ? null : { thread, count, first };
}
