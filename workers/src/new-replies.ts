import { postAt, postCount, type ThreadState } from '@alpenglow/domain';
import type { NewReplies } from './thread-mail-texts.ts';

/** Which replies count; times in ms since 1970. */
interface Counted {
  /** Whose own replies are no news. */
  readonly reader: string;
  /** Numbers, the last included. */
  readonly from?: number;
  readonly upTo?: number;
  /** Posted since then, and before. */
  readonly since_ms?: number;
  readonly before_ms?: number;
}

/** The replies of others in a thread that are to be seen now; null when there is none, or the thread itself is not to be seen. */
export function newReplies(
  thread: ThreadState,
  { reader, from = 1, upTo = Infinity, since_ms = -Infinity, before_ms = Infinity }: Counted,
): NewReplies | null {
  if (!thread || postAt(thread.posts, 0)?.status !== 'visible') return null;
  let count = 0;
  let first = 0;
  for (let number = Math.max(1, from); number <= Math.min(upTo, postCount(thread.posts) - 1); number += 1) {
    const post = postAt(thread.posts, number);
    if (post?.status !== 'visible' || post.accountId === reader) continue;
    const at_ms = Date.parse(post.postedAt);
    if (at_ms < since_ms || at_ms >= before_ms) continue;
    count += 1;
    first ||= number;
  }
  return count === 0 ? null : { thread, count, first };
}
