import { PostponedJobError, thread, type EventStore, type JobHandler } from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import { digestDue_ms, digestWindow, dueDigestDays } from './digest-window.ts';
import { findMailRecipient } from './mail-recipient.ts';
import { countNewReplies } from './count-new-replies.ts';
import { sendMail } from './send-mail.ts';
import { digestMailText, unsubscribeUrl, type NewReplies } from './thread-mail-texts.ts';

interface DigestMailDependencies
  extends Dependencies<'commands' | 'mail' | 'follows' | 'progress' | 'unsubscribeTokens' | 'site'> {
  readonly store: Pick<EventStore, 'readHead'>;
}

const MAX_LISTED_THREADS = 20;
const RETRY_AFTER_ms = 5_000;
const READ_MODELS = ['thread_follows', 'community_threads', 'community_posts'];

/**
 * Creates the handler of the job that sends the daily mail about new replies to one account. The mail covers the
 * threads that the account follows with the setting `daily`. Without new replies, no mail is sent. The mail id is
 * derived from the account and the day, so a repeated job sends no second mail. Throws `PostponedJobError` if the mail
 * is not due yet, or if the read models have not yet processed all events.
 */
export function createDigestMailHandler(
  { commands, store, mail, follows, progress, unsubscribeTokens, site }: DigestMailDependencies,
  now: () => number = Date.now,
): JobHandler<'digest-mail'> {
  return async ({ accountId, day }, { signal }) => {
    const early_ms = digestDue_ms(day) - now();
    // The clock of the process that enqueued the job is ahead. The queue accepts the id of a finished job never again.
    if (early_ms > 0) throw new PostponedJobError('The mail is not due yet', { after_ms: early_ms });
    if (!dueDigestDays(now()).includes(day)) return;
    const member = await findMailRecipient(commands, accountId);
    if (!member) return;
    const head = await store.readHead();
    const areCurrent = await Promise.all(READ_MODELS.map((name) => progress.waitFor(name, head, signal)));
    if (areCurrent.includes(false))
      throw new PostponedJobError('The read models have not caught up yet', { after_ms: RETRY_AFTER_ms });

    const span = digestWindow(day);
    const followed = (await follows.repliedThreads(accountId, span)).filter(
      ({ threadId }) => member.threads[threadId] === 'daily',
    );
    const listed: NewReplies[] = [];
    let checked = 0;
    for (const { threadId, followedAt } of followed) {
      if (listed.length === MAX_LISTED_THREADS) break;
      checked += 1;
      const { state } = await commands.load(thread, threadId);
      const since_ms = Math.max(span.from.getTime(), followedAt.getTime());
      const replies = countNewReplies(state, { reader: accountId, since_ms, before_ms: span.to.getTime() });
      if (replies) listed.push(replies);
    }
    if (listed.length === 0) return;
    const links = { site, unsubscribeToken: unsubscribeTokens.issue({ accountId, threadId: null }) };
    await sendMail(mail, {
      id: `digest-${accountId}-${day}`,
      to: member.email,
      unsubscribeUrl: unsubscribeUrl(links),
      ...digestMailText(listed, followed.length - checked, links),
    });
  };
}
