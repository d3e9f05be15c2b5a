import { PostponedJobError, REPLY_MAIL_LIFETIME_ms, type JobHandler, type BulkJobQueue } from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import { findMailableReply, followerPageJobId, replyMailId } from './compose-reply-mail.ts';

interface ThreadRepliesDependencies extends Dependencies<'commands' | 'follows' | 'progress' | 'log'> {
  readonly jobs: BulkJobQueue;
}

/**
 * The maximum number of followers that each get a separate job. The followers of a larger thread are mailed page by
 * page by other workers, so that they delay no mail about another thread.
 */
const MAX_SEPARATE_JOBS = 50;
const BEHIND_ms = 5_000;

/**
 * Creates the handler of the job that enqueues the mails about a reply in a thread. A mail is enqueued for each account
 * that followed the thread before the reply and has the setting `instant`. The author of the reply receives no mail.
 * For a thread with more than 50 such followers, enqueues only the first page (decision 0082). Throws
 * `PostponedJobError` if the read model of follows has not yet processed all events. A mail that the queue rejects is
 * logged and does not stop the mails of other followers.
 */
export function createThreadRepliesHandler(
  { commands, follows, progress, jobs, log }: ThreadRepliesDependencies,
  now: () => number = Date.now,
): JobHandler<'thread-replies'> {
  return async ({ threadId, number }, { signal }) => {
    // Old replies are skipped. If the background task that creates these jobs starts from the beginning of the event
    // log, it also creates jobs for old replies.
    const reply = await findMailableReply(commands, { threadId, number }, now(), REPLY_MAIL_LIFETIME_ms);
    if (!reply) return;
    if (!(await progress.waitFor('thread_follows', reply.position, signal)))
      throw new PostponedJobError('The read model of follows has not caught up yet', { after_ms: BEHIND_ms });
    const range = { from: '', until: null };
    const followers = await follows.instantFollowers(threadId, reply.postedAt, {
      ...range,
      limit: MAX_SEPARATE_JOBS + 1,
    });
    if (followers.length > MAX_SEPARATE_JOBS) {
      const firstPage = { threadId, number, round: String(number), ...range };
      await jobs.enqueue('reply-mails', firstPage, { jobId: followerPageJobId(firstPage) });
      return;
    }
    const rejections = await jobs.enqueueAll(
      'reply-mail',
      followers
        .filter(({ accountId }) => accountId !== reply.authorId)
        .map(({ accountId }) => ({
          payload: { accountId, threadId, number },
          jobId: replyMailId(accountId, threadId, number),
        })),
    );
    for (const { jobId, error } of rejections)
      log.error({ err: error, kind: 'reply-mail', jobId }, 'the queue rejects a job');
  };
}
