import { PostponedJobError, thread, type EventStore, type JobHandler, type MailSender } from '@alpenglow/domain';
import type { CommandHandler, FollowDirectory, ReadModelProgress, UnsubscribeTokens } from '@alpenglow/infra';
import { digestWindow, dueDigestDays } from './digest-window.ts';
import { mailedMember } from './mailed-member.ts';
import { newReplies } from './new-replies.ts';
import { sendMail } from './send-mail.ts';
import { digestMailText, unsubscribeUrl, type NewReplies } from './thread-mail-texts.ts';

export interface DigestMailDependencies {
  readonly commands: CommandHandler;
  readonly store: Pick<EventStore, 'head'>;
  readonly mail: MailSender;
  readonly follows: FollowDirectory;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly unsubscribeTokens: UnsubscribeTokens;
  /** The site's address, for links. */
  readonly site: string;
}

const LISTED_MAX = 20;
const BEHIND_ms = 5_000;
const READ_MODELS = ['thread_follows', 'community_threads', 'community_posts'];

/** Mails somebody what is new in the threads they follow with one mail a day; nothing when nothing is. However often it runs, the mail goes once. */
export function digestMailJob(
  { commands, store, mail, follows, progress, unsubscribeTokens, site }: DigestMailDependencies,
  now: () => number = Date.now,
): JobHandler<'digest-mail'> {
  return async ({ accountId, day }, { signal }) => {
    if (!dueDigestDays(now()).includes(day)) return;
    const member = await mailedMember(commands, accountId);
    if (!member) return;
    const head = await store.head();
    const reached = await Promise.all(READ_MODELS.map((name) => progress.waitFor(name, head, signal)));
    if (reached.includes(false))
      throw new PostponedJobError('What was posted is not known yet', { after_ms: BEHIND_ms });

    const span = digestWindow(day);
    const followed = (await follows.repliedThreads(accountId, span)).filter(
      ({ threadId }) => member.threads[threadId] === 'daily',
    );
    const listed: NewReplies[] = [];
    let looked = 0;
    for (const { threadId, followedAt } of followed) {
      if (listed.length === LISTED_MAX) break;
      looked += 1;
      const { state } = await commands.load(thread, threadId);
      const since_ms = Math.max(span.from.getTime(), followedAt.getTime());
      const replies = newReplies(state, { reader: accountId, since_ms, before_ms: span.to.getTime() });
      if (replies) listed.push(replies);
    }
    if (listed.length === 0) return;
    const links = { site, unsubscribeToken: unsubscribeTokens.issue({ accountId, threadId: null }) };
    await sendMail(mail, {
      id: `digest-${accountId}-${day}`,
      to: member.email,
      unsubscribeUrl: unsubscribeUrl(links),
      ...digestMailText(listed, followed.length - looked, links),
    });
  };
}
