import type { Decider } from '../aggregate.ts';
import type { DeletePostsOfAccount } from './commands.ts';
import type { ThreadEvent } from './events.ts';
import type { ThreadState } from './state.ts';

/**
 * Deletes the texts of all posts of an account during an erasure of its data, including hidden posts. The posts keep
 * their numbers. Posts from the number `before` on belong to another person who signed up with the same e-mail address.
 * Idempotent.
 */
export const deletePostsOfAccount: Decider<DeletePostsOfAccount, ThreadState, ThreadEvent> = (
  { accountId, before },
  state,
) => {
  if (!state) return [];
  const { threadId, posts } = state;
  return posts
    .flat()
    .flatMap((post, number) =>
      post.accountId === accountId && post.status !== 'deleted' && number < before
        ? [{ type: 'PostDeleted', data: { threadId, number, accountId } } as const]
        : [],
    );
};
