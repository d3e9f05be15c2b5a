import {
  postCount,
  PostponedJobError,
  thread,
  type JobHandler,
  type JobQueue,
  type MailSender,
} from '@alpenglow/domain';
import type { CommandHandler, ToldReplies, UnsubscribeTokens } from '@alpenglow/infra';
import { mailedMember } from './mailed-member.ts';
import { newReplies } from './new-replies.ts';
import { sendMail } from './send-mail.ts';
import { replyMailText, unsubscribeUrl } from './thread-mail-texts.ts';

export interface ReplyMailDependencies {
  readonly commands: CommandHandler;
  readonly mail: MailSender;
  readonly toldReplies: ToldReplies;
  readonly jobs: JobQueue;
  readonly unsubscribeTokens: UnsubscribeTokens;
  /** The site's address, for links. */
  readonly site: string;
}

const MOMENT_ms = 1_000;

/**
 * Tells a follower of a reply, at once unless a mail about its thread went to them within ten minutes: those that come meanwhile are gathered
 * into the next one (decision 0037). Whether they are still to be told, and there is still something to see, is looked up now.
 */
export function replyMailJob({
  commands,
  mail,
  toldReplies,
  jobs,
  unsubscribeTokens,
  site,
}: ReplyMailDependencies): JobHandler<'reply-mail'> {
  return async ({ accountId, threadId, number }) => {
    const member = await mailedMember(commands, accountId);
    if (member?.threads[threadId] !== 'instant') return;
    const { state } = await commands.load(thread, threadId);
    if (!state || !newReplies(state, { reader: accountId, from: number })) return;

    const telling = await toldReplies.begin({ accountId, threadId }, number, postCount(state.posts) - 1);
    switch (telling.kind) {
      case 'told':
        return;
      case 'later':
        if (telling.after_ms < MOMENT_ms)
          throw new PostponedJobError('Another mail of this thread is being begun', { after_ms: MOMENT_ms });
        // One for all replies until then.
        await jobs.enqueue(
          'reply-mail',
          { accountId, threadId, number },
          { jobId: `reply-${accountId}-${threadId}-after-${telling.toldUpTo}`, delay_ms: telling.after_ms },
        );
        return;
      case 'mail': {
        const replies = newReplies(state, { reader: accountId, from: telling.first, upTo: telling.upTo });
        if (!replies) return;
        const links = { site, unsubscribeToken: unsubscribeTokens.issue({ accountId, threadId }) };
        await sendMail(mail, {
          id: `reply-${accountId}-${threadId}-${telling.first}`,
          to: member.email,
          unsubscribeUrl: unsubscribeUrl(links),
          ...replyMailText(replies, links),
        });
      }
    }
  };
}
