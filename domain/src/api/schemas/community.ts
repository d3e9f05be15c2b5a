import * as z from 'zod/mini';
import { registerView, registerSharedObject } from '../component.ts';
import { FOLLOW_MAIL_MODES } from '../../follows/fields.ts';
import { count, booleanFlag, message, nextCursor, described, timestamp, total, registerSuccess } from './common.ts';

/** Schemas of responses with community threads and their posts. */

const memberView = registerSharedObject('MemberView', {
  name: described(z.nullable(z.string()), 'Display name. Null for a former member.'),
  isModerator: booleanFlag,
});

const postStatus = z.enum(['visible', 'hidden', 'deleted']);
const followMail = z.enum(FOLLOW_MAIL_MODES);

const cardFields = {
  id: z.string(),
  slug: described(z.string(), 'The last part of the address: `/community/{country}/{state}/{city}/{slug}`.'),
  title: described(z.string(), 'Empty if it is no longer visible.'),
  excerpt: described(z.string(), 'The beginning of the opening post as plain text. Empty if it is no longer visible.'),
  country: z.string(),
  state: z.string(),
  city: z.string(),
  author: memberView,
  status: described(postStatus, 'Status of the opening post. Only moderators see hidden threads.'),
  isLocked: booleanFlag,
  isPinned: booleanFlag,
  replyCount: described(count, 'Without deleted and hidden replies.'),
  startedAt: timestamp,
  lastPostAt: timestamp,
  lastPostBy: memberView,
};

/** A community thread in a list. */
export const threadCard = registerView('ThreadCard', cardFields);
export const threadListResponse = registerSuccess('ThreadListAnswer', { data: z.array(threadCard), nextCursor, total });

const quoteView = z.object({
  number: count,
  author: memberView,
  excerpt: described(z.nullable(z.string()), 'The beginning of the quoted post. Null if it is hidden or deleted.'),
});

/** One post of a community thread. The opening post has the number 0. */
export const postView = registerView('PostView', {
  id: z.string(),
  number: count,
  author: memberView,
  status: postStatus,
  html: described(
    z.nullable(z.string()),
    'The text as safe HTML. Null if it is no longer visible. Its author and moderators can read a hidden post.',
  ),
  markdown: described(
    z.nullable(z.string()),
    'The Markdown text, for the author while the post may be edited. Otherwise null.',
  ),
  quote: z.nullable(quoteView),
  postedAt: timestamp,
  editedAt: described(z.nullable(timestamp), 'The time of the last change, or null.'),
  editableUntil: described(
    z.nullable(timestamp),
    'End of the time in which the author may change the post. Otherwise null.',
  ),
  hiddenReason: described(z.nullable(z.string()), 'The reason why the post is hidden, for the author and moderators.'),
  helpfulCount: count,
  isHelpful: described(booleanFlag, 'The requester has marked the post as helpful.'),
  isMine: booleanFlag,
  hasContactDetails: described(
    booleanFlag,
    'For the author: others see marks instead of contact details in the post, or in the title of its thread.',
  ),
  isStarter: described(booleanFlag, 'The author of the post started the thread.'),
});

/** A community thread with one page of its replies. */
export const threadView = registerView('ThreadView', {
  ...cardFields,
  opening: postView,
  replies: described(z.array(postView), 'The replies of this page in order.'),
  lastNumber: described(count, 'The number of the last reply, 0 without replies.'),
  previousCursor: described(z.nullable(z.string()), 'The `cursor` of the previous page. Null on the first page.'),
  follow: described(
    z.nullable(followMail),
    'How the requester is mailed about replies. Null if the requester does not follow the thread.',
  ),
  canReply: described(booleanFlag, 'The requester may reply, or could after a login, because the thread is open.'),
});
export const threadResponse = registerSuccess('ThreadAnswer', { data: threadView, nextCursor });

const placeCount = z.object({ code: z.string(), name: z.string(), count });
/** Response with the number of community threads in each country, state and city. */
export const communityLocationsResponse = registerSuccess('CommunityLocationsAnswer', {
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

export const threadWriteResponse = registerSuccess('ThreadWriteAnswer', {
  message,
  data: z.object({
    id: z.string(),
    number: described(count, 'Number of the post, 0 for the opening post.'),
    slug: z.string(),
    path: described(z.string(), 'The address of the thread.'),
  }),
});

export const helpfulResponse = registerSuccess('HelpfulAnswer', {
  message,
  data: z.object({ isHelpful: booleanFlag }),
});
export const followResponse = registerSuccess('FollowAnswer', {
  message,
  data: z.object({ threadId: z.string(), mail: z.nullable(followMail) }),
});

export const followListResponse = registerSuccess('FollowsAnswer', {
  data: described(z.array(z.object({ thread: threadCard, mail: followMail })), 'The last followed thread comes first.'),
});

export const postHistoryResponse = registerSuccess('PostHistoryAnswer', {
  data: described(
    z.array(z.object({ html: z.string(), at: timestamp })),
    'The texts of the post, the oldest first. The last one is the current text.',
  ),
});

export const previewResponse = registerSuccess('PreviewAnswer', { data: z.object({ html: z.string() }) });

/** Response with the posts that moderators or reports have hidden. */
export const hiddenPostsResponse = registerSuccess('HiddenPostsAnswer', {
  data: z.array(
    z.object({ thread: threadCard, post: postView, by: z.enum(['moderator', 'report']), hiddenAt: timestamp }),
  ),
  nextCursor,
  total,
});
