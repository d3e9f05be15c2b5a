import * as z from 'zod/mini';
import { CATEGORIES } from '../../listing/categories.ts';
import { socialMedia } from './ads.ts';
import { count, done, flag, nextCursor, said, time } from './common.ts';

/** Histories as staff see them: of an ad, an account and a thread. */

const leaf = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

/** One field that differs. */
export const changeView = z.object({
  field: said(
    z.string(),
    'A field of a field is named with a dot, an entry of a list by its id: `socialMedia.website`, `reviews.r1.rating`.',
  ),
  before: leaf,
  after: leaf,
});

const actorView = z.object({
  kind: z.enum(['account', 'system']),
  id: said(z.string(), 'Of the account, or the name of the part of the system.'),
  name: said(
    z.nullable(z.string()),
    'Display name; null for a part of the system, and for somebody who is no member any more.',
  ),
});

/** One event of a history. */
export const historyEntryView = z.object({
  id: z.string(),
  type: said(z.string(), 'Such as `AdBumped`.'),
  revision: said(count, 'Its place in its stream, from 0.'),
  position: said(z.string(), 'Its place among all events.'),
  at: time,
  actor: actorView,
  correlationId: said(
    z.string(),
    'What it has in common with everything else that followed from the same request: the request’s `X-Request-Id`.',
  ),
  causationId: said(z.nullable(z.string()), 'The event it followed from.'),
  changes: z.array(changeView),
  details: said(
    z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number()]) })),
    'What else it says, such as an admin’s reason.',
  ),
});

export const historyAnswer = z.object({ success: done, data: z.array(historyEntryView), nextCursor });

const reviewAsOf = z.object({ id: z.string(), name: z.string(), comment: z.string(), rating: z.int(), at: time });

/** The whole of an ad as it stood. */
export const adAsOfView = z.object({
  status: said(z.enum(['active', 'hidden', 'deleted']), '`hidden`: a case of moderation held it out of sight.'),
  title: z.string(),
  name: z.string(),
  category: z.enum(CATEGORIES),
  state: z.string(),
  city: z.string(),
  description: z.string(),
  price: z.nullable(z.string()),
  body: z.nullable(z.string()),
  phone: z.nullable(z.string()),
  socialMedia: z.nullable(socialMedia),
  photos: said(z.array(z.string()), 'Media ids, the cover first.'),
  video: said(z.nullable(z.string()), 'A media id.'),
  isDemo: flag,
  isFeatured: flag,
  bumpCount: count,
  lastBumpedAt: time,
  rating: said(z.number(), 'The mean of its reviews, 0 without any.'),
  reviewCount: count,
  reviews: z.array(reviewAsOf),
  postedAt: time,
  updatedAt: said(time, 'When its owner last posted, edited or bumped it.'),
  deletedAt: z.nullable(time),
  isErased: said(flag, 'Its owner was erased: their words are gone for good.'),
});

/** An account as it stood. */
export const accountAsOfView = z.object({
  status: z.enum(['open', 'closed']),
  email: z.string(),
  displayName: z.string(),
  userType: z.enum(['client', 'provider']),
  age: count,
  isEmailVerified: flag,
  isVerified: flag,
  role: z.nullable(z.enum(['admin', 'moderator'])),
  hasTwoStep: said(flag, 'Signs in in two steps.'),
  hasOpenCode: said(flag, 'A verification code was mailed and not used.'),
  hasOpenReset: said(flag, 'The same of a password reset.'),
  passwordChanges: count,
  repeatOf: said(z.nullable(z.string()), 'The account it stands in for, where its address had one already.'),
  registeredAt: time,
  closedAt: z.nullable(time),
  isErased: flag,
});

const postAsOf = z.object({
  number: count,
  accountId: z.string(),
  status: z.enum(['visible', 'hidden', 'deleted']),
  body: said(z.string(), 'Markdown.'),
  quotedNumber: z.nullable(count),
  postedAt: time,
  editedAt: z.nullable(time),
});

/** A thread as it stood, with some of its posts. */
export const threadAsOfView = z.object({
  title: z.string(),
  country: z.string(),
  state: z.string(),
  city: z.string(),
  accountId: said(z.string(), 'Who started it.'),
  isLocked: flag,
  isPinned: flag,
  isHidden: flag,
  postCount: said(count, 'Hidden and deleted ones as well.'),
  startedAt: time,
  posts: said(z.array(postAsOf), 'From the one asked for by `post`, at most 50.'),
});

/** Where in its history something was looked at. */
const moment = {
  at: said(time, 'The moment it is told of.'),
  revision: said(z.nullable(count), 'Of the last event up to then; null before the first.'),
  previousAt: said(
    z.nullable(time),
    'When something last happened to it before the event it stands at; null at the first.',
  ),
  nextAt: said(z.nullable(time), 'When something happened to it next; null at the last.'),
  firstAt: time,
  lastAt: time,
  events: said(count, 'How many there are in all.'),
};
const difference = said(
  z.nullable(z.array(changeView)),
  'What differs at the moment `and`; null where none was asked for.',
);

export const adAsOfAnswer = z.object({
  success: done,
  data: z.object({
    id: z.string(),
    ownerId: z.string(),
    ...moment,
    ad: said(z.nullable(adAsOfView), 'Null before it was posted.'),
    difference,
  }),
});
export const accountAsOfAnswer = z.object({
  success: done,
  data: z.object({
    id: z.string(),
    ...moment,
    account: said(z.nullable(accountAsOfView), 'Null before anybody registered.'),
    difference,
  }),
});
export const threadAsOfAnswer = z.object({
  success: done,
  data: z.object({
    id: z.string(),
    ...moment,
    thread: said(z.nullable(threadAsOfView), 'Null before it was started.'),
    difference,
  }),
});

const standingView = z.object({
  rank: said(count, 'Its place in the list, from 1.'),
  adId: z.string(),
  title: said(z.nullable(z.string()), 'As it is now; null where it is no more.'),
  isFeatured: flag,
  lastBumpedAt: said(
    time,
    'What the list goes by, the latest first; ads of the same moment by their id, the highest first.',
  ),
});

/** Why an ad stood where it did in the list of its city and category. */
export const adRankAnswer = z.object({
  success: done,
  data: z.object({
    id: z.string(),
    at: time,
    status: said(
      z.enum(['listed', 'hidden', 'deleted', 'not_posted', 'withheld']),
      'Only what is `listed` has a place. `withheld`: this installation is configured to show it in no list.',
    ),
    state: z.nullable(z.string()),
    city: z.nullable(z.string()),
    category: z.nullable(z.string()),
    rank: z.nullable(count),
    total: said(count, 'How many ads stood in the list.'),
    standings: said(z.array(standingView), 'The ad, with up to three above and below it.'),
    because: said(
      z.nullable(z.object({ eventId: z.string(), type: z.string(), revision: count, at: time })),
      'The event that gave it its place: it was posted or bumped. Editing moves no ad.',
    ),
  }),
});
