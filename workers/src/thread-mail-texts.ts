import { threadPath, removeContactDetails, type Thread } from '@alpenglow/domain';
import { composeMail, type MailText } from './mail-texts.ts';

/*
 * These mails go to the followers of a thread. They contain neither the text of a reply nor its author, because a mail
 * remains readable when the reply is hidden later. They contain the title of the thread on one line and without contact
 * details.
 */

/** The new replies in a thread, of which a follower has not been notified. */
export interface NewReplies {
  readonly thread: Pick<Thread, 'threadId' | 'place' | 'title'>;
  readonly count: number;
  /** The number of the first of these replies. */
  readonly first: number;
}

export interface MailLinks {
  /** The base URL of the site, without a trailing slash. */
  readonly site: string;
  /** The token that unsubscribes from mails of this kind. */
  readonly unsubscribeToken: string;
}

const TITLE_MAX = 80;
/** Control characters, line separators and characters that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;
const characterSegmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the mail about one new reply in a thread, or about all replies since the last mail about the thread. */
export function replyMailText({ thread, count, first }: NewReplies, links: MailLinks): MailText {
  const title = titleOf(thread);
  const subject = count === 1 ? `New reply in ${title}` : `${count} new replies in ${title}`;
  return composeMail(
    subject,
    `There ${count === 1 ? 'is a new reply' : `are ${count} new replies`} in ${title}, a thread you follow. ` +
      `Continue reading here:\n${postLink(thread, first, links)}`,
    `To stop e-mails about this thread, open this link:\n${unsubscribeLink(links)}`,
    settingsNote(links),
  );
}

/**
 * Returns the daily mail, which lists the followed threads with new replies. `more` is the number of further threads
 * with new replies.
 */
export function digestMailText(threads: readonly NewReplies[], more: number, links: MailLinks): MailText {
  const all = threads.length + more;
  return composeMail(
    all === 1 ? 'New replies in a thread you follow' : `New replies in ${all} threads you follow`,
    'There are new replies in threads you follow:',
    ...threads.map(
      ({ thread, count, first }) =>
        `${titleOf(thread)}: ${count === 1 ? '1 new reply' : `${count} new replies`}\n` +
        `${postLink(thread, first, links)}`,
    ),
    ...(more > 0 ? [`And ${more} more.`] : []),
    `To stop e-mails about all threads, open this link:\n${unsubscribeLink(links)}`,
    settingsNote(links),
  );
}

/**
 * Returns the URL that mail programs use to unsubscribe (RFC 8058). The URL works only with POST requests. Programs
 * that only open links, such as scanners, therefore do not unsubscribe the reader.
 */
export function unsubscribeUrl({ site, unsubscribeToken }: MailLinks): string {
  return `${site}/api/community/unsubscribe/${unsubscribeToken}`;
}

/** Returns the link to unsubscribe. The token is in the fragment of the URL, which browsers do not send to servers. */
function unsubscribeLink({ site, unsubscribeToken }: MailLinks): string {
  return `${site}/community/unsubscribe#${unsubscribeToken}`;
}

function settingsNote({ site }: MailLinks): string {
  return `All threads you follow, and your e-mail settings:\n${site}/community?show=following`;
}

function postLink({ threadId: id, place, title }: NewReplies['thread'], number: number, { site }: MailLinks): string {
  return `${site}${threadPath({ id, ...place, title })}?post=${number}#post-${number}`;
}

function titleOf({ title }: NewReplies['thread']): string {
  const characters = [...characterSegmenter.segment(removeContactDetails(title.replaceAll(UNPRINTABLE, ' ')))].map(
    ({ segment }) => segment,
  );
  if (characters.length === 0) return 'a thread without a title';
  if (characters.length <= TITLE_MAX) return `“${characters.join('')}”`;
  const start = characters.slice(0, TITLE_MAX - 1).join('');
  return `“${start.trimEnd()}…”`;
}
