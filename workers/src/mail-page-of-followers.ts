import {
  countPosts,
  MailInProgress,
  MailRejected,
  MailUnavailable,
  PostponedJobError,
  type JobHandler,
  type BulkJobQueue,
  type Mail,
} from '@alpenglow/domain';
import type { Dependencies } from './dependencies.ts';
import {
  composeReplyMail,
  findMailableReply,
  findReplyRecipient,
  followerPageJobId,
  replyMailId,
  type MailableReply,
} from './compose-reply-mail.ts';
import { countNewReplies } from './count-new-replies.ts';
import { isBackingServiceFailure } from './retry-during-outages.ts';

interface MailPageOfFollowersDependencies
  extends Dependencies<
    'commands' | 'follows' | 'progress' | 'mail' | 'replyNotifications' | 'unsubscribeTokens' | 'site' | 'log'
  > {
  readonly jobs: BulkJobQueue;
}

/** The maximum number of followers of one job. */
const PAGE_followers = 100;
/** The number of followers whose events are read together. */
const GROUP = 20;
/** The number of mails that are sent at the same time. */
const PARALLEL = 4;
/**
 * The time after which a job starts no further group, so that the mails of another thread get their turn. Each job
 * mails at least one group, so that the next page begins later than this one.
 */
const TURN_ms = 5_000;
/** The number of temporary failures in a row after which the mail server counts as unavailable. */
const OUTAGE_failures = 3;
const OUTAGE_WAIT_ms = 60_000;
const SHORT_WAIT_ms = 1_000;
const BEHIND_ms = 5_000;

/**
 * Creates the handler of the job that mails a page of the followers of a large thread about a reply (decision 0082).
 * The job has the same rules as the job for one follower. At its end, it enqueues the job of the next page, which runs
 * after the waiting pages of other threads. A follower whose mail failed without a rejection gets a separate job with
 * retries. If the mail server is unavailable, the next page starts at least a minute later. Followers who have
 * received a mail about the thread within the last ten minutes are mailed by one delayed job for the page.
 *
 * A repeated job sends no mail twice, and continues with the followers who have not been mailed.
 */
export function createMailPageOfFollowersHandler(
  deps: MailPageOfFollowersDependencies,
  now: () => number = Date.now,
): JobHandler<'reply-mails'> {
  const { commands, follows, progress, jobs, log } = deps;
  return async ({ threadId, number, round, from, until }, { jobId, signal }) => {
    const reply = await findMailableReply(commands, { threadId, number }, now());
    if (!reply || !countNewReplies(reply.state, { reader: '', from: number })) return;
    if (!(await progress.waitFor('thread_follows', reply.position, signal)))
      throw new PostponedJobError('The read model of follows has not caught up yet', { after_ms: BEHIND_ms });

    // One more follower than a page is read, because the next page begins there.
    const followers = await follows.instantFollowers(threadId, reply.postedAt, {
      from,
      until,
      limit: PAGE_followers + 1,
    });
    const page = followers.slice(0, PAGE_followers).map(({ accountId }) => accountId);
    const sent = await mailFollowers(deps, reply, page, number, signal);
    const next = followers[sent.count]?.from ?? null;

    const rejections = await jobs.enqueueAll(
      'reply-mail',
      sent.deferred.map((accountId) => ({
        payload: { accountId, threadId, number },
        jobId: replyMailId(accountId, threadId, number),
      })),
    );
    for (const rejection of rejections)
      log.error({ err: rejection.error, kind: 'reply-mail', jobId: rejection.jobId }, 'the queue rejects a job');
    if (next !== null) {
      const nextPage = { threadId, number, round, from: next, until };
      await jobs.enqueue('reply-mails', nextPage, { jobId: followerPageJobId(nextPage), delay_ms: sent.pause_ms });
    }
    if (sent.later === null) return;
    // The same page again, for its followers whose last mail is too recent.
    const laterPage = { threadId, number, round: `after-${sent.later.notifiedUpTo}`, from, until: next ?? until };
    const laterId = followerPageJobId(laterPage);
    const after_ms = Math.max(SHORT_WAIT_ms, sent.later.after_ms);
    // A job cannot enqueue itself.
    if (laterId === jobId) throw new PostponedJobError('The mails are not due yet', { after_ms });
    await jobs.enqueue('reply-mails', laterPage, { jobId: laterId, delay_ms: after_ms });
  };
}

interface MailedPage {
  /** The number of followers at the beginning of the page for whom everything is done. */
  readonly count: number;
  /** Of these followers, those whose mail failed and who need a separate job. */
  readonly deferred: readonly string[];
  /** Set if some of these followers must get a later mail, because their last mail is too recent. */
  readonly later: { readonly after_ms: number; readonly notifiedUpTo: number } | null;
  /** The time until the next page may start. */
  readonly pause_ms: number;
}

async function mailFollowers(
  deps: MailPageOfFollowersDependencies,
  reply: MailableReply,
  page: readonly string[],
  number: number,
  signal: AbortSignal,
): Promise<MailedPage> {
  const { replyNotifications, log } = deps;
  const { threadId } = reply.state;
  const startedAt_ms = performance.now();
  const deferred: string[] = [];
  let later: MailedPage['later'] = null;
  const addLater = ({ after_ms, notifiedUpTo }: NonNullable<MailedPage['later']>) => {
    later = {
      after_ms: Math.max(after_ms, later?.after_ms ?? 0),
      notifiedUpTo: Math.max(notifiedUpTo, later?.notifiedUpTo ?? -1),
    };
  };
  const outage = { failures: 0, retryAfter_ms: 0 };
  const isOutage = () => outage.failures >= OUTAGE_failures || outage.retryAfter_ms > 0;

  async function send(accountId: string, content: Mail): Promise<void> {
    try {
      // The mails before this one may have taken minutes. The follower may have unsubscribed in the meantime.
      if (!(await findReplyRecipient(deps.commands, accountId, reply, number))) return;
      await deps.mail.send(content);
      outage.failures = 0;
    } catch (error) {
      if (error instanceof MailRejected) {
        outage.failures = 0;
        log.error({ err: error, mailId: content.id }, 'the mail server rejects a mail');
        return;
      }
      const isUnavailable = error instanceof MailUnavailable;
      if (!isUnavailable && !(error instanceof MailInProgress)) throwIfServiceFailed(error, accountId, log);
      deferred.push(accountId);
      if (!isUnavailable) return;
      outage.failures += 1;
      outage.retryAfter_ms = Math.max(outage.retryAfter_ms, error.retryAfter_ms ?? 0);
    }
  }

  const done = await replyNotifications.findDone({ threadId, accountIds: page }, number);
  let count = 0;
  const isTurnOver = () => count > 0 && performance.now() - startedAt_ms >= TURN_ms;
  while (count < page.length && !isOutage() && !isTurnOver()) {
    signal.throwIfAborted();
    const group = page.slice(count, count + GROUP);
    const open: string[] = [];
    for (const accountId of group) {
      const step = done.get(accountId);
      if (step?.kind === 'later') addLater(step);
      else if (!step && accountId !== reply.authorId) open.push(accountId);
    }
    const mails = await recordAndComposeMails(deps, reply, open, number, { onLater: addLater, deferred });
    // The senders take the mails in order. If a sender stops at a mail, all earlier mails were already taken.
    const left = mails.entries();
    let attempted = group.length;
    const results = await Promise.allSettled(
      Array.from({ length: PARALLEL }, async () => {
        for (const [accountId, content] of left) {
          if (isOutage()) {
            attempted = Math.min(attempted, group.indexOf(accountId));
            return;
          }
          await send(accountId, content);
        }
      }),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    count += attempted;
  }
  return { count, deferred, later, pause_ms: isOutage() ? Math.max(outage.retryAfter_ms, OUTAGE_WAIT_ms) : 0 };
}

/**
 * Throws `error` if a backing service caused it. Otherwise, the error concerns only this follower, whose separate job
 * tries again, so that the error does not stop the mails to the others.
 */
function throwIfServiceFailed(error: unknown, accountId: string, log: MailPageOfFollowersDependencies['log']): void {
  if (isBackingServiceFailure(error)) throw error;
  log.error({ err: error, accountId }, 'a mail about a reply failed and gets a separate job');
}

/**
 * Records which mails to these followers begin, and composes them. Returns the mails by account id. A follower without
 * a mail was notified already, is reported to `onLater` or is added to `deferred`. Reads the events of all followers
 * together.
 */
async function recordAndComposeMails(
  deps: MailPageOfFollowersDependencies,
  reply: MailableReply,
  accountIds: readonly string[],
  number: number,
  {
    onLater,
    deferred,
  }: { readonly onLater: (later: NonNullable<MailedPage['later']>) => void; readonly deferred: string[] },
): Promise<ReadonlyMap<string, Mail>> {
  const members = await Promise.all(
    accountIds.map(async (accountId) => {
      try {
        const member = await findReplyRecipient(deps.commands, accountId, reply, number);
        return member && { accountId, email: member.email };
      } catch (error) {
        // E.g. personal data cannot be decrypted. The separate job waits until this is possible.
        throwIfServiceFailed(error, accountId, deps.log);
        deferred.push(accountId);
        return null;
      }
    }),
  );
  const recipients = members.filter((member) => member !== null);
  const steps = await deps.replyNotifications.beginMails(
    { threadId: reply.state.threadId, accountIds: recipients.map(({ accountId }) => accountId) },
    number,
    countPosts(reply.state.posts) - 1,
  );
  const mails = new Map<string, Mail>();
  for (const recipient of recipients) {
    const step = steps.get(recipient.accountId);
    if (step?.kind === 'later') onLater(step);
    const content = step?.kind === 'mail' ? composeReplyMail(deps, reply, recipient, step) : null;
    if (content) mails.set(recipient.accountId, content);
  }
  return mails;
}
