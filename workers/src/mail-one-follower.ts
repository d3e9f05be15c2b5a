import { countPosts, PostponedJobError, type JobHandler, type JobQueue } from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import { composeReplyMail, findMailableReply, findReplyRecipient, replyMailId } from './compose-reply-mail.ts';
import { sendMail } from './send-mail.ts';

interface MailOneFollowerDependencies
  extends Dependencies<'commands' | 'mail' | 'replyNotifications' | 'unsubscribeTokens' | 'site'> {
  readonly jobs: Pick<JobQueue, 'enqueue'>;
}

const SHORT_WAIT_ms = 1_000;

/**
 * Creates the handler of the job that mails a follower of a thread about a reply. The mail is sent at once if the
 * follower received no mail about the thread within the last ten minutes. Otherwise, a later mail reports the reply
 * (decision 0037). The handler checks the current settings of the follower and the current state of the thread. No mail
 * is sent about a reply that is older than two days. Throws `PostponedJobError` while another mail about the thread is
 * being prepared, or if it is the job of the later mail and has started too early.
 */
export function createMailOneFollowerHandler(
  deps: MailOneFollowerDependencies,
  now: () => number = Date.now,
): JobHandler<'reply-mail'> {
  const { commands, mail, replyNotifications, jobs } = deps;
  return async ({ accountId, threadId, number }, { jobId }) => {
    const reply = await findMailableReply(commands, { threadId, number }, now());
    if (!reply) return;
    const member = await findReplyRecipient(commands, accountId, reply, number);
    if (!member) return;
    const upTo = countPosts(reply.state.posts) - 1;
    const steps = await replyNotifications.beginMails({ threadId, accountIds: [accountId] }, number, upTo);
    const step = steps.get(accountId);
    switch (step?.kind) {
      case undefined:
      case 'notified':
        return;
      case 'later': {
        if (step.after_ms < SHORT_WAIT_ms)
          throw new PostponedJobError('Another mail about this thread is being prepared', { after_ms: SHORT_WAIT_ms });
        const laterId = replyMailId(accountId, threadId, `after-${step.notifiedUpTo}`);
        // This is the delayed job, and it has started early, e.g. because an admin has retried it.
        if (laterId === jobId) throw new PostponedJobError('The mail is not due yet', { after_ms: step.after_ms });
        // The delayed job sends one mail about all replies that are posted before it runs.
        const later = { accountId, threadId, number };
        await jobs.enqueue('reply-mail', later, { jobId: laterId, delay_ms: step.after_ms });
        return;
      }
      case 'mail': {
        const letter = composeReplyMail(deps, reply, { accountId, email: member.email }, step);
        if (letter) await sendMail(mail, letter);
      }
    }
  };
}
