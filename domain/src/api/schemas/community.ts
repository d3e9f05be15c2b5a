import * as z from 'zod/mini';
import { FOLLOW_MAILS } from '../../follows/fields.ts';
import { count, done, flag, message, nextCursor, said, time, total } from './common.ts';

/** The community: threads by place, the posts in them. */

const memberView = z.object({
  name: said(z.nullable(z.string()), 'Display name; null for somebody who is no member any more.'),
  isModerator: flag,
});

const postStatus = z.enum(['visible', 'hidden', 'deleted']);
const followMail = z.enum(FOLLOW_MAILS);

const cardFields = {
  id: z.string(),
  slug: said(z.string(), 'The last part of its address: `/community/{country}/{state}/{city}/{slug}`.'),
  title: said(z.string(), 'Empty where nobody may read it any more.'),
  excerpt: said(
    z.string(),
    'The beginning of the opening post, as plain text; empty where nobody may read it any more.',
  ),
  country: z.string(),
  state: z.string(),
  city: z.string(),
  author: memberView,
  status: said(postStatus, 'Of its opening post. `hidden` is seen by moderators alone.'),
  isLocked: flag,
  isPinned: flag,
  replyCount: said(count, 'Without deleted and hidden ones.'),
  startedAt: time,
  lastPostAt: time,
  lastPostBy: memberView,
};

/** A thread in a list. */
export const threadCard = z.object(cardFields);
export const threadListAnswer = z.object({ success: done, data: z.array(threadCard), nextCursor, total });

const quoteView = z.object({
  number: count,
  author: memberView,
  excerpt: said(z.nullable(z.string()), 'The beginning of what is quoted; null once it is hidden or deleted.'),
});

/** One post of a thread. The opening post has the number 0. */
export const postView = z.object({
  id: z.string(),
  number: count,
  author: memberView,
  status: postStatus,
  html: said(
    z.nullable(z.string()),
    'The text as safe HTML; null where nobody may read it any more. Moderators read what is hidden.',
  ),
  markdown: said(
    z.nullable(z.string()),
    'The text as it was written, for its author while it may be edited; null for everybody else.',
  ),
  quote: z.nullable(quoteView),
  postedAt: time,
  editedAt: said(z.nullable(time), 'When it was changed last; null where it never was.'),
  editableUntil: said(z.nullable(time), 'Until when its author may change it; null for everybody else and after that.'),
  hiddenReason: said(z.nullable(z.string()), 'What its author and moderators are told of why it is hidden.'),
  helpfulCount: count,
  isHelpful: said(flag, 'The asker has marked it as helpful.'),
  isMine: flag,
  isStarter: said(flag, 'Its author started the thread.'),
});

/** A thread with a page of its replies. */
export const threadView = z.object({
  ...cardFields,
  opening: postView,
  replies: said(z.array(postView), 'In their order, those of this page.'),
  lastNumber: said(count, 'The number of the last reply there is; 0 without one.'),
  previousCursor: said(
    z.nullable(z.string()),
    'What to hand back as `cursor` for the page before; null on the first one.',
  ),
  follow: said(
    z.nullable(followMail),
    'How the asker, who follows the thread, is mailed of replies; null where they do not follow it.',
  ),
  canReply: said(flag, 'The asker may reply now, or would after logging in: the thread is open.'),
});
export const threadAnswer = z.object({ success: done, data: threadView, nextCursor });

const placeCount = z.object({ code: z.string(), name: z.string(), count });
/** Where there are threads, and how many. */
export const communityLocationsAnswer = z.object({
  success: done,
  data: z.array(
    z.object({
      code: z.string(),
      name: z.string(),
      count,
      states: z.array(
        z.object({ ...placeCount.shape, cities: z.array(z.object({ name: z.string(), slug: z.string(), count })) }),
      ),
    }),
  ),
});

export const threadWriteAnswer = z.object({
  success: done,
  message,
  data: z.object({
    id: z.string(),
    number: said(count, 'Of the post; 0 for the opening one.'),
    slug: z.string(),
    path: said(z.string(), 'The address of the thread.'),
  }),
});

export const helpfulAnswer = z.object({ success: done, message, data: z.object({ isHelpful: flag }) });
export const followAnswer = z.object({
  success: done,
  message,
  data: z.object({ threadId: z.string(), mail: z.nullable(followMail) }),
});

export const followsAnswer = z.object({
  success: done,
  data: said(z.array(z.object({ thread: threadCard, mail: followMail })), 'The thread followed last comes first.'),
});

export const postHistoryAnswer = z.object({
  success: done,
  data: said(
    z.array(z.object({ html: z.string(), at: time })),
    'What the post has said, the oldest first; the last one is what it says now.',
  ),
});

export const previewAnswer = z.object({ success: done, data: z.object({ html: z.string() }) });

/** What moderators have hidden, and reports have. */
export const hiddenPostsAnswer = z.object({
  success: done,
  data: z.array(z.object({ thread: threadCard, post: postView, by: z.enum(['moderator', 'report']), hiddenAt: time })),
  nextCursor,
  total,
});
