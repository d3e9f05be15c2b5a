import {
  findPost,
  JobRejected,
  PostponedJobError,
  REPLY_MAIL_LIFETIME_ms,
  thread,
  type JobHandler,
  type JobQueue,
} from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';

interface ThreadRepliesDependencies extends Dependencies<'commands' | 'follows' | 'progress' | 'log'> {
  readonly jobs: JobQueue;
}

const PAGE = 500;
const BEHIND_ms = 5_000;

/**
 * Creates the handler of the job that enqueues the mails about a reply in a thread. A mail is enqueued for each account
 * that followed the thread before the reply and has the setting `instant`. The author of the reply receives no mail.
 * Throws `PostponedJobError` if the read model of follows has not yet processed all events. A mail that the queue
 * rejects is logged and does not stop the mails of other followers.
 */
export function createThreadRepliesHandler(
  { commands, follows, progress, jobs, log }: ThreadRepliesDependencies,
  now: () => number = Date.now,
): JobHandler<'thread-replies'> {
  return async ({ threadId, number }, { signal }) => {
    const { state, position } = await commands.load(thread, threadId);
    const reply = state && findPost(state.posts, number);
    // Old replies are skipped. If the background task that creates these jobs starts from the beginning of the event
    // log, it also creates jobs for old replies.
    if (!reply || position === null || now() - Date.parse(reply.postedAt) > REPLY_MAIL_LIFETIME_ms) return;
    if (!(await progress.waitFor('thread_follows', position, signal)))
      throw new PostponedJobError('The read model of follows has not caught up yet', { after_ms: BEHIND_ms });
    for (let after: string | null = null, isLast = false; !isLast; ) {
      signal.throwIfAborted();
      const page: readonly string[] = await follows.instantFollowers(threadId, new Date(reply.postedAt), {
        after,
        limit: PAGE,
      });
      for (const accountId of page) {
        if (accountId === reply.accountId) continue;
        const jobId = `reply-${accountId}-${threadId}-${number}`;
        try {
          await jobs.enqueue('reply-mail', { accountId, threadId, number }, { jobId });
        } catch (err) {
          if (!(err instanceof JobRejected)) throw err;
          log.error({ err, kind: 'reply-mail', jobId }, 'the queue rejects a job');
        }
      }
      after = page.at(-1) ?? null;
      isLast = page.length < PAGE;
    }
  };
}
