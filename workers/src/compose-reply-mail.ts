import {
  REPLY_MAIL_LIFETIME_ms,
  findPost,
  thread,
  type JobPayloads,
  type Mail,
  type Position,
  type ThreadState,
} from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';
import { countNewReplies } from './count-new-replies.ts';
import type { Dependencies } from './dependencies.ts';
import { findMailRecipient, type MailRecipient } from './mail-recipient.ts';
import { replyMailText, unsubscribeUrl } from './thread-mail-texts.ts';

/**
 * The maximum age of a reply that is mailed. It leaves time for retries. It must be shorter than the three days after
 * which the records of these mails are deleted, because a repeated job would otherwise send a mail again.
 */
const MAX_AGE_ms = 2 * REPLY_MAIL_LIFETIME_ms;

/** A thread with a reply that followers may be mailed about. */
export interface MailableReply {
  readonly state: NonNullable<ThreadState>;
  readonly position: Position;
  /** The account that has written the reply. */
  readonly authorId: string;
  readonly postedAt: Date;
}

/**
 * Loads a thread with the reply `number`. Returns null if the reply does not exist or is older than `maxAge_ms`, by
 * default two days.
 */
export async function findMailableReply(
  commands: CommandHandler,
  { threadId, number }: { readonly threadId: string; readonly number: number },
  now_ms: number,
  maxAge_ms = MAX_AGE_ms,
): Promise<MailableReply | null> {
  const { state, position } = await commands.load(thread, threadId);
  const reply = state && findPost(state.posts, number);
  if (!reply || position === null || now_ms - Date.parse(reply.postedAt) > maxAge_ms) return null;
  return { state, position, authorId: reply.accountId, postedAt: new Date(reply.postedAt) };
}

/**
 * Returns the account if it still receives a mail for each reply in the thread, and if the thread has a visible reply
 * by another account from number `from` on. Returns null otherwise.
 */
export async function findReplyRecipient(
  commands: CommandHandler,
  accountId: string,
  { state }: Pick<MailableReply, 'state'>,
  from: number,
): Promise<MailRecipient | null> {
  const member = await findMailRecipient(commands, accountId);
  if (member?.threads[state.threadId] !== 'instant') return null;
  return countNewReplies(state, { reader: accountId, from }) && member;
}

/** Returns the mail about the replies `first` to `upTo`, or null if none of them is visible and by another account. */
export function composeReplyMail(
  { unsubscribeTokens, site }: Dependencies<'unsubscribeTokens' | 'site'>,
  { state }: Pick<MailableReply, 'state'>,
  { accountId, email }: { readonly accountId: string; readonly email: string },
  { first, upTo }: { readonly first: number; readonly upTo: number },
): Mail | null {
  const replies = countNewReplies(state, { reader: accountId, from: first, upTo });
  if (!replies) return null;
  const { threadId } = state;
  const links = { site, unsubscribeToken: unsubscribeTokens.issue({ accountId, threadId }) };
  return {
    id: replyMailId(accountId, threadId, first),
    to: email,
    unsubscribeUrl: unsubscribeUrl(links),
    ...replyMailText(replies, links),
  };
}

/**
 * Returns the id of a mail to a follower about the replies from number `begin` on, and of the job that sends it, e.g.
 * `reply-<account>-<thread>-5` for a mail that begins with reply 5. If the previous mail ended with reply 4, the job of
 * a delayed mail has the id `reply-<account>-<thread>-after-4`. Records of sent mails contain these ids, and SQL
 * statements compare them.
 */
export function replyMailId(accountId: string, threadId: string, begin: number | `after-${number}`): string {
  return `reply-${accountId}-${threadId}-${begin}`;
}

/** Returns the id of the job that mails a page of the followers of a thread. */
export function followerPageJobId({ threadId, round, from, until }: JobPayloads['reply-mails']): string {
  return `replies-${threadId}-${round}-${from}-${until ?? ''}`;
}
