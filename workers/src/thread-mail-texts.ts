import { threadPath, withoutContact, type Thread } from '@alpenglow/domain';
import { letter, type MailText } from './mail-texts.ts';

/*
 * Mails to those who follow a thread. They have no words of a reply, nor who wrote it: what is hidden or deleted later cannot be called back from a
 * mailbox. The title is there so that one knows which thread is meant, on one line and without ways to reach somebody.
 */

/** Replies in a thread that somebody has not been told of. */
export interface NewReplies {
  readonly thread: Pick<Thread, 'threadId' | 'place' | 'title'>;
  readonly count: number;
  /** The number of the first of them. */
  readonly first: number;
}

export interface MailLinks {
  /** The site's address, without a slash at its end. */
  readonly site: string;
  /** Ends mails like this one. */
  readonly unsubscribeToken: string;
}

const TITLE_MAX = 80;
/** Of control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The mail that tells at once of a reply, or of those that came since the last mail about their thread. */
export function replyMailText({ thread, count, first }: NewReplies, links: MailLinks): MailText {
  const title = titleOf(thread);
  const subject = count === 1 ? `New reply in ${title}` : `${count} new replies in ${title}`;
  return letter(
    subject,
    `there ${count === 1 ? 'is a new reply' : `are ${count} new replies`} in ${title}, a thread you follow. Read on here:\n${postLink(thread, first, links)}`,
    `To get no more mails about this thread, open this link:\n${unsubscribeLink(links)}`,
    settingsNote(links),
  );
}

/** The mail of a day: threads with new replies, and how many more threads there are than it lists. */
export function digestMailText(threads: readonly NewReplies[], more: number, links: MailLinks): MailText {
  const all = threads.length + more;
  return letter(
    all === 1 ? 'New replies in a thread you follow' : `New replies in ${all} threads you follow`,
    'there are new replies in what you follow:',
    ...threads.map(
      ({ thread, count, first }) =>
        `${titleOf(thread)}: ${count === 1 ? '1 new reply' : `${count} new replies`}\n${postLink(thread, first, links)}`,
    ),
    ...(more > 0 ? [`and ${more} more.`] : []),
    `To get no more mails about any thread, open this link:\n${unsubscribeLink(links)}`,
    settingsNote(links),
  );
}

/** Where a mail program ends mails like this one by itself (RFC 8058): it posts, so that whoever only looks at a link, as scanners do, ends nothing. */
export function unsubscribeUrl({ site, unsubscribeToken }: MailLinks): string {
  return `${site}/api/community/unsubscribe/${unsubscribeToken}`;
}

/** Behind a `#` it is in no log, on no server's side. */
function unsubscribeLink({ site, unsubscribeToken }: MailLinks): string {
  return `${site}/community/unsubscribe#${unsubscribeToken}`;
}

function settingsNote({ site }: MailLinks): string {
  return `All threads you follow, and how you are told of them:\n${site}/community?show=following`;
}

function postLink({ threadId: id, place, title }: NewReplies['thread'], number: number, { site }: MailLinks): string {
  return `${site}${threadPath({ id, ...place, title })}?post=${number}#post-${number}`;
}

function titleOf({ title }: NewReplies['thread']): string {
  const shown = [...letters.segment(withoutContact(title.replaceAll(UNPRINTABLE, ' ')))].map(({ segment }) => segment);
  if (shown.length === 0) return 'a thread without a title';
  return `“${
    shown.length > TITLE_MAX
      ? `${shown
          .slice(0, TITLE_MAX - 1)
          .join('')
          .trimEnd()}…`
      : shown.join('')
  }”`;
}
