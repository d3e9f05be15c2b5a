import {
  postAt,
  PostponedJobError,
  REPLY_MAIL_LIFETIME_ms,
  thread,
  type JobHandler,
  type JobQueue,
} from '@alpenglow/domain';
import type { CommandHandler, FollowDirectory, ReadModelProgress } from '@alpenglow/infra';

export interface ThreadRepliesDependencies {
  readonly commands: CommandHandler;
  readonly follows: FollowDirectory;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly jobs: JobQueue;
}

const PAGE = 500;
const BEHIND_ms = 5_000;

/** Has everybody who is mailed of each reply of a thread, and followed it before this one, told of it, but for its author. */
export function threadRepliesJob(
  { commands, follows, progress, jobs }: ThreadRepliesDependencies,
  now: () => number = Date.now,
): JobHandler<'thread-replies'> {
  return async ({ threadId, number }, { signal }) => {
    const { state, position } = await commands.load(thread, threadId);
    const reply = state && postAt(state.posts, number);
    // Reactors that begin anew, as after a restore, come by replies of all times.
    if (!reply || position === null || now() - Date.parse(reply.postedAt) > REPLY_MAIL_LIFETIME_ms) return;
    if (!(await progress.waitFor('thread_follows', position, signal)))
      throw new PostponedJobError('Who follows is not known yet', { after_ms: BEHIND_ms });
    for (let after: string | null = null, isLast = false; !isLast; ) {
      signal.throwIfAborted();
      const page: readonly string[] = await follows.instantFollowers(threadId, new Date(reply.postedAt), {
        after,
        limit: PAGE,
      });
      for (const accountId of page) {
        if (accountId !== reply.accountId)
          await jobs.enqueue(
            'reply-mail',
            { accountId, threadId, number },
            { jobId: `reply-${accountId}-${threadId}-${number}` },
          );
      }
      after = page.at(-1) ?? null;
      isLast = page.length < PAGE;
    }
  };
}
