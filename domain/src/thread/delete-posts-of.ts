import type { ThreadEvent } from './events.ts';
import type { ThreadState } from './state.ts';

/**
 * Takes the words of every post of an account that is being erased away for good, hidden ones too; their places in the thread stay. Posts from
 * `before` (ISO 8601) on are somebody else's: whoever signed up with the address since. Twice is once.
 */
export function deletePostsOf(accountId: string, before: string, state: ThreadState): readonly ThreadEvent[] {
  if (!state) return [];
  const { threadId, posts } = state;
  return posts
    .flat()
    .flatMap((post, number) =>
      post.accountId === accountId && post.status !== 'deleted' && post.postedAt < before
        ? [{ type: 'PostDeleted', data: { threadId, number, accountId } } as const]
        : [],
    );
}
