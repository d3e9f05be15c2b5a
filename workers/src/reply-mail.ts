import {
  countPosts,
  findPost,
  PostponedJobError,
  REPLY_MAIL_LIFETIME_ms,
  thread,
  type JobHandler,
  type JobQueue,
} from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import { findMailRecipient } from './mail-recipient.ts';
import { countNewReplies } from './count-new-replies.ts';
import { sendMail } from './send-mail.ts';
import { replyMailText, unsubscribeUrl } from './thread-mail-texts.ts';

interface ReplyMailDependencies
  extends Dependencies<'commands' | 'mail' | 'replyNotifications' | 'unsubscribeTokens' | 'site'> {
  readonly jobs: JobQueue;
}

const SHORT_WAIT_ms = 1_000;
/**
 * The maximum age of a reply that is mailed. It leaves time for retries. It must be shorter than the three days after
 * which the records of these mails are deleted, because a repeated job would otherwise send a mail again.
 */
const MAX_AGE_ms = 2 * REPLY_MAIL_LIFETIME_ms;

/**
 * Creates the handler of the job that mails a follower of a thread about a reply. The mail is sent at once if the
 * follower received no mail about the thread within the last ten minutes. Otherwise, a later mail reports the reply
 * (decision 0037). The handler checks the current settings of the follower and the current state of the thread. No mail
 * is sent about a reply that is older than two days. Throws `PostponedJobError` while another mail about the thread is
 * being prepared.
 */
export function createReplyMailHandler(
  { commands, mail, replyNotifications, jobs, unsubscribeTokens, site }: ReplyMailDependencies,
  now: () => number = Date.now,
): JobHandler<'reply-mail'> {
  return async ({ accountId, threadId, number }) => {
    const member = await findMailRecipient(commands, accountId);
    if (member?.threads[threadId] !== 'instant') return;
    const { state } = await commands.load(thread, threadId);
    const reply = state && findPost(state.posts, number);
    if (!reply || now() - Date.parse(reply.postedAt) > MAX_AGE_ms) return;
    if (!countNewReplies(state, { reader: accountId, from: number })) return;

    const mailState = await replyNotifications.beginMail({ accountId, threadId }, number, countPosts(state.posts) - 1);
    switch (mailState.kind) {
      case 'notified':
        return;
      case 'later':
        if (mailState.after_ms < SHORT_WAIT_ms)
          throw new PostponedJobError('Another mail about this thread is being prepared', { after_ms: SHORT_WAIT_ms });
        // The delayed job sends one mail about all replies that are posted before it runs.
        await jobs.enqueue(
          'reply-mail',
          { accountId, threadId, number },
          { jobId: `reply-${accountId}-${threadId}-after-${mailState.notifiedUpTo}`, delay_ms: mailState.after_ms },
        );
        return;
      case 'mail': {
        const replies = countNewReplies(state, { reader: accountId, from: mailState.first, upTo: mailState.upTo });
        if (!replies) return;
        const links = { site, unsubscribeToken: unsubscribeTokens.issue({ accountId, threadId }) };
        await sendMail(mail, {
          id: `reply-${accountId}-${threadId}-${mailState.first}`,
          to: member.email,
          unsubscribeUrl: unsubscribeUrl(links),
          ...replyMailText(replies, links),
        });
      }
    }
  };
}
